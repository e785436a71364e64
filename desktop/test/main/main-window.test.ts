import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { startApp, type StartedApp } from "./launch-app.js";
import { expectBridge, expectNoPermissions, expectOwnPagesOnly } from "./window-journey.js";

const NOT_OPENED = [
  "http://example.com/",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "https://user:pw@example.com/",
  "no url",
];

/** A web site that counts its requests. */
async function foreignSite(): Promise<{ url: string; visits: () => number }> {
  let visits = 0;
  const server = createServer((_request, response) => {
    visits += 1;
    response.end("<title>foreign</title>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, visits: () => visits };
}

/** What a text of a span could try if it became markup. Each should be false. */
async function attemptsAgainstPolicy(page: Page, foreign: string): Promise<Record<string, boolean>> {
  return await page.evaluate(async (url) => {
    const add = (html: string): void => document.body.insertAdjacentHTML("beforeend", html);
    const ran = (name: string): boolean => name in window;
    const script = document.createElement("script");
    script.textContent = "window.inlineScript = true";
    document.body.append(script);
    add(`<img src="data:,x" onerror="window.eventHandler = true">`);
    add(`<iframe src="${url}"></iframe><img src="${url}"><base href="${url}"><script src="${url}"></script>`);
    Reflect.apply(setTimeout, window, ["window.evaluated = true"]);
    const isFetched = await fetch(url, { mode: "no-cors" }).then(
      () => true,
      () => false,
    );
    // Timers and the handlers of pictures run in order: the ones above have had their turn.
    await new Promise((resolve) => setTimeout(resolve));
    await new Promise((resolve) => {
      const image = new Image();
      image.addEventListener("error", resolve);
      image.src = "data:,x";
    });
    return {
      inlineScript: ran("inlineScript"),
      eventHandler: ran("eventHandler"),
      evaluated: ran("evaluated"),
      fetched: isFetched,
      foreignBase: !document.baseURI.startsWith(location.origin),
    };
  }, foreign);
}

/** One app for all tests. */
let shared: StartedApp;
beforeAll(() => {
  shared = startApp();
});
afterAll(() => shared.stop());

describe("the window", () => {
  test("shows the pages of the collector that runs in the app", async () => {
    const page = await shared.page();
    expect(await page.title()).toBe("Obspan");
    const health = await fetch(`${await shared.url()}/health`);
    expect(await health.json()).toMatchObject({ status: "ok", version: "0.1.0" });
    expect(await shared.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await vi.waitFor(() => expect(shared.reports("window-call").map(({ call }) => call)).toContain("show"), {
      timeout: 30_000,
    });
  });

  test("gives the page the bridge and nothing else of Electron or Node", async () => {
    await expectBridge(await shared.page(), { platform: process.platform, version: "0.1.0" });
  });

  test("stays on the collector's origin: navigation elsewhere and new windows are denied", async () => {
    const site = await foreignSite();
    const page = await shared.page();
    await expectOwnPagesOnly(page, await shared.url(), site.url);
    expect(site.visits()).toBe(0);
    await vi.waitFor(
      () => expect(shared.log().filter(({ message }) => message === "Denied a new window.")).toHaveLength(2),
      { timeout: 30_000 },
    );
    expect(shared.log().some(({ message }) => message === "Denied a navigation.")).toBe(true);
    expect(shared.reports("opened-external")).toEqual([]);
  });

  test("lets the page go to other addresses of the collector, and back by the menu", async () => {
    const page = await shared.page();
    const url = await shared.url();
    await page.evaluate(() => location.assign("/metrics"));
    await page.waitForURL(`${url}/metrics`);
    shared.command({ type: "menu", id: "back" });
    await page.waitForURL((address) => !address.href.endsWith("/metrics"));
  });

  test("denies every permission except writing to the clipboard", async () => {
    await expectNoPermissions(await shared.page());
  });

  test("denies devices, also to the collector's own pages", async () => {
    await shared.page();
    expect(await shared.ask({ type: "offer-device", origin: await shared.url() })).toEqual([]);
  });

  test("runs no script and loads nothing that is not the collector's", async () => {
    const site = await foreignSite();
    expect(await attemptsAgainstPolicy(await shared.page(), site.url)).toEqual({
      inlineScript: false,
      eventHandler: false,
      evaluated: false,
      fetched: false,
      foreignBase: false,
    });
    expect(site.visits()).toBe(0);
  });

  test("denies webviews", async () => {
    await shared.page();
    expect(await shared.ask({ type: "attach-webview" })).toBe(false);
  });
});

describe("the bridge", () => {
  test("refuses to open anything but a plain https URL", async () => {
    const page = await shared.page();
    for (const url of NOT_OPENED) {
      const refused = page.evaluate((address) => window.obspan?.openExternal(address), url);
      await expect(refused, url).rejects.toThrow("Only https addresses can be opened.");
    }
    expect(shared.reports("dialog")).toEqual([]);
  });

  test("is answered only for the collector's own page, and only with arguments as described", async () => {
    await shared.page();
    const url = await shared.url();
    const call = { type: "invoke-as", url, isMainFrame: true, channel: "obspan:open-external" } as const;
    const https = ["https://example.com/"];
    await expect(shared.ask({ ...call, url: "http://127.0.0.1:1/", args: https })).rejects.toThrow("Denied.");
    await expect(shared.ask({ ...call, isMainFrame: false, args: https })).rejects.toThrow("Denied.");
    for (const args of [
      [],
      [1],
      ["https://example.com/", "more"],
      ["https://example.com/".padEnd(3000, "x")],
    ]) {
      await expect(shared.ask({ ...call, args })).rejects.toThrow("Denied.");
    }
    const others: [string, unknown[]][] = [
      ["obspan:judge-key-state", []],
      ["obspan:save-judge-key", ["key"]],
      ["obspan:remove-judge-key", []],
      ["obspan:is-retention-settled", []],
      ["obspan:settle-retention", []],
      ["obspan:remember-file", ["/tmp/run.jsonl"]],
      ["obspan:restart", []],
    ];
    for (const [channel, args] of others) {
      const other = { ...call, channel };
      await expect(shared.ask({ ...other, url: "data:text/html,", args })).rejects.toThrow("Denied.");
      await expect(shared.ask({ ...other, isMainFrame: false, args })).rejects.toThrow("Denied.");
      await expect(shared.ask({ ...other, args: [...args, "more"] })).rejects.toThrow("Denied.");
    }
    for (const args of [[""], ["a b"], ["x".repeat(5000)], [{}]])
      await expect(shared.ask({ ...call, channel: "obspan:save-judge-key", args })).rejects.toThrow(
        "Denied.",
      );
    expect(shared.reports("dialog")).toEqual([]);
    expect(shared.reports("relaunch")).toEqual([]);
  });

  test("passes menu commands to the page", async () => {
    const page = await shared.page();
    await page.evaluate(() => {
      const heard: string[] = [];
      Object.assign(window, { heard });
      window.obspan?.onMenu((command) => heard.push(command));
    });
    for (const id of ["palette", "shortcuts", "rail"]) shared.command({ type: "menu", id });
    const heard = (): Promise<unknown> =>
      page.evaluate(() => (window as unknown as { heard: unknown }).heard);
    await vi.waitFor(async () => expect(await heard()).toEqual(["palette", "shortcuts", "rail"]), {
      timeout: 30_000,
    });
  });

  test("asks before it opens a web page in the browser, once at a time", async () => {
    // The last, because others expect no dialog.
    const page = await shared.page();
    const opened = page.evaluate(() => window.obspan?.openExternal("https://example.com/a?b=c"));
    const dialog = await shared.dialog();
    expect(dialog.options).toMatchObject({
      message: "Open example.com in your browser?",
      buttons: ["Open", "Cancel"],
    });
    expect(await page.evaluate(() => window.obspan?.openExternal("https://example.org/"))).toBe(false);
    shared.command({ type: "answer-dialog", id: dialog.id, response: 0 });
    expect(await opened).toBe(true);
    expect(shared.reports("opened-external").map(({ url }) => url)).toEqual(["https://example.com/a?b=c"]);

    const declined = page.evaluate(() => window.obspan?.openExternal("https://example.com/"));
    shared.command({ type: "answer-dialog", id: (await shared.dialog(2)).id, response: 1 });
    expect(await declined).toBe(false);
    expect(shared.reports("opened-external")).toHaveLength(1);
  });
});
