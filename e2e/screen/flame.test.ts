import type { Span } from "@obspan/sdk/wire";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { agentRun } from "./agent-run.js";
import { showApp, type ShownApp } from "./shown-app.js";

async function post({ url }: Pick<ShownApp, "url">, spans: readonly Span[]): Promise<void> {
  const response = await fetch(`${url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service: "shop", env: "production", spans }),
  });
  expect(response.status).toBe(202);
}

const frames = (page: Page, measure: string) => page.getByRole("tree", { name: `Frames by ${measure}` });
const pane = (page: Page) => page.getByRole("region", { name: "Selected frame" });
const zoom = (page: Page) => page.getByRole("navigation", { name: "Zoom" });

describe("the flame of a run", () => {
  it("shows where time, tokens and cost went, and is walked, zoomed and opened with the keyboard", async () => {
    const app = await showApp("/traces/run", {
      before: (collector) => post(collector, agentRun("run", Date.now() - 60_000)),
    });
    const { page } = app;
    await page.getByRole("feed", { name: "Transcript" }).waitFor();
    await page.keyboard.press("3");
    await frames(page, "time")
      .getByRole("treeitem", { name: /^get_shipping_status ×2, 3\.73 s, 25 %, 1 failed$/ })
      .click();
    await pane(page).getByRole("heading", { name: "get_shipping_status" }).waitFor();
    expect(await pane(page).innerText()).toMatch(/carrier-api gave no answer in 3,000 ms.*slowest/);
    await expect.poll(() => page.url()).toContain("view=flame");
    const sent = pane(page).getByRole("region", { name: "Arguments" });
    await sent.getByText("the same in 2 calls").waitFor();
    expect(await sent.locator("pre").innerText()).toContain("6C19820047351");
    const elsewhere = pane(page).getByRole("region", { name: "Elsewhere" });
    await elsewhere.getByText("Calls, last hour").waitFor();
    expect(await elsewhere.innerText()).toMatch(
      /all calls of get_shipping_status[^]*\n2\n[^]*Failed\n50\s*%/,
    );
    expect(await elsewhere.getByRole("link", { name: "Show in Metrics" }).getAttribute("href")).toContain(
      "group_by=tool_name",
    );

    const where = page.getByRole("table", { name: "Where it went" });
    await where
      .getByRole("row", { name: /get_shipping_status/ })
      .getByRole("button", { pressed: true })
      .waitFor();
    await app.expectAccessible();

    // The page's keys move between spans, those of the flame between frames.
    await page.keyboard.press("ArrowUp");
    await pane(page).getByRole("heading", { name: "support.resolve_ticket" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await pane(page).getByRole("heading", { name: "classify_intent" }).waitFor();
    await page.keyboard.press("Enter");
    await zoom(page)
      .getByRole("button", { name: /^classify_intent/ })
      .and(page.locator("[aria-current]"))
      .waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("tab", { name: /^Messages/ }).waitFor();
    await page.keyboard.press("Escape");
    await pane(page).getByRole("heading", { name: "classify_intent" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Home");
    await pane(page).getByRole("heading", { name: "support.resolve_ticket" }).waitFor();

    await page.keyboard.press("t");
    await frames(page, "tokens").waitFor();
    expect(await pane(page).locator("dl").first().innerText()).toMatch(
      /^Count\s+1\s+Tokens\s+[\d,]+ · \d+ %/,
    );
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.keyboard.press("t");
    // Tools have no cost.
    expect(await frames(page, "cost").getByRole("treeitem", { name: /^get_/ }).count()).toBe(0);
    // The strips under the model calls need the prices of their models.
    await page.getByText("read from the cache", { exact: true }).waitFor();
    // Prices come by the names of the models, without the texts of any call.
    expect(asked.filter((path) => path.includes("/context/"))).toEqual([]);
    await where.getByRole("button", { name: "plan_resolution" }).click();
    await pane(page).getByRole("table", { name: "What the cost is made of" }).waitFor();
    // What is measured comes first in the pane, with its share.
    expect(await pane(page).locator("dl").first().innerText()).toMatch(
      /^Count\s+1\s+Cost\s+(?:≈ )?\$[\d.]+ · \d+ %\s+Tokens in → out\s+[\d,]+ → [\d,]+\s.*Total\s/s,
    );
    await elsewhere.getByText("all calls of claude-sonnet-5").waitFor();
    await page.keyboard.press("t");
    await page.keyboard.press("r");
    await frames(page, "time")
      .getByRole("treeitem", { name: /^get_shipping_status, 3\.01 s/ })
      .waitFor();
    await page.emulateMedia({ colorScheme: "dark" });
    await app.expectReadable();
  });

  it("says that no span reports cost, and stays quick with very many names", async () => {
    const startMs = Date.now() - 600_000;
    const root: Span = {
      name: "root",
      trace_id: "many",
      span_id: "root",
      start_time: startMs,
      duration_ms: 1000,
    };
    const tools = Array.from({ length: 450 }, (_, index): Span => ({
      name: `tool-${index}`,
      span_type: "tool",
      trace_id: "many",
      span_id: `t${index}`,
      parent_span_id: "root",
      start_time: startMs + index,
      duration_ms: 1,
    }));
    const app = await showApp("/traces/many?view=flame", {
      before: (collector) => post(collector, [root, ...tools]),
    });
    const { page } = app;
    await frames(page, "time")
      .getByRole("treeitem", { name: /^450 smaller, 450 ms$/ })
      .waitFor();
    expect(await page.getByRole("row").count()).toBeLessThan(120);
    await page.getByRole("button", { name: "Cost", exact: true }).first().click();
    await page.getByRole("heading", { name: "No span of this run has a cost" }).waitFor();
    await page.getByRole("button", { name: "Show time" }).click();
    await frames(page, "time").waitFor();
  });
});
