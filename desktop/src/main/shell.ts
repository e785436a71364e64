import { app, nativeImage } from "electron";
import type { Logger } from "@obspan/collector-core";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installMenu } from "./app-menu.js";
import { askUser } from "./ask-user.js";
import { createAppWindow } from "./app-window.js";
import { handleBridgeCalls } from "./bridge-handlers.js";
import { createCollectorFiles } from "./collector-files.js";
import type { RunningCollector } from "./collector-start.js";
import { createFailureBadge } from "./failure-badge.js";
import type { JudgeKey } from "./judge-key.js";
import type { LoginItem } from "./login-item.js";
import { guardContents } from "./navigation-guard.js";
import { costlyRunsText, failedRunsText } from "./notification-text.js";
import { createNotifier } from "./notifications.js";
import type { OpeningQueue } from "./opening-queue.js";
import { guardPermissions } from "./permission-guard.js";
import { readArguments } from "./openings.js";
import type { Preferences } from "./preferences.js";
import type { Quitting } from "./quit.js";
import { createRunWatch } from "./run-watch.js";
import { tracePagePath } from "./trace-page.js";
import { createTraceFiles } from "./trace-files.js";
import { createAppTray } from "./tray.js";
import { createUpdates, type Updater } from "./updates.js";

const PRELOAD = fileURLToPath(new URL("../preload/preload.cjs", import.meta.url));
const ICON = fileURLToPath(new URL("../../icons/icon.png", import.meta.url));
const TRAY_ICONS = fileURLToPath(new URL("../../icons/tray/", import.meta.url));
const TICK_MS = 1000;
const UPDATE_CHECK_MS = 24 * 3600 * 1000;

/** Options of {@link showShell}. */
export interface ShellOptions {
  readonly running: RunningCollector;
  readonly log: Logger;
  readonly logFile: string | undefined;
  readonly quitting: Quitting;
  readonly preferences: Preferences;
  readonly loginItem: LoginItem;
  readonly judgeKey: JudgeKey;
  /** Undefined if the app was built without a feed of updates. */
  readonly updater: Updater | undefined;
  /** What the system asks the app to open. */
  readonly openings: OpeningQueue;
  /** The app was started at login: it shows only its tray. */
  readonly isHidden: boolean;
}

/** Joins window, menu and tray around the running collector. */
export function showShell(options: ShellOptions): void {
  const { log, logFile, quitting, preferences, loginItem, openings } = options;
  const { collector, pageUrl, loaded } = options.running;
  const { origin } = new URL(pageUrl);
  const { platform } = process;
  app.on("web-contents-created", (_event, contents) => guardContents(contents, { origin, log }));
  guardPermissions({ origin, log });
  app.on("child-process-gone", (_event, { type, reason, exitCode, name }) => {
    if (reason !== "clean-exit")
      log.error(`A process of Electron ended: ${type}: ${reason}`, { exit_code: exitCode, name });
  });
  handleBridgeCalls({
    origin,
    log,
    judgeKey: options.judgeKey,
    preferences,
    configProblems() {
      const next = loaded.recheck();
      return next.type === "refused" ? next.problems : [];
    },
    restart: () => quitting.restart(),
    rememberFile: (path) => files.remember(path),
  });

  const window = createAppWindow({
    pageUrl,
    preload: PRELOAD,
    icon: ICON,
    version: app.getVersion(),
    log,
    preferences,
    platform,
    isQuitting: () => quitting.isAsked,
    quit: () => app.quit(),
    logFile,
    restart: () => quitting.restart(),
    onSeen: () => badge.clear(),
  });
  const badge = createFailureBadge({
    platform,
    overlayIcon: nativeImage.createFromPath(join(TRAY_ICONS, "error.png")),
    window: () => window.current(),
  });
  const notify = createNotifier((path) => window.open(path));
  const show = (): void => {
    if (!quitting.isAsked) window.show();
  };

  const tray = createAppTray({
    icons: TRAY_ICONS,
    platform,
    url: origin,
    onOpen: show,
    onOpenRun: ({ trace_id: traceId, tenant }) => window.open(tracePagePath({ traceId, tenant })),
    onPause: pause,
    onQuit: () => app.quit(),
  });
  const watch = createRunWatch({
    collector,
    costLimitUsd: () => preferences.values.costLimitUsd,
    now: Date.now,
    onStatus: (snapshot) => tray.show(snapshot),
    onFailed(runs) {
      badge.add(runs.length);
      if (preferences.values.notifiesFailedRuns) notify(failedRunsText(runs));
    },
    onCostly: (runs, limitUsd) => notify(costlyRunsText(runs, limitUsd)),
    onError: (error) => log.warning(`The tray cannot read the failed runs: ${String(error)}`),
  });
  const tick = (): void => void watch.tick();
  const timer = setInterval(tick, TICK_MS);
  quitting.onEnd(() => clearInterval(timer));

  function pause(isPaused: boolean): void {
    if (isPaused) collector.pause();
    else collector.resume();
    log.info(isPaused ? "Collecting is paused: batches are refused with 503." : "Collecting goes on.");
    installMenus();
    tick();
  }
  function switchLogin(): void {
    try {
      loginItem.set(!loginItem.isOn());
    } catch (error) {
      log.warning(`The start at login was not changed: ${String(error)}`);
    }
    installMenus();
  }
  const files = createTraceFiles({
    files: createCollectorFiles({ pageUrl, config: loaded.config }),
    window,
    preferences,
    openings,
    platform,
    log,
  });
  const updates =
    options.updater &&
    createUpdates({
      updater: options.updater,
      version: app.getVersion(),
      preferences,
      log,
      ask: askUser,
      onProgress: (share) => window.current()?.setProgressBar(share),
      quit: () => app.quit(),
    });
  if (updates !== undefined) {
    const updateTimer = setInterval(() => void updates.check(false), UPDATE_CHECK_MS);
    quitting.onEnd(() => clearInterval(updateTimer));
    void updates.check(false);
  }
  function installMenus(): void {
    installMenu({
      files,
      openings,
      updates,
      pageUrl,
      logFile,
      dataDirectory: app.getPath("userData"),
      preferences,
      loginItem,
      isPaused: () => collector.isPaused,
      pause,
      switchLogin,
      window: () => window.show(),
    });
  }
  preferences.onChange(installMenus);

  installMenus();
  tick();
  openings.openWith({
    log,
    async open(opening) {
      if (quitting.isAsked) return;
      if (opening.type === "trace") window.open(tracePagePath(opening));
      else await files.open(opening.path);
    },
  });
  // A link has opened the window on its page.
  if (!options.isHidden && window.current() === undefined) {
    window.show();
    log.info(`Window on ${pageUrl}`);
  }
  app.on("second-instance", (_event, argv, workingDirectory) => {
    if (readArguments(argv.slice(1), workingDirectory).length === 0) show();
  });
  // macOS: the Dock icon opens the window again.
  app.on("activate", show);
  // Reached if the window does not close to the tray. On macOS apps keep running, as usual.
  app.on("window-all-closed", () => {
    if (platform !== "darwin") app.quit();
  });
}
