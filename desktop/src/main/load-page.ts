import type { BrowserWindow } from "electron";
import type { Logger } from "@obspan/collector-core";

let loads = 0;

/** Loads a page. One that a later page replaces before it is loaded has not failed. */
export function loadPage(window: BrowserWindow, url: string, log: Pick<Logger, "error">): void {
  const load = ++loads;
  window.loadURL(url).catch((error: unknown) => {
    if (load === loads) log.error(`The page did not load: ${String(error)}`);
  });
}
