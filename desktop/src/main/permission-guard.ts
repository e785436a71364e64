import { session } from "electron";
import type { GuardOptions } from "./navigation-guard.js";
import { isOwn } from "./navigation-guard.js";

/** The one thing that pages may do beyond a page's own abilities: put text on the clipboard, for their copy buttons. */
const ALLOWED = "clipboard-sanitized-write";

/**
 * Denies every permission but {@link ALLOWED}, and that one to all but the collector's own pages. Asking and checking
 * are separate in Electron: a page that may not ask could still find a permission granted.
 */
export function guardPermissions({ origin, log }: GuardOptions): void {
  const { defaultSession } = session;
  defaultSession.setPermissionRequestHandler((_contents, permission, answer, { requestingUrl }) => {
    const isAllowed = permission === ALLOWED && isOwn(requestingUrl, origin);
    if (!isAllowed) log.warning("Denied a permission.", { permission, to: requestingUrl });
    answer(isAllowed);
  });
  defaultSession.setPermissionCheckHandler(
    (_contents, permission, requestingOrigin) => permission === ALLOWED && isOwn(requestingOrigin, origin),
  );
  // Without this, devices that were once chosen could be taken without asking.
  defaultSession.setDevicePermissionHandler(() => false);
}
