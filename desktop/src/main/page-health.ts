import type { BrowserWindow } from "electron";
import type { Logger } from "@obspan/collector-core";
import { askUser } from "./ask-user.js";
import { crashPageUrl } from "./crash-page.js";
import { readLogTail } from "./log-tail.js";
import { loadPage } from "./load-page.js";

/** Options of {@link watchPage}. */
export interface PageHealthOptions {
  readonly pageUrl: string;
  readonly logFile: string | undefined;
  readonly log: Logger;
  readonly isQuitting: () => boolean;
  /** Quits as usual, and starts the app again. */
  readonly restart: () => void;
}

/** The path of the link that restarts the app. No page has it, and no request for it is sent. */
const RESTART_PATH = "/restart-obspan";

/**
 * Replaces a page whose process has ended by one with the end of the log, and offers to reload a page that hangs. The
 * collector runs in another process and goes on.
 */
export function watchPage(window: BrowserWindow, options: PageHealthOptions): void {
  const { pageUrl, logFile, log, isQuitting } = options;
  const { webContents } = window;
  const restartUrl = new URL(RESTART_PATH, pageUrl).href;
  let crashPage: string | undefined;
  let isReloading = false;
  let isAsking = false;

  webContents.on("render-process-gone", (_event, { reason, exitCode }) => {
    // Only the process that was ended here: a page that could not be loaded again ends like any other.
    const isExpected = isReloading;
    isReloading = false;
    if (reason === "clean-exit" || isQuitting() || isExpected) return;
    log.error(`The page's process ended: ${reason}`, { exit_code: exitCode });
    const url = webContents.getURL();
    const reloadUrl = url.startsWith(new URL(pageUrl).origin) ? url : pageUrl;
    crashPage = crashPageUrl({ reason, reloadUrl, restartUrl, logFile, logTail: readLogTail(logFile) });
    loadPage(window, crashPage, log);
  });

  // Only the page above may restart the app: on any other, the link leads nowhere.
  webContents.on("will-navigate", (event) => {
    if (event.url !== restartUrl) return;
    event.preventDefault();
    if (crashPage !== undefined && webContents.getURL() === crashPage) options.restart();
  });

  async function ask(): Promise<void> {
    isAsking = true;
    const answer = await askUser(
      {
        type: "warning",
        message: "The page does not respond",
        detail: "The collector keeps running. A page that shows a very large trace may need a moment.",
        buttons: ["Wait", "Reload"],
        defaultId: 0,
        cancelId: 0,
      },
      window,
    );
    isAsking = false;
    if (answer !== 1) return;
    isReloading = true;
    webContents.forcefullyCrashRenderer();
    webContents.reload();
  }
  window.on("unresponsive", () => {
    log.warning("The page does not respond.");
    if (!isAsking && !isQuitting()) void ask();
  });
}
