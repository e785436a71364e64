import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type BrowserContext } from "playwright";

const CHROMIUM = {
  // Debian's, without the windows of a browser; elsewhere Playwright's own, where it was installed.
  ...(process.platform === "linux" ? { executablePath: "/usr/lib/chromium/chromium-headless-shell" } : {}),
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-quic",
    "--no-first-run",
    // The apps drive the same pages by the DevTools protocol.
    "--remote-debugging-port=0",
  ],
};

/** A browser that apps and tests drive. */
export interface SharedBrowser {
  /** Its DevTools protocol is at this port. */
  readonly debuggingPort: number;
  /** Its pages are those of all apps. */
  readonly context: BrowserContext;
}

/** The browser of this process, from its first use to the exit. */
let shared: Promise<SharedBrowser> | undefined;

/** The browser behind the windows of all apps. Each app has its own context in it. */
export function sharedBrowser(): Promise<SharedBrowser> {
  return (shared ??= launch());
}

async function launch(): Promise<SharedBrowser> {
  const profile = mkdtempSync(join(tmpdir(), "obspan-electron-double-"));
  process.once("exit", () => rmSync(profile, { recursive: true, force: true, maxRetries: 5 }));
  const context = await chromium.launchPersistentContext(profile, { ...CHROMIUM, viewport: null });
  const [port = ""] = readFileSync(join(profile, "DevToolsActivePort"), "utf8").split("\n");
  return { debuggingPort: Number(port), context };
}
