/**
 * The part of Electron inside a page, evaluated before its own scripts. It is converted to text, so it cannot use
 * anything outside its function.
 */

/** Facts about the process for the page side. */
export interface PageFacts {
  readonly platform: string;
  readonly argv: readonly string[];
  /** Name of the binding that Playwright puts on the window; it is taken away before the page sees it. */
  readonly binding: string;
  /** Paths of files on the disk, by name: a page cannot know them. */
  readonly paths: Readonly<Record<string, string>>;
  /** Name of the event that carries messages from main. */
  readonly messageEvent: string;
}

/** A preload script as a function of what Electron gives one. */
export type PreloadFunction = (require: (name: string) => unknown, process: object) => void;

type Call = (
  call: { type: string } & Record<string, unknown>,
) => Promise<{ value?: unknown; error?: string }>;

export function pageSide(facts: PageFacts, preload: PreloadFunction): void {
  // api/structures/web-preferences.md, preload: in sub frames only with nodeIntegrationInSubFrames.
  if (window !== window.top) return;
  const globals = window as unknown as Record<string, unknown>;
  const binding = globals[facts.binding] as Call;
  Reflect.deleteProperty(globals, facts.binding);

  async function call(message: { type: string } & Record<string, unknown>): Promise<unknown> {
    const { value, error } = await binding(message);
    if (error !== undefined) throw new Error(error);
    return value;
  }

  /** Calls by name what the double does not have. */
  const only = <T extends object>(name: string, members: T): T =>
    new Proxy(members, {
      get(target, key): unknown {
        if (key in target || typeof key === "symbol") return Reflect.get(target, key);
        throw new Error(`electron double: ${name}.${key} is not implemented`);
      },
    });

  type Listener = (event: object, ...args: unknown[]) => void;
  const listeners: { channel: string; listener: Listener }[] = [];
  window.addEventListener(facts.messageEvent, (event) => {
    const { channel, args } = (event as CustomEvent<{ channel: string; args: unknown[] }>).detail;
    for (const each of listeners)
      if (each.channel === channel) each.listener({ sender: ipcRenderer }, ...args);
  });

  // api/ipc-renderer.md
  const ipcRenderer: object = only("ipcRenderer", {
    invoke: (channel: string, ...args: unknown[]) => call({ type: "invoke", channel, args }),
    on: (channel: string, listener: Listener) => void listeners.push({ channel, listener }),
    off(channel: string, listener: Listener) {
      const index = listeners.findIndex((each) => each.channel === channel && each.listener === listener);
      if (index >= 0) listeners.splice(index, 1);
    },
  });

  /**
   * api/context-bridge.md: "Function values ... are proxied to the other context, all other values are copied and
   * frozen. Any data / primitives sent in the API become immutable." Here both sides live in one world: that they are
   * apart is Electron's to do, and not shown by this double.
   */
  function across(value: unknown): unknown {
    if (typeof value === "function") {
      const original = value as (...args: unknown[]) => unknown;
      return (...args: unknown[]): unknown => across(original(...args.map(across)));
    }
    if (value instanceof Promise) return value.then(across);
    // The table of types there: "Blob" and "Cloneable Types" are supported.
    if (typeof value !== "object" || value === null || value instanceof Blob) return value;
    return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, each]) => [key, across(each)])));
  }

  const contextBridge = only("contextBridge", {
    exposeInMainWorld(key: string, api: unknown) {
      if (key in window)
        throw new Error("Cannot bind an API on top of an existing property on the window object");
      Object.defineProperty(window, key, { value: across(api), enumerable: true });
    },
  });

  // api/web-utils.md: "an exception is thrown" for what is no File; "an empty string" for one "constructed in JS".
  const webUtils = only("webUtils", {
    getPathForFile(file: unknown): string {
      if (!(file instanceof File)) throw new TypeError("getPathForFile expected to receive a File object");
      return facts.paths[file.name] ?? "";
    },
  });

  // tutorial/sandbox.md, "Preload scripts": a sandboxed one has `require` for a few modules, and part of `process`.
  preload(
    (name) => {
      if (name !== "electron") throw new Error(`module not found: ${name}`);
      return only("electron", { contextBridge, ipcRenderer, webUtils });
    },
    only("process", { platform: facts.platform, argv: [...facts.argv] }),
  );

  // api/window-open.md: "window.open() ... calls webContents.setWindowOpenHandler", and "null" where it is denied.
  const askForWindow = (url: string, frameName: string, features: string, disposition: string): void =>
    void call({ type: "window-open", url, frameName, features, disposition });
  window.open = (url = "", target = "_blank", features = "") => {
    const resolved = url === "" ? "about:blank" : new URL(url, location.href).href;
    askForWindow(resolved, target, features, "foreground-tab");
    return null;
  };
  // The page's own listeners come first, as they would.
  const onClick = (event: MouseEvent): void => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
    const wantsWindow = event.ctrlKey || event.metaKey || event.shiftKey || event.button === 1;
    if (link === null || event.defaultPrevented || !(wantsWindow || link.target === "_blank")) return;
    event.preventDefault();
    askForWindow(link.href, "", "", event.shiftKey ? "new-window" : "foreground-tab");
  };
  window.addEventListener("click", onClick);
  window.addEventListener("auxclick", onClick);

  // api/session.md: "Most web APIs do a permission check and then make a permission request if the check is denied."
  const denied = (): Error => new DOMException("Permission denied", "NotAllowedError");
  const isGranted = async (permission: string): Promise<boolean> =>
    (await call({ type: "permission", permission })) === true;
  const guarded =
    <Args extends unknown[], T>(permission: string, original: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      if (await isGranted(permission)) return await original(...args);
      throw denied();
    };
  if (!window.isSecureContext) return;
  const { clipboard, mediaDevices, geolocation, permissions } = navigator;
  clipboard.writeText = guarded("clipboard-sanitized-write", clipboard.writeText.bind(clipboard));
  clipboard.readText = guarded("clipboard-read", clipboard.readText.bind(clipboard));
  mediaDevices.getUserMedia = guarded("media", mediaDevices.getUserMedia.bind(mediaDevices));
  Notification.requestPermission = async () => ((await isGranted("notifications")) ? "granted" : "denied");
  const locate = geolocation.getCurrentPosition.bind(geolocation);
  geolocation.getCurrentPosition = (onPosition, onError, options) => {
    void isGranted("geolocation").then((granted) => {
      if (granted) locate(onPosition, onError, options);
      else onError?.({ code: 1, message: "denied" } as GeolocationPositionError);
    });
  };
  permissions.query = ({ name }) => {
    throw new Error(`electron double: navigator.permissions.query (${name}) is not implemented`);
  };
}
