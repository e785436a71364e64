import type { BrowserWindow, BrowserWindowConstructorOptions, Rectangle } from "electron";
import { ContentsDouble } from "./contents-double.js";
import type { AppDouble } from "./app-double.js";
import type { IpcMainDouble } from "./ipc-main-double.js";
import type { SessionDouble } from "./session-double.js";
import { report } from "./test-channel.js";
import { KnownEvents, PreventableEvent, throwing } from "./unimplemented.js";

type WindowMethods = Pick<
  BrowserWindow,
  | "center"
  | "close"
  | "focus"
  | "getNormalBounds"
  | "hide"
  | "isFocused"
  | "isMaximized"
  | "isMinimized"
  | "loadURL"
  | "maximize"
  | "restore"
  | "setBounds"
  | "setProgressBar"
  | "show"
>;

/** What every window of one app shares. */
export interface WindowWorld {
  readonly app: AppDouble;
  readonly ipcMain: IpcMainDouble;
  readonly session: SessionDouble;
  readonly open: Set<WindowDouble>;
}

const EVENTS = new Set(["close", "closed", "focus", "ready-to-show", "unresponsive"]);
/** Settings that the app must request; only Electron itself enforces them. */
const REQUIRED = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  webSecurity: true,
  webviewTag: false,
} as const;

/** `BrowserWindow` (api/browser-window.md): a page of real Chromium, without a frame around it. */
export class WindowDouble extends KnownEvents implements WindowMethods {
  readonly webContents: ContentsDouble;
  #bounds: Rectangle;
  #isMax = false;
  #isMin = false;
  #isFocused = false;
  readonly #opened: Promise<void>;

  readonly #world: WindowWorld;

  constructor(options: BrowserWindowConstructorOptions, world: WindowWorld) {
    super("BrowserWindow", EVENTS);
    this.#world = world;
    const { width = 800, height = 600, x = 0, y = 0, webPreferences = {} } = options;
    for (const [name, value] of Object.entries(REQUIRED)) {
      if (webPreferences[name as keyof typeof REQUIRED] !== value) {
        throw new Error(`electron double: webPreferences.${name} must be ${String(value)}`);
      }
    }
    this.#bounds = { x, y, width, height };
    const contents = new ContentsDouble({
      ipcMain: world.ipcMain,
      session: world.session,
      preload: webPreferences.preload ?? "",
      additionalArguments: webPreferences.additionalArguments ?? [],
    });
    this.webContents = throwing(contents, "webContents");
    world.open.add(this);
    // api/app.md: "Emitted when a new webContents is created."
    world.app.emit("web-contents-created", {}, this.webContents);
    this.#opened = contents.open(this.#bounds);
  }

  /** "the promise will resolve when the page has finished loading, and rejects if the page fails to load". */
  async loadURL(url: string): Promise<void> {
    await this.#opened;
    await this.webContents.load(url);
    // "Emitted when the web page has been rendered (while not being shown) and window can be displayed".
    this.emit("ready-to-show");
  }

  /** "Shows and gives focus to the window." */
  show(): void {
    report({ type: "window-call", call: "show" });
    this.#gainFocus();
  }

  /** "Hides the window." */
  hide(): void {
    report({ type: "window-call", call: "hide" });
    this.#isFocused = false;
  }

  focus(): void {
    report({ type: "window-call", call: "focus" });
    this.#gainFocus();
  }

  isFocused(): boolean {
    return this.#isFocused;
  }

  /** The user turns to another window. */
  blur(): void {
    this.#isFocused = false;
  }

  /** "Emitted when the window gains focus." */
  #gainFocus(): void {
    if (this.#isFocused) return;
    this.#isFocused = true;
    this.emit("focus");
  }

  isMinimized(): boolean {
    return this.#isMin;
  }

  minimize(): void {
    this.#isMin = true;
  }

  restore(): void {
    this.#isMin = false;
    report({ type: "window-call", call: "restore" });
  }

  isMaximized(): boolean {
    return this.#isMax;
  }

  maximize(): void {
    this.#isMax = true;
    report({ type: "window-call", call: "maximize" });
  }

  /** "regardless of the current state of the window : maximized, minimized or in fullscreen, this function always
   * returns the position and size of the window in normal state". */
  getNormalBounds(): Rectangle {
    return { ...this.#bounds };
  }

  setBounds(bounds: Partial<Rectangle>): void {
    this.#bounds = { ...this.#bounds, ...bounds };
  }

  /** "Moves window to the center of the screen." Where that is, is not known here. */
  center(): void {
    this.#bounds = { ...this.#bounds, x: 0, y: 0 };
  }

  setSize(width: number, height: number): void {
    this.#bounds = { ...this.#bounds, width, height };
  }

  /** "Valid range is [0, 1.0]. Remove progress bar when progress < 0". */
  setProgressBar(progress: number): void {
    report({ type: "progress", progress });
  }

  /** "Try to close the window. This has the same effect as a user manually clicking the close button". */
  close(): void {
    void this.closeInOrder();
  }

  async closeInOrder(): Promise<boolean> {
    const event = new PreventableEvent();
    this.emit("close", event);
    if (event.defaultPrevented) return false;
    this.#world.open.delete(this);
    await this.#opened;
    await this.webContents.close();
    this.emit("closed");
    this.#world.app.onWindowClosed(this.#world.open.size);
    return true;
  }
}
