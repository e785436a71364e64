import type { IpcMainInvokeEvent, WebContents, WebFrameMain } from "electron";
import { readFileSync } from "node:fs";
import type { Frame, Page } from "playwright";
import { grant, openPage } from "./browser.js";
import type { IpcMainDouble } from "./ipc-main-double.js";
import { pageSide, type PageFacts } from "./page-side.js";
import type { SessionDouble } from "./session-double.js";
import { KnownEvents, PreventableEvent, throwing } from "./unimplemented.js";

type ContentsMethods = Pick<
  WebContents,
  "forcefullyCrashRenderer" | "getURL" | "reload" | "send" | "setWindowOpenHandler"
>;
type OpenHandler = Parameters<WebContents["setWindowOpenHandler"]>[0];

const EVENTS = new Set([
  "did-finish-load",
  "render-process-gone",
  "will-attach-webview",
  "will-frame-navigate",
  "will-navigate",
  "will-redirect",
]);
const BINDING = "__electronDouble";
const MESSAGE_EVENT = "electron-double:message";
/** Of the permissions that Playwright can grant. */
const GRANTS: Readonly<Record<string, string>> = {
  "clipboard-sanitized-write": "clipboard-write",
  "clipboard-read": "clipboard-read",
  geolocation: "geolocation",
  notifications: "notifications",
};

export interface ContentsOptions {
  readonly ipcMain: IpcMainDouble;
  readonly session: SessionDouble;
  readonly preload: string;
  readonly additionalArguments: readonly string[];
}

type PageCall =
  | { type: "invoke"; channel: string; args: unknown[] }
  | { type: "window-open"; url: string; frameName: string; features: string; disposition: "default" }
  | { type: "permission"; permission: string };

/** `webContents` (api/web-contents.md) over a page of real Chromium. */
export class ContentsDouble extends KnownEvents implements ContentsMethods {
  #openHandler: OpenHandler | undefined;
  #isLoadedByApp = false;
  #isGone = false;
  #goneReason = "crashed";
  #crashing: Promise<void> = Promise.resolve();
  #page: Page | undefined;

