import { chromium, type BrowserContext, type Page } from "playwright";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { report } from "./test-channel.js";

const CHROMIUM = {
  // Debian's, without the windows of a browser; elsewhere Playwright's own, where it was installed.
  ...(process.platform === "linux" ? { executablePath: "/usr/lib/chromium/chromium-headless-shell" } : {}),
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-quic",
    "--no-first-run",
    // The test drives the same pages by the DevTools protocol.
    "--remote-debugging-port=0",
  ],
};

let opening: Promise<BrowserContext> | undefined;
let profile: string | undefined;

/** A page of the one browser behind all windows. */
export async function openPage(): Promise<Page> {
  opening ??= openBrowser();
  return await (await opening).newPage();
}

/** Grants the permissions in the browser too, which does not know Electron's handlers. */
export async function grant(permissions: string[], origin: string): Promise<void> {
  await (await opening)?.grantPermissions(permissions, { origin });
}

export async function closeBrowser(): Promise<void> {
  const context = await opening?.catch(() => undefined);
  await context?.close();
  if (profile !== undefined) rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}

async function openBrowser(): Promise<BrowserContext> {
  profile = mkdtempSync(join(tmpdir(), "obspan-electron-double-"));
  const context = await chromium.launchPersistentContext(profile, { ...CHROMIUM, viewport: null });
  const [port = ""] = readFileSync(join(profile, "DevToolsActivePort"), "utf8").split("\n");
  report({ type: "window", debuggingPort: Number(port) });
  return context;
}
