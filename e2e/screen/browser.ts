import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  type Page,
} from "playwright";

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

const VIEWPORT = { width: 1440, height: 900 };

/** The browser of this process, from its first use to the exit. */
let shared: Promise<Browser> | undefined;

/**
 * The browser of all test files in this process. Each test has its own page ({@link openPage}). Playwright closes the
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

type PageOptions = Pick<BrowserContextOptions, "colorScheme" | "reducedMotion" | "permissions">;

/** A page in its own context, which tests use one after the other. */
interface KeptPage {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly protocol: CDPSession;
  /** What it has shown since it was last cleared. */
  readonly origins: Set<string>;
  complaints: string[];
}

/** The pages that no test uses now. A page that is used again takes half of the processor time of a new one. */
const kept: KeptPage[] = [];

/**
 * Opens a page for one test, with empty storage, no cookies and no history. By default nothing on it moves: that takes a sixth
 * less processor time.
 */
export async function openPage(
  browser: Browser,
  url: string,
  { colorScheme = "light", reducedMotion = "reduce", permissions = [] }: PageOptions = {},
): Promise<WatchedPage> {
  const opened = kept.pop() ?? (await newPage(browser));
  onTestFinished(async ({ task }) => {
    // A test that failed may leave anything.
    if (task.result?.state === "fail") await opened.context.close();
    else {
      await clear(opened);
      kept.push(opened);
    }
  });
  const { context, page } = opened;
  const complaints = (opened.complaints = []);
  await context.grantPermissions([...permissions]);
  await page.setViewportSize(VIEWPORT);
  await page.emulateMedia({ colorScheme, reducedMotion, forcedColors: "none" });
  await page.goto(url);
  return { page, complaints };
}

async function newPage(browser: Browser): Promise<KeptPage> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const page = await context.newPage();
  const protocol = await context.newCDPSession(page);
  const opened: KeptPage = { context, page, protocol, origins: new Set(), complaints: [] };
  page.on("pageerror", (error) => opened.complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") opened.complaints.push(message.text());
  });
  page.on("framenavigated", (frame) => opened.origins.add(new URL(frame.url()).origin));
  return opened;
}

/** Leaves the page as a new one is. */
async function clear({ context, page, protocol, origins }: KeptPage): Promise<void> {
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  // The mouse of a new page is nowhere.
  await page.mouse.move(-1, -1);
  await page.goto(await blankUrl());
  for (const origin of origins)
    if (origin !== "null") await protocol.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
  origins.clear();
  await context.clearCookies();
  await context.clearPermissions();
  await protocol.send("Page.resetNavigationHistory");
}

/** An empty page of the site of the collectors, so that the browser keeps the process. It does not with about:blank. */
let blank: Promise<string> | undefined;

function blankUrl(): Promise<string> {
  return (blank ??= new Promise((resolve) => {
    const server = createServer((_, response) => {
      response.writeHead(200, { "Content-Type": "text/html" }).end();
    });
    server.listen(0, "127.0.0.1", () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
    server.unref();
  }));
}
