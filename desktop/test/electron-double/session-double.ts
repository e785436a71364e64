import type { Session, WebContents } from "electron";

type SessionMethods = Pick<
  Session,
  "setDevicePermissionHandler" | "setPermissionCheckHandler" | "setPermissionRequestHandler"
>;
type RequestHandler = NonNullable<Parameters<Session["setPermissionRequestHandler"]>[0]>;
type CheckHandler = NonNullable<Parameters<Session["setPermissionCheckHandler"]>[0]>;
type DeviceHandler = NonNullable<Parameters<Session["setDevicePermissionHandler"]>[0]>;
type Permission = Parameters<RequestHandler>[1];

/** `session.defaultSession` (api/session.md). */
export class SessionDouble implements SessionMethods {
  #onRequest: RequestHandler | undefined;
  #onCheck: CheckHandler | undefined;
  #onDevice: DeviceHandler | undefined;

  setPermissionRequestHandler(handler: RequestHandler | null): void {
    this.#onRequest = handler ?? undefined;
  }

  setPermissionCheckHandler(handler: CheckHandler | null): void {
    this.#onCheck = handler ?? undefined;
  }

  setDevicePermissionHandler(handler: DeviceHandler | null): void {
    this.#onDevice = handler ?? undefined;
  }

  /** "Return true to allow access to the device". Headless Chromium has none: a test offers one. */
  isDeviceAllowed(details: Parameters<DeviceHandler>[0]): boolean {
    return this.#onDevice?.(details) ?? false;
  }

  /**
   * "Most web APIs do a permission check and then make a permission request if the check is denied." Without handlers
   * all is granted (tutorial/security.md, 5: "By default, Electron will automatically approve all permission requests").
   */
  async isGranted(
    contents: WebContents,
    permission: string,
    url: string,
    isMainFrame: boolean,
  ): Promise<boolean> {
    const name = permission as Permission;
    const onCheck = this.#onCheck;
    const onRequest = this.#onRequest;
    const details = { isMainFrame, requestingUrl: url };
    const isChecked = onCheck?.(contents, name, new URL(url).origin, details) ?? true;
    if (isChecked) return true;
    if (onRequest === undefined) return true;
    return await new Promise<boolean>((resolve) => onRequest(contents, name, resolve, details));
  }
}
