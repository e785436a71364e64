/**
 * A double of the `electron` module for main processes. Its windows are pages of real Chromium; what a user or the
 * system does to an app comes from the test that forked it. It is typed by Electron's own types, follows its
 * documentation (named at each part, as the page under electronjs.org/docs), and throws with the name of what it lacks.
 * What only Electron itself can do is not shown by it: sandboxes, context isolation, native menus and dialogs.
 */
import type * as Electron from "electron";
import { AppDouble } from "./app-double.js";
import { closeBrowser } from "./browser.js";
import { IpcMainDouble } from "./ipc-main-double.js";
import { chooseMenuItem, MenuDouble, menuLabels } from "./menu-double.js";
import { clickNotification, NotificationDouble } from "./notification-double.js";
import { safeStorageDouble } from "./safe-storage-double.js";
import { SessionDouble } from "./session-double.js";
import { answer, onCommand, report } from "./test-channel.js";
import { theTray, TrayDouble } from "./tray-double.js";
import { KnownEvents, throwing } from "./unimplemented.js";
import { WindowDouble, type WindowWorld } from "./window-double.js";

const world: WindowWorld = {
  app: new AppDouble(),
  ipcMain: new IpcMainDouble(),
  session: new SessionDouble(),
  open: new Set(),
};
world.app.windows = {
  async closeAll() {
    for (const window of world.open) if (!(await window.closeInOrder())) return false;
    return true;
  },
  end: closeBrowser,
};

class BrowserWindowDouble extends WindowDouble {
  constructor(options: Electron.BrowserWindowConstructorOptions = {}) {
    super(options, world);
    return throwing(this, "BrowserWindow");
  }

  static getAllWindows(): WindowDouble[] {
    return [...world.open].map((window) => throwing(window, "BrowserWindow"));
  }

  /** "Returns BrowserWindow | null - The window that is focused in this application, otherwise returns null." */
  static getFocusedWindow(): WindowDouble | null {
    return null;
  }
}

let dialogs = 0;
const openDialogs = new Map<number, (result: Electron.MessageBoxReturnValue) => void>();

const openFileDialogs = new Map<number, (paths: readonly string[]) => void>();
const filesFor = (id: number): Promise<readonly string[]> =>
  new Promise((resolve) => openFileDialogs.set(id, resolve));

const dialogDouble = {
  /** api/dialog.md: "Returns Promise ... response - The index of the clicked button." */
  showMessageBox(
    ...args: [Electron.BaseWindow, Electron.MessageBoxOptions] | [Electron.MessageBoxOptions]
  ): Promise<Electron.MessageBoxReturnValue> {
    const options = args.length === 1 ? args[0] : args[1];
    const id = ++dialogs;
    report({ type: "dialog", id, options, hasParent: args.length === 2 });
    return new Promise((resolve) => openDialogs.set(id, resolve));
  },
  /** api/dialog.md: "Returns Promise ... canceled, filePaths - An array of file paths chosen by the user." */
  async showOpenDialog(
    ...args: [Electron.BaseWindow, Electron.OpenDialogOptions] | [Electron.OpenDialogOptions]
  ): Promise<Electron.OpenDialogReturnValue> {
    const id = ++dialogs;
    report({ type: "open-dialog", id, options: args.length === 1 ? args[0] : args[1] });
    const filePaths = [...(await filesFor(id))];
    return { canceled: filePaths.length === 0, filePaths };
  },
  /** api/dialog.md: "filePath - If the dialog is canceled, this will be an empty string." */
  async showSaveDialog(
    ...args: [Electron.BaseWindow, Electron.SaveDialogOptions] | [Electron.SaveDialogOptions]
  ): Promise<Electron.SaveDialogReturnValue> {
    const id = ++dialogs;
    report({ type: "save-dialog", id, options: args.length === 1 ? args[0] : args[1] });
    const [filePath = ""] = await filesFor(id);
    return { canceled: filePath === "", filePath };
  },
} satisfies Pick<Electron.Dialog, "showMessageBox" | "showOpenDialog" | "showSaveDialog">;

