import type { WebContents } from "electron";
import { errorMessage, type Logger } from "@obspan/collector-core";
import { askAndOpenExternal } from "./external-links.js";

/** Characters of a URL that a line of the log has: a page can make megabytes. */
const MAX_LOGGED = 2048;

/** The only allowed origin, and the log for denials. */
export interface GuardOptions {
  readonly origin: string;
  readonly log: Logger;
}

/**
 * Restricts a page to the collector's origin: no foreign navigation or redirect in any frame, no windows, no webviews.
 * A link that opens a new window is offered to the user, and opens in the browser.
 */
export function guardContents(contents: WebContents, { origin, log }: GuardOptions): void {
  const denyForeign = (details: { preventDefault: () => void; url: string }): void => {
    if (isOwn(details.url, origin)) return;
    details.preventDefault();
    log.warning("Denied a navigation.", { to: details.url.slice(0, MAX_LOGGED) });
  };
  contents.on("will-navigate", denyForeign);
  contents.on("will-frame-navigate", denyForeign);
  contents.on("will-redirect", denyForeign);

  contents.setWindowOpenHandler(({ url }) => {
    const to = url.slice(0, MAX_LOGGED);
    log.info("Denied a new window.", { to });
    askAndOpenExternal(url).catch((error: unknown) =>
      log.warning(`Not opened: ${errorMessage(error)}`, { to }),
    );
    return { action: "deny" };
  });

  contents.on("will-attach-webview", (event) => {
    event.preventDefault();
    log.warning("Denied a webview.");
  });
}

/** Whether a URL has the collector's origin. */
export function isOwn(url: string, origin: string): boolean {
  return URL.canParse(url) && new URL(url).origin === origin;
}
