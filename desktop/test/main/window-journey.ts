import type { Page } from "playwright";
import { expect } from "vitest";
import type { DesktopBridge } from "../../src/shared/bridge.js";

declare global {
  interface Window {
    readonly obspan?: DesktopBridge;
  }
}

/** Checks for every window, of the double and of real Electron. */

export async function expectBridge(page: Page, facts: { platform: string; version: string }): Promise<void> {
  const found = await page.evaluate(() => ({
    bridge: Object.keys(window.obspan ?? {}).sort(),
    platform: window.obspan?.platform,
    version: window.obspan?.version,
    others: ["require", "module", "exports", "process", "global", "Buffer", "electron", "ipcRenderer"].filter(
      (name) => name in window,
    ),
    isFrozen: Object.isFrozen(window.obspan),
  }));
  expect(found).toEqual({
    bridge: [
      "judgeKey",
      "onMenu",
      "openExternal",
      "platform",
      "rememberFile",
      "restart",
      "retention",
      "version",
    ],
    ...facts,
    others: [],
    isFrozen: true,
  });
}

/** @param foreign - an address of another origin, which no request may reach. */
export async function expectOwnPagesOnly(page: Page, own: string, foreign: string): Promise<void> {
  const open = await page.evaluate((url) => window.open(url) === null, foreign);
  expect(open).toBe(true);
  expect(await page.evaluate((url) => window.open(url) === null, `${own}/metrics`)).toBe(true);

  await page.evaluate((url) => location.assign(url), foreign);
  await page.evaluate((url) => {
    const link = document.createElement("a");
    link.href = url;
    document.body.append(link);
    link.click();
    link.remove();
  }, foreign);
  // Long enough for a navigation to another port of this machine to commit.
  await page.waitForTimeout(500);
  expect(new URL(page.url()).origin).toBe(own);
  expect(await page.title()).toBe("Obspan");
}

export async function expectNoPermissions(page: Page): Promise<void> {
  const outcomes = await page.evaluate(async () => {
    const outcome = (asked: Promise<unknown>): Promise<string> =>
      asked.then(
        (value) => (value === "denied" ? "denied" : "granted"),
        () => "denied",
      );
    return {
      notifications: await outcome(Notification.requestPermission()),
      geolocation: await outcome(
        new Promise((resolve, reject) => navigator.geolocation.getCurrentPosition(resolve, reject)),
      ),
      camera: await outcome(navigator.mediaDevices.getUserMedia({ video: true })),
      clipboardRead: await outcome(navigator.clipboard.readText()),
      clipboardWrite: await outcome(navigator.clipboard.writeText("an endpoint")),
    };
  });
  expect(outcomes).toEqual({
    notifications: "denied",
    geolocation: "denied",
    camera: "denied",
    clipboardRead: "denied",
    clipboardWrite: "granted",
  });
}
