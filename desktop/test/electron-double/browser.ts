import { chromium, type Browser, type BrowserContext, type Page } from "playwright";
import { onCommand, report } from "./test-channel.js";

/** The browser of the test, which several apps use one after the other: a start of it takes longer than most of a test. */
let connecting: Promise<Browser> | undefined;
let opening: Promise<BrowserContext> | undefined;

/** A page of this app's own context, which is behind all its windows. */
export async function openPage(): Promise<Page> {
  opening ??= openContext();
  return await (await opening).newPage();
}

/** Grants the permissions in the browser too, which does not know Electron's handlers. */
export async function grant(permissions: string[], origin: string): Promise<void> {
  await (await opening)?.grantPermissions(permissions, { origin });
}

/** Closes the pages and their context; the browser goes on. */
export async function closeBrowser(): Promise<void> {
  await (await connecting?.catch(() => undefined))?.close();
}

async function openContext(): Promise<BrowserContext> {
  connecting = connect();
  const context = await (await connecting).newContext({ viewport: null });
  report({ type: "window" });
  return context;
}

async function connect(): Promise<Browser> {
  const port = new Promise<number>((resolve) => {
    onCommand("browser", ({ debuggingPort }) => resolve(debuggingPort));
  });
  report({ type: "browser-wanted" });
  return await chromium.connectOverCDP(`http://127.0.0.1:${await port}`);
}
