import { app, BrowserWindow, nativeTheme, screen } from "electron";
import type { Logger } from "@obspan/collector-core";
import { join } from "node:path";
import { VERSION_ARGUMENT } from "../shared/channels.js";
import { loadPage } from "./load-page.js";
import { readWindowState, fitToDisplays, writeWindowState } from "./window-state.js";

export interface MainWindowOptions {
  readonly pageUrl: string;
  /** The built preload script. */
  readonly preload: string;
  /** Used on Linux; other systems use the app's icon. */
  readonly icon: string;
  readonly version: string;
  readonly log: Logger;
}

/** `--bg-0` of the page in dark and light, so that the window does not flash before its first paint. */
const BACKGROUND = { dark: "#0a0b0d", light: "#f3f4f6" } as const;

/** Creates the window with the collector's pages, at its last position. */
export function createMainWindow({ pageUrl, preload, icon, version, log }: MainWindowOptions): BrowserWindow {
  const stateFile = join(app.getPath("userData"), "window-state.json");
  const workAreas = screen.getAllDisplays().map(({ workArea }) => workArea);
  const { maximized, ...bounds } = fitToDisplays(workAreas, readWindowState(stateFile));
  const window = new BrowserWindow({
    ...bounds,
    minWidth: 720,
    minHeight: 480,
    title: "Obspan",
    ...(process.platform === "linux" ? { icon } : {}),
    show: false,
    backgroundColor: nativeTheme.shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light,
    webPreferences: {
      preload,
      additionalArguments: [VERSION_ARGUMENT + version],
      // Electron's defaults, stated explicitly.
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      nodeIntegrationInWorker: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
    },
  });
  if (maximized) window.maximize();
  window.once("ready-to-show", () => window.show());
  window.on("close", () => {
    const failure = writeWindowState(stateFile, {
      ...window.getNormalBounds(),
      maximized: window.isMaximized(),
    });
    if (failure !== undefined) log.warning(`The window's place was not kept: ${failure}`);
  });
  loadPage(window, pageUrl, log);
  return window;
}
