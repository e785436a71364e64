/**
 * READ FIRST. The desktop app: a single instance that runs the collector in this process and shows its pages in a
 * window. Only this file reads `process.env` and decides the order of start and stop.
 */
import { app } from "electron";
import { defaultConfigFile, loadConfig, localDefaults } from "@obspan/collector-core";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openLog } from "./app-log.js";
import { startCollector, type RunningCollector } from "./collector-start.js";
import { openUpdater } from "./electron-updater.js";
import { JUDGE_KEY_VARIABLE, openJudgeKey } from "./judge-key.js";
import { createLoginItem, HIDDEN_ARGUMENT } from "./login-item.js";
import { createOpeningQueue } from "./opening-queue.js";
import { LINK_SCHEME, readArguments } from "./openings.js";
import { openPreferences } from "./preferences.js";
import { installQuitHandlers } from "./quit.js";
import { relaunch } from "./relaunch.js";
import { showShell } from "./shell.js";
import { reportRefusedConfig, reportStartFailure } from "./start-dialogs.js";

const UI_DIRECTORY = fileURLToPath(new URL("../renderer/", import.meta.url));
const ICON = fileURLToPath(new URL("../../icons/icon.png", import.meta.url));
const UNREADABLE_KEY = `The stored key of the judge cannot be read. Enter it again in Settings, or set ${JUDGE_KEY_VARIABLE}.`;
// Sandboxes every page, whatever a window requests. Must run before the app is ready.
app.enableSandbox();
const openings = createOpeningQueue();
// macOS sends these, and may send them before the app is ready.
app.on("open-file", (event, path) => {
  event.preventDefault();
  openings.add([{ type: "file", path }]);
});
app.on("open-url", (event, url) => {
  event.preventDefault();
  openings.add(readArguments([url], ""));
});
/** A second start shows the window, also if it comes before this one is ready. */
let isWindowWanted = false;
app.on("second-instance", (_event, argv, workingDirectory) => {
  const opened = readArguments(argv.slice(1), workingDirectory);
  isWindowWanted ||= opened.length === 0;
  openings.add(opened);
});
openings.add(readArguments(process.argv.slice(1), process.cwd()));
if (app.requestSingleInstanceLock()) void run();
else app.quit();

async function run(): Promise<void> {
  // Unlike a headless collector, this one listens on the loopback interface only, and keeps traces on disk.
  const defaults = localDefaults(join(app.getPath("userData"), "traces"));
  const { platform } = process;
  // A copy, which holds the stored key as well: the environment of the process is seen by other programs.
  const env = { ...process.env };
  const judgeKey = await openJudgeKey({
    file: join(app.getPath("userData"), "judge-key.json"),
    platform,
    env,
    whenReady: () => app.whenReady(),
  });
  const defaultConfigPath = defaultConfigFile({ platform, env, homeDirectory: homedir() });
  const result = loadConfig({ env, defaults, defaultConfigPath });
  if (result.type === "refused") {
    const lost = judgeKey.state.stored === "unreadable" ? [UNREADABLE_KEY] : [];
    await reportRefusedConfig([...result.problems, ...lost]);
    return;
  }
  const appLog = openLog(result.loaded, app.getPath("logs"));
  const { log, logFile } = appLog;
  if (judgeKey.state.stored === "unreadable") log.child("shell").warning(UNREADABLE_KEY);
  for (const warning of result.loaded.warnings) log.child("config").warning(warning);
  const quitting = installQuitHandlers({ ...appLog, relaunch: () => relaunch(env["APPIMAGE"]) });

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
  if (quitting.isAsked) return;
  const shellLog = log.child("shell");
  const preferences = openPreferences(join(app.getPath("userData"), "preferences.json"), shellLog);
  quitting.onEnd(() => preferences.saved());
  const loginItem = createLoginItem({
    platform,
    app,
    configDirectory: app.getPath("appData"),
    program: env["APPIMAGE"] ?? process.execPath,
  });
  // macOS passes no arguments at login.
  const wasOpenedAtLogin = platform === "darwin" && app.getLoginItemSettings().wasOpenedAtLogin;
  const isHidden = wasOpenedAtLogin || process.argv.includes(HIDDEN_ARGUMENT);
  app.setAboutPanelOptions({
    applicationName: "Obspan",
    applicationVersion: app.getVersion(),
    copyright: "Copyright © 2026 the Obspan authors. Apache License 2.0.",
    credits: "Telemetry for people who build LLM agents.",
    iconPath: ICON,
  });
  const updater = await openUpdater({
    resources: app.isPackaged ? process.resourcesPath : undefined,
    log: shellLog,
    onEnd: (listener) => quitting.onEnd(listener),
  });
  // An installer registers the scheme; an AppImage and Windows have none that does.
  if (app.isPackaged) app.setAsDefaultProtocolClient(LINK_SCHEME);
  showShell({
    running,
    log: shellLog,
    logFile,
    quitting,
    preferences,
    loginItem,
    judgeKey,
    updater,
    openings,
    isHidden: isHidden && !isWindowWanted,
  });
}
