import type { ReactNode } from "react";
import { SignOutFailure } from "../sign-in/sign-out-failure.js";
import { DisconnectedBar } from "./disconnected-bar.js";
import { OverlayHost } from "./overlay-host.js";
import { useRailOpen } from "./rail-state.js";
import { Rail } from "./rail.js";
import { RetentionBar } from "./retention-bar.js";
import { StoreBar } from "./store-bar.js";
import { TopBar } from "./top-bar.js";
import { useGlobalKeys } from "./use-global-keys.js";
import { desktopBridge } from "../../desktop-bridge.js";
import { classNames } from "../../components/class-names.js";
import styles from "./frame.module.css";

/** The frame around every page: rail, top bar, connection notice and overlays. */
export function Frame({ children }: { children: ReactNode }) {
  const isOpen = useRailOpen();
  useGlobalKeys();
  return (
    <div className={isOpen ? classNames(styles.app, styles.railOpen) : styles.app}>
      <Rail isOpen={isOpen} />
      <TopBar />
      <div className={styles.content}>
        <DisconnectedBar />
        <StoreBar />
        {desktopBridge !== undefined && <RetentionBar />}
        <SignOutFailure />
        {children}
      </div>
      <OverlayHost />
    </div>
  );
}
