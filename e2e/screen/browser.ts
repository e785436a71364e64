import { existsSync } from "node:fs";
import { onTestFinished } from "vitest";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright";

/**
 * Debian's Chromium without the windows of a browser, as Playwright installs it elsewhere: a new page takes a quarter less
 * processor time than in the whole browser.
 */
const HEADLESS_SHELL = "/usr/lib/chromium/chromium-headless-shell";

/** No page of a test may use the network, or wait for it. */
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The browser of this process, from its first use to the exit. */
let shared: Promise<Browser> | undefined;

/**
 * The browser of all test files in this process. Each test has its own context ({@link openPage}). Playwright closes the
 * browser with the process.
 */
export function sharedBrowser(): Promise<Browser> {
  return (shared ??= launchBrowser());
}

async function launchBrowser(): Promise<Browser> {
  const executable = existsSync(HEADLESS_SHELL) ? { executablePath: HEADLESS_SHELL } : {};
  return await chromium.launch({ ...executable, args: ARGUMENTS });
}

/** A page with its errors. */
export interface WatchedPage {
  readonly page: Page;
  /** Uncaught errors and console errors, including violations of the content security policy. */
  readonly complaints: string[];
}

/** Opens a page for one test, closed at its end. */
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