const shellDouble = {
  /** api/shell.md: "Open the given external protocol URL in the desktop's default manner." */
  openExternal(url: string) {
    report({ type: "opened-external", url });
    return Promise.resolve();
  },
  showItemInFolder(path: string) {
    report({ type: "shown-in-folder", path });
  },
} satisfies Pick<Electron.Shell, "openExternal" | "showItemInFolder">;

class ScreenDouble extends KnownEvents implements Pick<Electron.Screen, "getAllDisplays"> {
  constructor() {
    super("screen", new Set(["display-metrics-changed", "display-removed"]));
  }

  /** api/screen.md: "An array of displays that are currently available." */
  getAllDisplays(): Electron.Display[] {
    return [{ workArea: { x: 0, y: 0, width: 1920, height: 1040 } } as Electron.Display];
  }
}

const nativeImageDouble = {
  /** api/native-image.md: "Creates a new NativeImage instance from an image file". Nothing here draws it. */
  createFromPath: (path: string) => throwing({ path }, "NativeImage") as unknown as Electron.NativeImage,
} satisfies Partial<Record<keyof typeof Electron.nativeImage, unknown>>;

export const app = throwing(world.app, "app");
export const BrowserWindow = throwing(BrowserWindowDouble, "BrowserWindow");
export const dialog = throwing(dialogDouble, "dialog");
export const ipcMain = throwing(world.ipcMain, "ipcMain");
export const Menu = throwing(MenuDouble, "Menu");
export const nativeImage = throwing(nativeImageDouble, "nativeImage");
export const Notification = throwing(NotificationDouble, "Notification");
export const nativeTheme = throwing({ shouldUseDarkColors: false }, "nativeTheme");
export const safeStorage = throwing(safeStorageDouble, "safeStorage");
export const screen = throwing(new ScreenDouble(), "screen");
export const session = throwing({ defaultSession: throwing(world.session, "session") }, "session");
export const shell = throwing(shellDouble, "shell");
export const Tray = throwing(TrayDouble, "Tray");

onCommand("answer-dialog", ({ id, response }) => {
  openDialogs.get(id)?.({ response, checkboxChecked: false });
  openDialogs.delete(id);
});
onCommand("answer-files", ({ id, paths }) => {
  openFileDialogs.get(id)?.(paths);
  openFileDialogs.delete(id);
});
onCommand("open-from-system", ({ name, target }) => world.app.openFromSystem(name, target));
onCommand("menu-labels", ({ id }) => void answer(id, menuLabels));
onCommand("menu", ({ id }) => chooseMenuItem(id));
onCommand("tray-menu", ({ id }) => theTray().choose(id));
onCommand("tray", ({ id }) => void answer(id, () => theTray().shown));
onCommand("click-notification", ({ nth }) => clickNotification(nth));
onCommand("quit", () => world.app.quit());
onCommand("blur", () => theWindow().blur());
onCommand("close-window", () => theWindow().close());
onCommand("minimize", () => theWindow().minimize());
onCommand("crash-page", () => void theWindow().webContents.crash("crashed"));
onCommand("page-hangs", () => theWindow().emit("unresponsive"));
onCommand("page-url", ({ id }) => void answer(id, () => theWindow().webContents.getURL()));
onCommand("child-process-gone", ({ details }) => world.app.emit("child-process-gone", {}, details));
onCommand("set-bounds", ({ width, height }) => theWindow().setSize(width, height));
onCommand("attach-webview", ({ id }) => void answer(id, () => theWindow().webContents.attachWebview()));
onCommand("offer-device", ({ id, origin }) => {
  const deviceTypes = ["hid", "serial", "usb"] as const;
  void answer(id, () =>
    deviceTypes.filter((deviceType) =>
      world.session.isDeviceAllowed({ deviceType, origin, device: {} as Electron.HIDDevice }),
    ),
  );
});
onCommand(
  "invoke-as",
  ({ id, url, isMainFrame, channel, args }) =>
    void answer(id, () => theWindow().webContents.invokeAs(url, isMainFrame, channel, args)),
);

function theWindow(): WindowDouble {
  const [window] = world.open;
  if (window === undefined) throw new Error("electron double: there is no window");
  return window;
}
