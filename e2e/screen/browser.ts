import { existsSync } from "node:fs";
import { onTestFinished } from "vitest";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright";

/** Debian's Chromium; where it is not there, the browser that Playwright installed. */
const SYSTEM_CHROMIUM = "/usr/bin/chromium";

/** Nothing that the tests open may reach out, or wait for doing so. */
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The one browser of this process, from its first use to the end of the process. */
let shared: Promise<Browser> | undefined;

/**
 * The browser, for all files of tests that run in this process. Each test has a context of its own in it
 * ({@link openPage}): nothing but the start is shared. Nobody closes it: Playwright ends it with the process.
 */
export function sharedBrowser(): Promise<Browser> {
  return (shared ??= launchBrowser());
}

async function launchBrowser(): Promise<Browser> {
  const executable = existsSync(SYSTEM_CHROMIUM) ? { executablePath: SYSTEM_CHROMIUM } : {};
  return await chromium.launch({ ...executable, args: ARGUMENTS });
}

/** A page, with what went wrong in it. */
export interface WatchedPage {
  readonly page: Page;
  /** Uncaught errors, and what the console called an error: violations of the page's policy among them. */
  readonly complaints: string[];
}

/** Opens a page for one test, which closes it. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await page.goto(url);
  return { page, complaints };
}
