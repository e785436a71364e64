import { BrowserWindow, shell, type MessageBoxOptions } from "electron";
import { askUser } from "./ask-user.js";

/** Longer URLs are not links that a person follows. */
const MAX_URL_LENGTH = 2048;

/** State of the module, because one question at a time holds for the whole app. */
let isAsking = false;

/**
 * Asks the user, then opens a URL in the browser. One question at a time: a page that opens a hundred windows causes
 * one.
 *
 * @returns whether it was opened: false if the URL is not `https:`, or if the user declined.
 */
export async function askAndOpenExternal(url: string): Promise<boolean> {
  if (!isExternal(url) || isAsking) return false;
  isAsking = true;
  try {
    const { href, host } = new URL(url);
    const question: MessageBoxOptions = {
      type: "question",
      message: `Open ${host} in your browser?`,
      detail: href,
      buttons: ["Open", "Cancel"],
      defaultId: 1,
      cancelId: 1,
    };
    const window = BrowserWindow.getFocusedWindow() ?? BrowserWindow.getAllWindows()[0];
    if ((await askUser(question, window)) !== 0) return false;
    // Opens the parsed URL, which is the one that the user saw.
    await shell.openExternal(href);
    return true;
  } finally {
    isAsking = false;
  }
}

/** True for an `https:` URL without credentials. */
export function isExternal(url: string): boolean {
  if (url.length > MAX_URL_LENGTH || !URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return protocol === "https:" && username === "" && password === "";
}
