import { app, type BrowserWindow } from "electron";

/** Options of {@link createFailureBadge}. */
export interface FailureBadgeOptions {
  readonly platform: NodeJS.Platform;
  /** Shown on the taskbar button of Windows, which has no number. */
  readonly overlayIcon: Electron.NativeImage;
  readonly window: () => BrowserWindow | undefined;
}

/** Counts failed runs on the Dock or the taskbar until the user looks at the window. */
export interface FailureBadge {
  add(runs: number): void;
  clear(): void;
}

export function createFailureBadge({ platform, overlayIcon, window }: FailureBadgeOptions): FailureBadge {
  let count = 0;

  function show(): void {
    if (platform !== "win32") {
      app.setBadgeCount(count);
      return;
    }
    const words = count === 1 ? "1 failed run" : `${count} failed runs`;
    window()?.setOverlayIcon(count === 0 ? null : overlayIcon, count === 0 ? "" : words);
  }

  return {
    add(runs) {
      if (window()?.isFocused() === true) return;
      count += runs;
      show();
    },
    clear() {
      if (count === 0) return;
      count = 0;
      show();
    },
  };
}
