import { session } from "electron";
import type { GuardOptions } from "./navigation-guard.js";
import { isOwn } from "./navigation-guard.js";

/** The only permission that pages get: writing to the clipboard, for copy buttons. */
const ALLOWED = "clipboard-sanitized-write";

/**
 * Denies every permission except {@link ALLOWED}, which only the collector's pages get. Electron handles requests and
 * checks separately: a page that may not request a permission could still pass a check.
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
  // Otherwise devices that were chosen once could be used without asking.
  defaultSession.setDevicePermissionHandler(() => false);
}
