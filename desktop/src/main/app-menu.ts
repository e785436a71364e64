import { app, Menu, shell, type MenuItemConstructorOptions } from "electron";
import type { MenuCommand } from "../shared/bridge.js";
import { CHANNELS } from "../shared/channels.js";
import type { LoginItem } from "./login-item.js";
import type { OpeningQueue } from "./opening-queue.js";
import type { Preferences } from "./preferences.js";
import type { TraceFiles } from "./trace-files.js";
import { menuLabel } from "./tray-view.js";
import type { Updates } from "./updates.js";

/** Options of {@link installMenu}. */
export interface AppMenuOptions {
  readonly pageUrl: string;
  /** Undefined if there is none. */
  readonly logFile: string | undefined;
  /** Directory of traces, preferences and log. */
  readonly dataDirectory: string;
  readonly preferences: Preferences;
  readonly loginItem: LoginItem;
  readonly files: TraceFiles;
  readonly openings: OpeningQueue;
  /** Undefined if the app was built without a feed of updates. */
  readonly updates: Updates | undefined;
  readonly isPaused: () => boolean;
  readonly pause: (isPaused: boolean) => void;
  readonly switchLogin: () => void;
  /** Returns the window, shown; opens it if it was closed. */
  readonly window: () => Electron.BrowserWindow;
}

/**
 * Installs the native menu. Commands of the page are sent to it; their shortcuts are handled by the page and only shown
 * here. Call it again when what it shows has changed.
 */
export function installMenu(options: AppMenuOptions): void {
  const isMac = process.platform === "darwin";
  const help = helpMenu(options, isMac);
  const template: MenuItemConstructorOptions[] = [
    ...(isMac ? [{ role: "appMenu" as const }] : []),
    { label: "File", submenu: fileMenu(options, isMac) },
    { role: "editMenu" },
    { label: "View", submenu: viewMenu(options, isMac) },
    { role: "windowMenu" },
    { role: "help", submenu: help },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}

function fileMenu(options: AppMenuOptions, isMac: boolean): MenuItemConstructorOptions[] {
  const { preferences } = options;
  const { keepsCollecting } = preferences.values;
  return [
    {
      id: "open-file",
      label: "Open Traces…",
      accelerator: "CmdOrCtrl+O",
      click: () => void options.files.choose(),
    },
    { label: "Open Recent", submenu: recentMenu(options) },
    {
      id: "save-trace",
      label: "Save Trace…",
      accelerator: "CmdOrCtrl+S",
      click: () => void options.files.save(),
    },
    { type: "separator" },
    {
      id: "pause",
      label: "Pause Collecting",
      type: "checkbox",
      checked: options.isPaused(),
      accelerator: "CmdOrCtrl+Shift+P",
      click: () => options.pause(!options.isPaused()),
    },
    {
      id: "keeps-collecting",
      label: "Keep Collecting When Closed",
      type: "checkbox",
      checked: keepsCollecting,
      click: () => preferences.change({ keepsCollecting: !keepsCollecting }),
    },
    {
      id: "login",
      label: "Start at Login",
      type: "checkbox",
      checked: options.loginItem.isOn(),
      click: options.switchLogin,
    },
    { label: "Notifications", submenu: notificationsMenu(options) },
    { type: "separator" },
    {
      id: "data",
      label: isMac ? "Reveal Data Folder in Finder" : "Reveal Data Folder",
      click: () => shell.showItemInFolder(options.dataDirectory),
    },
    { type: "separator" },
    { role: "close" },
    ...(isMac ? [] : [{ role: "quit" as const, accelerator: "Ctrl+Q" }]),
  ];
}

function recentMenu({ preferences, openings, files }: AppMenuOptions): MenuItemConstructorOptions[] {
  const { recentFiles } = preferences.values;
  if (recentFiles.length === 0) return [{ id: "no-recent", label: "No Recent Files", enabled: false }];
  return [
    ...recentFiles.map((path, index) => ({
      id: `recent-${index}`,
      label: menuLabel(path),
      click: () => openings.add([{ type: "file", path }]),
    })),
    { type: "separator" },
    { id: "forget-recent", label: "Clear List", click: () => files.forgetRecent() },
  ];
}

/** Limits that the menu offers, in US dollars a run. */
const COST_LIMITS = [0.1, 1, 5, 10, 50];

function notificationsMenu({ preferences }: AppMenuOptions): MenuItemConstructorOptions[] {
  const { notifiesFailedRuns, costLimitUsd } = preferences.values;
  return [
    {
      id: "notify-failed",
      label: "Failed Runs",
      type: "checkbox",
      checked: notifiesFailedRuns,
      click: () => preferences.change({ notifiesFailedRuns: !notifiesFailedRuns }),
    },
    { type: "separator" },
    ...[null, ...COST_LIMITS].map((limit) => ({
      id: `notify-cost-${limit ?? "off"}`,
      label: limit === null ? "No Limit of Cost" : `Runs over $${limit}`,
      type: "radio" as const,
      checked: limit === costLimitUsd,
      click: () => preferences.change({ costLimitUsd: limit }),
    })),
  ];
}

function viewMenu(options: AppMenuOptions, isMac: boolean): MenuItemConstructorOptions[] {
  return [
    {
      id: "palette",
      label: "Search or Jump to…",
      accelerator: "CmdOrCtrl+K",
      registerAccelerator: false,
      click: command(options, "palette"),
    },
    { id: "rail", label: "Toggle Sidebar", click: command(options, "rail") },
    { type: "separator" },
    {
      id: "back",
      label: "Back",
      accelerator: isMac ? "Cmd+[" : "Alt+Left",
      click: () => options.window().webContents.navigationHistory.goBack(),
    },
    { role: "reload" },
    { type: "separator" },
    { role: "resetZoom" },
    { role: "zoomIn" },
    { role: "zoomOut" },
    { type: "separator" },
    { role: "togglefullscreen" },
    // Developer tools are not part of the packed app.
    ...(app.isPackaged ? [] : [{ role: "toggleDevTools" as const }]),
  ];
}

function helpMenu(options: AppMenuOptions, isMac: boolean): MenuItemConstructorOptions[] {
  const { logFile, pageUrl, updates } = options;
  return [
    { id: "shortcuts", label: "Keyboard Shortcuts", click: command(options, "shortcuts") },
    { id: "browser", label: "Open in Browser", click: () => void shell.openExternal(pageUrl) },
    {
      id: "log",
      label: "Show Log File",
      enabled: logFile !== undefined,
      click: () => {
        if (logFile !== undefined) shell.showItemInFolder(logFile);
      },
    },
    { type: "separator" },
    ...(updates === undefined
      ? []
      : [{ id: "updates", label: "Check for Updates…", click: () => void updates.check(true) }]),
    ...(isMac ? [] : [{ role: "about" as const }]),
  ];
}

function command({ window }: AppMenuOptions, name: MenuCommand): () => void {
  return () => window().webContents.send(CHANNELS.menu, name);
}
