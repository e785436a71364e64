import { BrowserWindow, screen } from "electron";
import { closeToTray, type CloseToTrayOptions } from "./close-to-tray.js";
import { loadPage } from "./load-page.js";
import { createMainWindow, type MainWindowOptions } from "./main-window.js";
import { watchPage, type PageHealthOptions } from "./page-health.js";
import { fitToDisplays } from "./window-state.js";

/** The one window, which may be hidden or not yet open. */
export interface AppWindow {
  /** Opens or shows the window, in front of the others. */
  show(): BrowserWindow;
  /** Shows a page of the collector, by its path. */
  open(path: string): void;
  /** The window, if it is open. It may be hidden. */
  current(): BrowserWindow | undefined;
}

/** Options of {@link createAppWindow}. */
export interface AppWindowOptions extends MainWindowOptions, CloseToTrayOptions, PageHealthOptions {
  /** Called when the user looks at the window. */
  readonly onSeen: () => void;
}

/** Creates the window when it is first shown. */
export function createAppWindow(options: AppWindowOptions): AppWindow {
  const { pageUrl, log } = options;
  const current = (): BrowserWindow | undefined => BrowserWindow.getAllWindows()[0];

  function create(url: string): BrowserWindow {
    const window = createMainWindow({ ...options, pageUrl: url });
    closeToTray(window, options);
    watchPage(window, options);
    window.on("focus", options.onSeen);
    return window;
  }

  /** A display may be gone since the window was placed, or while it was hidden. */
  function reach(): void {
    const window = current();
    if (window === undefined) return;
    const bounds = window.getNormalBounds();
    const workAreas = screen.getAllDisplays().map(({ workArea }) => workArea);
    const { x, y, width, height } = fitToDisplays(workAreas, { ...bounds, maximized: false });
    if (x === bounds.x && y === bounds.y && width === bounds.width && height === bounds.height) return;
    if (x === undefined || y === undefined) {
      window.setSize(width, height);
      window.center();
    } else window.setBounds({ x, y, width, height });
  }
  screen.on("display-removed", reach);
  screen.on("display-metrics-changed", reach);

  function bringToFront(window: BrowserWindow): BrowserWindow {
    if (window.isMinimized()) window.restore();
    reach();
    window.show();
    window.focus();
    return window;
  }

  return {
    current,
    show() {
      const window = current();
      return window === undefined ? create(pageUrl) : bringToFront(window);
    },
    open(path) {
      const { href } = new URL(path, pageUrl);
      const window = current();
      if (window === undefined) {
        create(href);
        return;
      }
      loadPage(window, href, log);
      bringToFront(window);
    },
  };
}
