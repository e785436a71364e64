import { app, Menu, shell, type MenuItemConstructorOptions } from "electron";
import type { MenuCommand } from "../shared/bridge.js";
import { CHANNELS } from "../shared/channels.js";

export interface AppMenuOptions {
  readonly pageUrl: string;
  /** Undefined if there is none. */
  readonly logFile: string | undefined;
  /** Returns the window, and opens it if it was closed (macOS). */
  readonly window: () => Electron.BrowserWindow;
}

/**
 * Installs the native menu. Commands of the page are sent to it; their shortcuts are handled by the page and only shown
 * here.
 */
export function installMenu(options: AppMenuOptions): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(options)));
}

function menuTemplate({ pageUrl, logFile, window }: AppMenuOptions): MenuItemConstructorOptions[] {
  const command = (name: MenuCommand) => () => window().webContents.send(CHANNELS.menu, name);
  const isMac = process.platform === "darwin";
  const view: MenuItemConstructorOptions[] = [
    {
      id: "palette",
      label: "Search or Jump to…",
      accelerator: "CmdOrCtrl+K",
      registerAccelerator: false,
      click: command("palette"),
    },
    { id: "rail", label: "Toggle Sidebar", click: command("rail") },
    { type: "separator" },
    {
      id: "back",
      label: "Back",
      accelerator: isMac ? "Cmd+[" : "Alt+Left",
      click: () => window().webContents.navigationHistory.goBack(),
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
  const help: MenuItemConstructorOptions[] = [
    { id: "shortcuts", label: "Keyboard Shortcuts", click: command("shortcuts") },
    { id: "browser", label: "Open in Browser", click: () => void shell.openExternal(pageUrl) },
    {
      id: "log",
      label: "Show Log File",
      enabled: logFile !== undefined,
      click: () => {
        if (logFile !== undefined) shell.showItemInFolder(logFile);
      },
    },
    ...(isMac ? [] : [{ type: "separator" as const }, { role: "about" as const }]),
  ];
  return [
    ...(isMac ? [{ role: "appMenu" as const }] : []),
    { label: "File", submenu: [{ role: isMac ? "close" : "quit" }] },
    { role: "editMenu" },
    { label: "View", submenu: view },
    { role: "windowMenu" },
    { role: "help", submenu: help },
  ];
}
