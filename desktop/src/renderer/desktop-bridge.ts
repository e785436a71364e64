import type { DesktopBridge } from "../shared/bridge.js";

declare global {
  interface Window {
    /** Present only in the desktop app. A browser shows the same pages without it. */
    readonly obspan?: DesktopBridge;
  }
}

/** What the desktop app adds to a browser; undefined in one. */
export const desktopBridge: DesktopBridge | undefined = window.obspan;
