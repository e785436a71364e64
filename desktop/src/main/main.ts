/**
 * READ FIRST. The desktop app: a single instance that runs the collector in this process and shows its pages in a
 * window. Only this file reads `process.env` and decides the order of start and stop.
 */
import { app, BrowserWindow } from "electron";
import { loadConfig, localDefaults } from "@obspan/collector-core";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openLog } from "./app-log.js";
import { installMenu } from "./app-menu.js";
import { handleBridgeCalls } from "./bridge-handlers.js";
import { startCollector, type RunningCollector } from "./collector-start.js";
import { createMainWindow } from "./main-window.js";
import { guardContents } from "./navigation-guard.js";
import { guardPermissions } from "./permission-guard.js";
import { installQuitHandlers, type Quitting } from "./quit.js";
import { reportRefusedConfig, reportStartFailure } from "./start-dialogs.js";

const UI_DIRECTORY = fileURLToPath(new URL("../renderer/", import.meta.url));
const PRELOAD = fileURLToPath(new URL("../preload/preload.cjs", import.meta.url));
const ICON = fileURLToPath(new URL("../../icons/icon.png", import.meta.url));
// Sandboxes every page, whatever a window requests. Must run before the app is ready.
app.enableSandbox();
if (app.requestSingleInstanceLock()) void run();
else app.quit();

async function run(): Promise<void> {
  // Unlike a headless collector, this one listens on the loopback interface only, and keeps traces on disk.
  const defaults = localDefaults(join(app.getPath("userData"), "traces"));
  const result = loadConfig({ env: process.env, defaults });
  if (result.type === "refused") {
    await reportRefusedConfig(result.problems);
    return;
  }
  const { log, logFile } = openLog(result.loaded, app.getPath("logs"));
  for (const warning of result.loaded.warnings) log.child("config").warning(warning);
  const quitting = installQuitHandlers(log);

  let running: RunningCollector | undefined;
  try {
    [running] = await Promise.all([
      startCollector({ loaded: result.loaded, log, version: app.getVersion(), uiDirectory: UI_DIRECTORY }),
      app.whenReady(),
    ]);
  } catch (error) {
    await reportStartFailure(error, result.loaded, log);
    return;
  }
  if (running === undefined) {
    quitting.quitWithoutCollector();
    return;
  }
  quitting.setRunning(running);
  if (!quitting.isAsked) showApp(running, { log: log.child("shell"), logFile, quitting });
}

interface ShowAppOptions {
  readonly log: ReturnType<typeof openLog>["log"];
  readonly logFile: string | undefined;
  readonly quitting: Quitting;
}

function showApp({ pageUrl }: RunningCollector, { log, logFile, quitting }: ShowAppOptions): void {
  const { origin } = new URL(pageUrl);
  log.info(`Window on ${pageUrl}`);
  app.on("web-contents-created", (_event, contents) => guardContents(contents, { origin, log }));
  guardPermissions({ origin, log });
  handleBridgeCalls({ origin, log });
  installMenu({ pageUrl, logFile, window: () => mainWindow() });

  function mainWindow(): Electron.BrowserWindow {
    const open = BrowserWindow.getAllWindows();
    if (open[0] !== undefined) return open[0];
    return createMainWindow({ pageUrl, preload: PRELOAD, icon: ICON, version: app.getVersion(), log });
  }
  mainWindow();

  const showWindow = (): void => {
    if (!quitting.isAsked) focus(mainWindow());
  };
  app.on("second-instance", showWindow);
  // macOS: the Dock icon opens the window again.
  app.on("activate", showWindow);
  // Without a tray, closing the window quits the app. On macOS apps keep running, as usual.
  app.on("window-all-closed", () => {
    if (process.platform !== "darwin") app.quit();
  });
}

function focus(window: Electron.BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}
