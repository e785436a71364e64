import type { App } from "electron";
import { mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { SingleInstance } from "./single-instance.js";
import { report } from "./test-channel.js";
import { KnownEvents, PreventableEvent } from "./unimplemented.js";

/** The supported part of `app`, besides its events. */
type AppMethods = Pick<
  App,
  | "enableSandbox"
  | "exit"
  | "getPath"
  | "getVersion"
  | "isPackaged"
  | "quit"
  | "relaunch"
  | "releaseSingleInstanceLock"
  | "requestSingleInstanceLock"
  | "setAboutPanelOptions"
  | "setAsDefaultProtocolClient"
  | "setBadgeCount"
  | "whenReady"
>;

const EVENTS = new Set([
  "activate",
  "before-quit",
  "child-process-gone",
  "open-file",
  "open-url",
  "second-instance",
  "web-contents-created",
  "will-quit",
  "window-all-closed",
]);

/** The windows that the app closes when it quits. */
export interface AppWindows {
  /**
   * Asks every window to close.
   *
   * @returns false if one of them refuses.
   */
  closeAll(): Promise<boolean>;
  /** Closes the browser behind them. */
  end(): Promise<void>;
}

/** `app` (api/app.md). Quoted are Electron's words for what each part does. */
export class AppDouble extends KnownEvents implements AppMethods {
  /** "Returns true if the app is packaged, false otherwise." */
  readonly isPackaged = true;
  windows: AppWindows = { closeAll: () => Promise.resolve(true), end: () => Promise.resolve() };
  #isReady = false;
  #isQuitting = false;
  #told: Promise<void> = Promise.resolve();
  readonly #ready: Promise<void>;
  readonly #instance: SingleInstance;

  constructor() {
    super("app", EVENTS);
    // The main script has run once before the app is ready, which is what makes `enableSandbox` possible.
    this.#ready = new Promise((resolve) =>
      setImmediate(() => {
        this.#isReady = true;
        resolve();
      }),
    );
    this.#instance = new SingleInstance(this.getPath("userData"), (argv) => {
      // "This event is guaranteed to be emitted after the ready event of app gets emitted."
      void this.#ready.then(() => this.emit("second-instance", {}, argv, process.cwd(), undefined));
    });
  }

  /** "Returns Promise<void> - fulfilled when Electron is initialized." */
  whenReady(): Promise<void> {
    return this.#ready;
  }

  /** "This method can only be called before app is ready." Here nothing is sandboxed: that is Electron's to do. */
  enableSandbox(): void {
    if (this.#isReady) throw new Error("app.enableSandbox() can only be called before app is ready");
  }

  requestSingleInstanceLock(): boolean {
    const { isFirst, told } = this.#instance.request();
    this.#told = told;
    return isFirst;
  }

  releaseSingleInstanceLock(): void {
    this.#instance.release();
  }

  /** "The version of the loaded application", by its package.json. */
  getVersion(): string {
    return this.#manifest().version;
  }

  /**
   * userData: "by default is the appData directory appended with your app's name"; appData is "$XDG_CONFIG_HOME or
   * ~/.config on Linux"; the name is package.json's productName. logs: "Directory for your app's log folder", which is
   * made where it is asked for (app.setAppLogsPath).
   */
  getPath(name: Parameters<App["getPath"]>[0]): string {
    const appData = process.env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config");
    if (name === "appData") return appData;
    const userData = join(appData, this.#manifest().productName);
    if (name === "userData") return userData;
    if (name !== "logs") throw new Error(`electron double: app.getPath("${name}") is not implemented`);
    const logs = join(userData, "logs");
    mkdirSync(logs, { recursive: true });
    return logs;
  }

  /** "Set the about panel options." Showing them is Electron's. */
  setAboutPanelOptions(): void {
    // Nothing here shows the panel.
  }

  /** "Sets the counter badge for current app. Setting the count to 0 will hide the badge." */
  setBadgeCount(count = 0): boolean {
    report({ type: "badge", count });
    return true;
  }

  /** "Relaunches the app when the current instance exits." The test starts it, or not. */
  relaunch({ args = [] }: Electron.RelaunchOptions = {}): void {
    report({ type: "relaunch", args });
  }

  /** "Sets the current executable as the default handler for a protocol". @returns "Whether the call succeeded." */
  setAsDefaultProtocolClient(protocol: string): boolean {
    report({ type: "protocol", protocol });
    return true;
  }

  /** macOS: "Emitted when the user wants to open a file" or "a URL with the application." */
  openFromSystem(name: "open-file" | "open-url", target: string): void {
    this.emit(name, new PreventableEvent(), target);
  }

  /** Called by the windows. */
  onWindowClosed(remaining: number): void {
    // "If ... the developer called app.quit(), Electron will first try to close all the windows and then emit the
    // will-quit event, and in this case the window-all-closed event would not be emitted."
    if (remaining > 0 || this.#isQuitting) return;
    // "If you do not subscribe to this event and all windows are closed, the default behavior is to quit the app."
    if (!this.emit("window-all-closed")) this.quit();
  }

  /**
   * "Try to close all windows. The before-quit event will be emitted first. If all windows are successfully closed, the
   * will-quit event will be emitted and by default the application will terminate."
   */
  quit(): void {
    void this.#installQuitHandlers();
  }

  async #installQuitHandlers(): Promise<void> {
    const before = new PreventableEvent();
    this.emit("before-quit", before);
    if (before.defaultPrevented) return;
    this.#isQuitting = true;
    if (!(await this.windows.closeAll())) {
      this.#isQuitting = false;
      return;
    }
    const will = new PreventableEvent();
    this.emit("will-quit", will);
    // "Calling event.preventDefault() will prevent the default behavior, which is terminating the application."
    if (!will.defaultPrevented) this.exit(0);
  }

  /**
   * "Exits immediately with exitCode. All windows will be closed immediately without asking the user, and the
   * before-quit and will-quit events will not be emitted."
   */
  exit(exitCode = 0): void {
    void Promise.allSettled([this.#told, this.windows.end()]).then(() => {
      this.#instance.release();
      process.exit(exitCode);
    });
  }

  #manifest(): { version: string; productName: string } {
    // <app>/dist/main/main.js
    const path = join(dirname(process.argv[1] ?? ""), "../../package.json");
    return JSON.parse(readFileSync(path, "utf8")) as { version: string; productName: string };
  }
}