  readonly navigationHistory = throwing(
    { goBack: () => void this.#byApp((page) => page.goBack().then(() => undefined)) },
    "navigationHistory",
  );

  readonly #options: ContentsOptions;

  constructor(options: ContentsOptions) {
    super("webContents", EVENTS);
    this.#options = options;
  }

  /** Opens the page of a window of this size. */
  async open({ width, height }: { width: number; height: number }): Promise<void> {
    const page = await openPage();
    await page.setViewportSize({ width, height });
    await this.#attach(page);
  }

  async close(): Promise<void> {
    await this.#page?.close();
  }

  /** Ends the process of the page, as the system or a fault would. */
  async crash(reason: "crashed" | "killed"): Promise<void> {
    const page = this.#page;
    if (page === undefined) return;
    this.#goneReason = reason;
    // A page of Chromium that ends its own process.
    this.#isLoadedByApp = true;
    const crashed = page.waitForEvent("crash");
    await page.goto("chrome://crash").catch(() => undefined);
    await crashed;
    this.#isLoadedByApp = false;
  }

  /** "Forcefully terminates the renderer process ... This will cause the render-process-gone event to be emitted". */
  forcefullyCrashRenderer(): void {
    this.#crashing = this.crash("killed");
  }

  /** "Reloads the current web page." After a crash, "will force the reload to occur in a new process." */
  reload(): void {
    void this.load(this.getURL());
  }

  /** Attaches to the page before it loads anything. */
  async #attach(page: Page): Promise<void> {
    this.#page = page;
    await page.exposeBinding(BINDING, ({ frame }, call: PageCall) => this.#onPageCall(frame, call));
    await page.addInitScript({ content: this.#initScript() });
    page.on("crash", () => {
      this.#isGone = true;
      this.emit("render-process-gone", {}, { reason: this.#goneReason, exitCode: 1 });
    });
    await this.#watchNavigations(page);
  }

  async load(url: string): Promise<void> {
    await this.#crashing;
    if (this.#isGone) await this.#renew();
    await this.#byApp(async (page) => {
      await page.goto(url);
    });
    // "Emitted when the navigation is done, i.e. the spinner of the tab has stopped spinning".
    this.emit("did-finish-load");
  }

  /** A page of Playwright cannot go on after a crash, as Electron's does. */
  async #renew(): Promise<void> {
    const gone = this.#page;
    this.#isGone = false;
    await this.open(gone?.viewportSize() ?? { width: 800, height: 600 });
    await gone?.close();
  }

  /** "Returns string - The URL of the current web page." */
  getURL(): string {
    return this.#page?.url() ?? "";
  }

  setWindowOpenHandler(handler: OpenHandler): void {
    this.#openHandler = handler;
  }

  /** "Send an asynchronous message to the renderer process via channel, along with arguments." */
  send(channel: string, ...args: unknown[]): void {
    const detail = { channel, args };
    void this.#page?.evaluate(([type, init]) => window.dispatchEvent(new CustomEvent(type, init)), [
      MESSAGE_EVENT,
      { detail },
    ] as const);
  }

  /** "Emitted when a <webview>'s web contents is being attached to this web contents." @returns whether it may be. */
  attachWebview(): boolean {
    const event = new PreventableEvent();
    this.emit("will-attach-webview", event, {}, { src: "https://example.com/" });
    return !event.defaultPrevented;
  }

  /** Calls main as a page of `url` would. */
  async invokeAs(
    url: string,
    isMainFrame: boolean,
    channel: string,
    args: readonly unknown[],
  ): Promise<unknown> {
    const senderFrame = throwing(
      { url, origin: new URL(url).origin, parent: isMainFrame ? null : {} },
      "senderFrame",
    ) as unknown as WebFrameMain;
    const event = throwing({ senderFrame }, "event") as unknown as IpcMainInvokeEvent;
    return await this.#options.ipcMain.invoke(event, channel, args);
  }

  /** "This event will not emit when the navigation is started programmatically with APIs like webContents.loadURL". */
  async #byApp(navigate: (page: Page) => Promise<void>): Promise<void> {
    if (this.#page === undefined) throw new Error("electron double: the window has no page yet");
    this.#isLoadedByApp = true;
    try {
      await navigate(this.#page);
    } finally {
      this.#isLoadedByApp = false;
    }
  }

  /** Documents alone are held, by the DevTools protocol's Fetch domain; all else goes its way untouched. */
  async #watchNavigations(page: Page): Promise<void> {
    const devtools = await page.context().newCDPSession(page);
    const { frameTree } = await devtools.send("Page.getFrameTree");
    const mainFrameId = frameTree.frame.id;
    devtools.on("Fetch.requestPaused", ({ requestId, frameId, request, redirectedRequestId }) => {
      const isAllowed =
        this.#isLoadedByApp ||
        this.#mayNavigate(request.url, frameId === mainFrameId, redirectedRequestId !== undefined);
      // A navigation that is aborted leaves the page as it is, as `event.preventDefault()` does.
      const decided = isAllowed
        ? devtools.send("Fetch.continueRequest", { requestId })
        : devtools.send("Fetch.failRequest", { requestId, errorReason: "Aborted" });
      decided.catch(() => undefined); // the page has closed
    });
    await devtools.send("Fetch.enable", {
      patterns: [{ resourceType: "Document", requestStage: "Request" }],
    });
  }

  /**
   * will-frame-navigate: "will-navigate ... fired when navigating the main frame only", this one for any frame.
   * will-redirect: "when a server side redirect occurs during navigation".
   */
  #mayNavigate(url: string, isMainFrame: boolean, isRedirect: boolean): boolean {
    const names = isRedirect
      ? ["will-redirect"]
      : ["will-frame-navigate", ...(isMainFrame ? ["will-navigate"] : [])];
    return names.every((name) => {
      const event = Object.assign(new PreventableEvent(), { url, isMainFrame, isSameDocument: false });
      this.emit(name, event);
      return !event.defaultPrevented;
    });
  }

  async #onPageCall(frame: Frame, call: PageCall): Promise<{ value?: unknown; error?: string }> {
    const isMainFrame = frame.parentFrame() === null;
    try {
      switch (call.type) {
        case "invoke":
          return { value: await this.invokeAs(frame.url(), isMainFrame, call.channel, call.args) };
        case "window-open":
          this.#openWindow(call);
          return {};
        case "permission":
          return { value: await this.#isGranted(call.permission, frame.url(), isMainFrame) };
      }
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  }

  /** "Called before creating a window when a new window is requested by the renderer". Only denying is done here. */
  #openWindow({ url, frameName, features, disposition }: PageCall & { type: "window-open" }): void {
    const referrer = { url: "", policy: "no-referrer" as const };
    const { action } = this.#openHandler?.({ url, frameName, features, disposition, referrer }) ?? {
      action: "allow",
    };
    if (action === "allow") throw new Error("electron double: allowing a new window is not implemented");
  }

  async #isGranted(permission: string, url: string, isMainFrame: boolean): Promise<boolean> {
    const contents = this as unknown as WebContents;
    const isGranted = await this.#options.session.isGranted(contents, permission, url, isMainFrame);
    const name = GRANTS[permission];
    if (isGranted && name !== undefined) await grant([name], new URL(url).origin);
    return isGranted;
  }

  #initScript(): string {
    const { preload, additionalArguments } = this.#options;
    const facts: PageFacts = {
      platform: process.platform,
      // api/structures/web-preferences.md, additionalArguments: "appended to process.argv in the renderer process".
      argv: ["electron", ...additionalArguments],
      binding: BINDING,
      paths: JSON.parse(process.env["ELECTRON_DOUBLE_PATHS"] ?? "{}") as Record<string, string>,
      messageEvent: MESSAGE_EVENT,
    };
    const script = `(require, process) => { const module = { exports: {} }; const exports = module.exports;
${readFileSync(preload, "utf8")}
}`;
    return `(${pageSide.toString()})(${JSON.stringify(facts)}, ${script})`;
  }
}
