import type { WebContents } from "electron";
import type { Logger } from "@obspan/collector-core";
import { askAndOpenExternal } from "./external-links.js";

/** The only origin that a window may show, and where to say what was denied. */
export interface GuardOptions {
  readonly origin: string;
  readonly log: Logger;
}

/**
 * Keeps a page to the collector's own origin: no navigation or redirect elsewhere in any of its frames, no window, no
 * webview. A link to a web page that asks for a new window is put to the user, and opens in the browser.
 */
export function guardContents(contents: WebContents, { origin, log }: GuardOptions): void {
  const denyForeign = (details: { preventDefault: () => void; url: string }): void => {
    if (isOwn(details.url, origin)) return;
    details.preventDefault();
    log.warning("Denied a navigation.", { to: details.url });
  };
  contents.on("will-navigate", denyForeign);
  contents.on("will-frame-navigate", denyForeign);
  contents.on("will-redirect", denyForeign);

  contents.setWindowOpenHandler(({ url }) => {
    log.info("Denied a new window.", { to: url });
    void askAndOpenExternal(url);
    return { action: "deny" };
  });

  contents.on("will-attach-webview", (event) => {
    event.preventDefault();
    log.warning("Denied a webview.");
  });
}

/** Whether an address is the collector's own. */
export function isOwn(url: string, origin: string): boolean {
  return URL.canParse(url) && new URL(url).origin === origin;
}
