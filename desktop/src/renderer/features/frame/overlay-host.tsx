import { lazy, Suspense, useEffect } from "react";
import { useStore } from "zustand";
import { useStores } from "../../app-context.js";
import { desktopBridge } from "../../desktop-bridge.js";
import { openPalette, openShortcuts, overlays } from "./overlays.js";
import { toggleRail } from "./rail-state.js";

const loadPalette = () => import("./palette.js");
const loadShortcuts = () => import("./shortcuts.js");
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));
const Shortcuts = lazy(async () => ({ default: (await loadShortcuts()).Shortcuts }));

/** Renders the open overlay. Overlays are not part of the first load; they are preloaded when the page is idle. */
export function OverlayHost() {
  const open = useStore(overlays, (state) => state.open);
  const stores = useStores();

  useEffect(() => {
    const timer = setTimeout(() => void Promise.allSettled([loadPalette(), loadShortcuts()]), 1000);
    return () => clearTimeout(timer);
  }, []);

  useEffect(
    () =>
      desktopBridge?.onMenu((command) => {
        if (command === "palette") openPalette();
        else if (command === "shortcuts") openShortcuts();
        else toggleRail(stores);
      }),
    [stores],
  );

  if (open === "none") return null;
  return <Suspense>{open === "palette" ? <Palette /> : <Shortcuts />}</Suspense>;
}
