/** The same journey in real Electron, if its binary is installed. `npm run desktop` downloads it. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { _electron } from "playwright";
import { expect, onTestFinished, test } from "vitest";
import { packApp } from "./packed-app.js";
import { expectBridge, expectOwnPagesOnly } from "./window-journey.js";

const binary = electronBinary();

/** Path of Electron's executable, without its module, which would download a missing binary. */
function electronBinary(): string | undefined {
  try {
    const directory = dirname(createRequire(import.meta.url).resolve("electron/package.json"));
    const pathFile = join(directory, "path.txt");
    const name = existsSync(pathFile) ? readFileSync(pathFile, "utf8") : "electron";
    const path = join(process.env["ELECTRON_OVERRIDE_DIST_PATH"] ?? join(directory, "dist"), name);
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

test("the real Electron shows the collector's pages, with the bridge, and keeps to them", async (context) => {
  if (binary === undefined) return context.skip("Electron's binary is not installed");
  const app = packApp();
  const home = mkdtempSync(join(tmpdir(), "obspan-home-"));
  const electron = await _electron.launch({
    executablePath: binary,
    args: [app.directory, ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
    env: {
      ...(process.env as Record<string, string>),
      XDG_CONFIG_HOME: home,
      HOME: home,
      OBS_SERVER_PORT: "0",
      // Electron's user data does not follow HOME on every platform.
      OBS_SERVER_TRACE_STORE_PATH: join(home, "traces"),
    },
  });
  onTestFinished(async () => {
    await electron.close();
    app.remove();
    rmSync(home, { recursive: true, force: true });
  });

  const page = await electron.firstWindow();
  await page.waitForLoadState();
  expect(await page.title()).toBe("Obspan");
  await expectBridge(page, { platform: process.platform, version: "0.1.0" });
  // Nothing listens there; the page must not even try.
  await expectOwnPagesOnly(page, new URL(page.url()).origin, "http://127.0.0.1:9/");
});
