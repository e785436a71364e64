import { expect, test, vi } from "vitest";
import type { ShownTray } from "../electron-double/tray-double.js";
import { launchApp, newConfigHome, type LaunchedApp } from "./launch-app.js";

async function post(url: string, status: string, traceId: string, costUsd = 0): Promise<Response> {
  return await fetch(`${url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      service: "shop",
      spans: [
        { name: "answer", trace_id: traceId, status, duration_ms: 5, attributes: { cost_usd: costUsd } },
      ],
    }),
  });
}

async function tray(app: LaunchedApp): Promise<ShownTray> {
  return (await app.ask({ type: "tray" })) as ShownTray;
}

const calls = (app: LaunchedApp) => app.reports("window-call").map(({ call }) => call);

test("closing the window keeps collecting in the tray, says so once, and quit ends it", async () => {
  const configHome = newConfigHome();
  const app = launchApp({ configHome });
  const page = await app.page();
  const url = await app.url();
  await vi.waitFor(() => expect(calls(app)).toContain("show"), { timeout: 30_000 });
  app.command({ type: "close-window" });
  const told = await app.dialog();
  expect(told.options).toMatchObject({
    message: "Obspan keeps collecting",
    buttons: ["Keep Collecting", "Quit"],
  });
  expect(told.hasParent).toBe(true);
  app.command({ type: "answer-dialog", id: told.id, response: 0 });
  await vi.waitFor(() => expect(calls(app)).toContain("hide"), { timeout: 30_000 });
  expect((await post(url, "OK", "good")).status).toBe(202);

  app.command({ type: "tray-menu", id: "open" });
  await vi.waitFor(() => expect(calls(app).at(-1)).toBe("focus"), { timeout: 30_000 });
  app.command({ type: "close-window" });
  await vi.waitFor(() => expect(calls(app).at(-1)).toBe("hide"), { timeout: 30_000 });
  expect(app.reports("dialog")).toHaveLength(1);

  // A run that fails while nobody looks: in the tray, on the badge and, if asked for, as a notification.
  app.command({ type: "menu", id: "notify-failed" });
  expect((await post(url, "ERROR", "bad")).status).toBe(202);
  await vi.waitFor(() => expect(app.reports("notification")).toHaveLength(1), { timeout: 30_000 });
  expect(app.reports("notification")[0]).toMatchObject({ title: "A run failed", body: "answer (internal)" });
  expect(app.reports("badge").map(({ count }) => count)).toEqual([1]);
  await vi.waitFor(
    async () => expect((await tray(app)).items).toContainEqual({ id: "failed-0", label: "answer" }),
    { timeout: 30_000 },
  );
  app.command({ type: "click-notification", nth: 1 });
  await page.waitForURL(`${url}/traces/bad`);
  await vi.waitFor(() => expect(app.reports("badge").map(({ count }) => count)).toEqual([1, 0]), {
    timeout: 30_000,
  });

  app.command({ type: "tray-menu", id: "pause" });
  await vi.waitFor(async () => expect((await tray(app)).image).toMatch(/paused\.png$/), { timeout: 30_000 });
  const refused = await post(url, "OK", "later");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  app.command({ type: "tray-menu", id: "pause" });
  await vi.waitFor(
    async () => expect((await tray(app)).items).toContainEqual({ id: "pause", label: "Pause Collecting" }),
    { timeout: 30_000 },
  );
  expect((await post(url, "OK", "later")).status).toBe(202);

  app.command({ type: "tray-menu", id: "quit" });
  expect(await app.exit).toBe(0);
  expect(app.log().at(-1)).toMatchObject({ message: "Ledger", accepted: 3, processed: 3 });
});
