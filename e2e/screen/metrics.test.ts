import type { Stats } from "@obspan/collector-core/api-schema";
import type { Browser, Page } from "playwright";
import { beforeAll, describe, expect, it } from "vitest";
import { collectorHere, type CollectorHere } from "../harness/collector-here.js";
import { sharedCollectorHere } from "../harness/shared-collector.js";
import { modelCall } from "../harness/model-call.js";
import { accessibilityViolations, violationsInBothThemes } from "./accessibility.js";
import { until } from "../harness/until.js";
import { sharedBrowser, openPage } from "./browser.js";

/** For the tests that read no figure of all services. */
const emptyCollector = sharedCollectorHere();

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});

async function post(
  collector: CollectorHere,
  spans: unknown[],
  batch: Record<string, unknown> = {},
): Promise<number> {
  const response = await fetch(`${collector.url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service: "shop", env: "production", ...batch, spans }),
  });
  return response.status;
}

/** Spans of two models and a tool, with an error. */
const SPANS = [
  modelCall("t1"),
  modelCall("t2", { model: "claude-sonnet-5", provider: "anthropic" }),
  modelCall("t3", { error_type: "timeout" }, { status: "ERROR" }),
  { name: "search", span_type: "tool", trace_id: "t1", duration_ms: 40, attributes: { tool_name: "search" } },
];

const panel = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

describe("the Metrics page", () => {
  it("shows figures of unsampled spans and updates live", async () => {
    const collector = await collectorHere({ SAMPLING_RATE: "0" });
    const { page, complaints } = await openPage(browser, `${collector.url}/stats`);
    await page.getByRole("heading", { name: /No span in the last 1 h/ }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await post(collector, SPANS);
    await panel(page, "Calls").getByText("3 in all").waitFor();
    await panel(page, "Cost").getByText("$0.0600").waitFor();
    await panel(page, "Tool calls")
      .getByRole("row", { name: /search/ })
      .waitFor();
    await panel(page, "SLO and budget by agent").getByText("sre.enabled").waitFor();
    await post(collector, SPANS);
    await panel(page, "Calls").getByText("6 in all").waitFor();
    // On a small screen, no row of a long table is cut in half.
    await page.setViewportSize({ width: 1280, height: 800 });
    const tools = Array.from({ length: 12 }, (_, n) => ({
      ...{ name: "tool", span_type: "tool", trace_id: "t4", duration_ms: 40 },
      attributes: { tool_name: `tool ${n}` },
    }));
    await post(collector, tools);
    const rows = page.getByRole("region", { name: "Tool calls by tool" }).getByRole("row");
    await expect.poll(() => rows.count()).toBe(14);
    const table = await page.getByRole("region", { name: "Tool calls by tool" }).boundingBox();
    const end = (table?.y ?? 0) + (table?.height ?? 0);
    for (const row of await rows.all()) {
      const { y = 0, height = 0 } = (await row.boundingBox()) ?? {};
      expect(y + height <= end + 1.5 || y >= end - 1.5, `row at ${y}, end at ${end}`).toBe(true);
    }
    expect(complaints).toEqual([]);
  });

  it("freezes while paused and catches up afterwards", async () => {
    const collector = await emptyCollector();
    const ofItsOwn = { service: "frozen" };
    await post(collector, SPANS, ofItsOwn);
    const { page } = await openPage(browser, `${collector.url}/stats?service=frozen`);
    await panel(page, "Calls").getByText("3 in all").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await post(collector, SPANS, ofItsOwn);
    // The answer to a request from before the click may still arrive.
    const asked = page.waitForRequest((request) => request.url().includes("/v1/stats"), { timeout: 3000 });
    await expect(asked).rejects.toThrow();
    expect(await panel(page, "Calls").getByText("3 in all").count()).toBe(1);
    await page.getByRole("button", { name: "Resume" }).click();
    await panel(page, "Calls").getByText("6 in all").waitFor();
  });

  it("says nothing of a day until there are ten minutes of data", async () => {
    const collector = await emptyCollector();
    await post(collector, SPANS);
    const { page } = await openPage(browser, `${collector.url}/stats`);
    const cost = panel(page, "Cost");
    await cost.getByText("$").first().waitFor();
    expect(await cost.getByText("a day at this rate").count()).toBe(0);
    // The clock of the page does not count, only the time that the collector has seen.
    await page.route("**/v1/stats?*", async (route) => {
      const answer = (await (await route.fetch()).json()) as Stats;
      const kept_since = new Date(Date.parse(answer.end) - 601_000).toISOString();
      await route.fulfill({ json: { ...answer, kept_since } });
    });
    await page.reload();
    await cost.getByText("a day at this rate").waitFor();
  });

  it("keeps grouping and filters in the URL", async () => {
    const collector = await collectorHere();
    await post(collector, SPANS);
    await post(collector, [modelCall("other")], { env: "staging" });
    const { page } = await openPage(browser, `${collector.url}/stats`);
    await panel(page, "Calls").getByText("4 in all").waitFor();
    await page.getByRole("button", { name: "5 m", exact: true }).click();
    await page.getByRole("button", { name: /Group by/ }).click();
    await page.getByRole("menuitemradio", { name: "Agent" }).click();
    await page.getByTestId("legend").getByText("support-agent").waitFor();
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("menuitem", { name: "Env" }).press("ArrowRight");
    await page.getByRole("menuitem", { name: "staging" }).click();
    await panel(page, "Calls").getByText("1 in all").waitFor();
    expect(new URL(page.url()).search).toBe("?window=5m&group_by=agent&env=staging");
    await page.reload();
    await panel(page, "Calls").getByText("1 in all").waitFor();
    await page.getByRole("button", { name: /Remove the filter Env/ }).click();
    await panel(page, "Calls").getByText("4 in all").waitFor();
    await page.goto(`${collector.url}/stats?service=nobody`);
    await page.getByRole("heading", { name: "No span matches" }).waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await panel(page, "Calls").getByText("4 in all").waitFor();
    const latency = panel(page, "Latency");
    await latency.getByRole("button", { name: "p95 by model" }).click();
    await latency.getByText("sum by (le, model)").waitFor();
  });

  it("moves one marker through all charts with the keyboard, announces it, and links to the traces of that time", async () => {
    const collector = await emptyCollector();
    await post(collector, SPANS);
    const { page } = await openPage(browser, `${collector.url}/stats?window=5m&model=gpt-5-mini`);
    const latency = page.getByRole("slider", { name: "Latency" });
    // The calls are in the last point, or one or two before it if a new step has begun.
    await latency.press("End");
    await until("the marker is on the calls", async () => {
      const text = (await latency.getAttribute("aria-valuetext")) ?? "";
      if (/^\d\d:\d\d(:\d\d)?: p50 1\.\d\d s, p95/.test(text)) return true;
      const behind =
        Number(await latency.getAttribute("aria-valuemax")) -
        Number(await latency.getAttribute("aria-valuenow"));
      await latency.press(behind > 3 ? "End" : "ArrowLeft");
      return undefined;
    });
    expect(await panel(page, "Cost").getByTestId("marked-point").textContent()).toMatch(/^at \d\d:\d\d/);
    await latency.press("ArrowLeft");
    await latency.press("Enter");
    await page.waitForURL(/\/traces\?since=.*&until=.*&model=gpt-5-mini/);
  });

  it("shows every chart as a table and copies its PromQL", async () => {
    const collector = await emptyCollector();
    await post(collector, SPANS);
    const { page } = await openPage(browser, `${collector.url}/stats`, {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.getByRole("button", { name: "Errors: show as table" }).click();
    await page.getByRole("columnheader", { name: "timeout" }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Cost: copy PromQL" }).click();
    await page.getByLabel("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      "sum by (model) (rate(obs_cost_total[1m])) * 60",
    );
  });

  it("contract 9: marks the costs that the collector computed, and no others", async () => {
    const collector = await emptyCollector();
    await post(collector, [...SPANS, modelCall("t5", { model: "gpt-5", cost_usd: undefined })]);
    const { page } = await openPage(browser, `${collector.url}/stats`);
    const cost = panel(page, "Cost");
    await cost.getByRole("button", { name: "Cost: show as table" }).click();
    const row = cost.getByRole("row").filter({ hasText: "≈" }).first();
    await row.waitFor();
    const [, ...models] = await cost.getByRole("columnheader").allInnerTexts();
    const amounts = await row.getByRole("cell").allInnerTexts();
    expect(models).toContain("gpt-5-mini");
    expect(models.filter((_, column) => amounts[column]?.startsWith("≈ $"))).toEqual(["gpt-5"]);
    // The sum has a computed part.
    await cost.getByText(", computed from the price list").first().waitFor();
  });

  it("shows the remaining budgets of each agent", async () => {
    const collector = await collectorHere({
      SRE_ENABLED: "true",
      SRE_DEFAULT_SLO_ERROR_RATE: "0.5",
      SRE_DEFAULT_COST_BUDGET_USD: "0.24",
    });
    await post(collector, SPANS);
    const { page } = await openPage(browser, `${collector.url}/stats`);
    const row = panel(page, "SLO and budget by agent").getByRole("row", { name: /support-agent/ });
    await row.getByText("33 %").waitFor();
    await row.getByText("75 %").waitFor();
  });

  it("has no axe violation in both themes, and in the light one also if it is narrow", async () => {
    const collector = await collectorHere({ SRE_ENABLED: "true" });
    await post(collector, SPANS);
    const { page } = await openPage(browser, `${collector.url}/stats`);
    await page.getByRole("slider", { name: "Latency" }).press("End");
    expect(await violationsInBothThemes(page)).toEqual([]);
    // The width changes sizes and places, and no colour.
    await page.setViewportSize({ width: 700, height: 800 });
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it("loads the chart library with the page, not before", async () => {
    const collector = await collectorHere();
    const { page } = await openPage(browser, `${collector.url}/traces`);
    await page.getByRole("heading", { name: /Listening on/ }).waitFor();
    const loaded = () =>
      page.evaluate<number>(
        `performance.getEntriesByType("resource").filter(({ name }) => /metrics-page/.test(name)).length`,
      );
    expect(await loaded()).toBe(0);
    await page.getByRole("link", { name: "Metrics" }).click();
    await page.getByRole("heading", { name: /No span in/ }).waitFor();
    expect(await loaded()).toBeGreaterThan(0);
  });
});

describe("the Pipeline page", () => {
  it("shows the flow of spans and refusals live", async () => {
    const collector = await collectorHere({ SAMPLING_RATE: "0", TRACE_STORE_ENABLED: "false" });
    const { page, complaints } = await openPage(browser, `${collector.url}/pipeline`);
    await panel(page, "Queue").getByText("0 of 50,000").waitFor();
    await post(collector, SPANS);
    expect(await post(collector, [{ name: "no trace id" }])).toBe(400);
    await panel(page, "Received").getByText("5", { exact: true }).waitFor();
    await page.getByRole("group", { name: "Rejected" }).getByText("invalid_span").waitFor();
    await page.getByRole("group", { name: "Not sampled" }).getByText("4").first().waitFor();
    await panel(page, "Store").getByText("off").waitFor();
    await page.getByText("balanced").nth(1).waitFor();
    await page.getByRole("row", { name: /400 invalid_span/ }).waitFor();
    await page.getByRole("button", { name: "Last 5 m" }).click();
    await page.getByRole("group", { name: "Rejected" }).getByText("invalid_span").waitFor();
    expect(complaints).toEqual([]);
  });

  it("has no axe violation in both themes, and in the light one also if it is narrow", async () => {
    const collector = await collectorHere({ REDACTION_ENABLED: "true" });
    await post(collector, SPANS);
    await post(collector, [{ name: "no trace id" }]);
    const { page } = await openPage(browser, `${collector.url}/pipeline`, { reducedMotion: "reduce" });
    await page.getByRole("row", { name: /400 invalid_span/ }).waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    // The width changes sizes and places, and no colour.
    for (const width of [1280, 760]) {
      await page.setViewportSize({ width, height: 800 });
      if (width === 760) expect(await accessibilityViolations(page)).toEqual([]);
      const overflow = await page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
      expect(overflow).toBe(0);
    }
  });

  it("stays readable when the collector stops", async () => {
    const collector = await collectorHere();
    await post(collector, SPANS);
    const { page } = await openPage(browser, `${collector.url}/pipeline`);
    await panel(page, "Received").getByText("4", { exact: true }).waitFor();
    await collector.stop();
    await page
      .getByText(/does not answer/)
      .first()
      .waitFor();
    expect(await panel(page, "Received").getByText("4", { exact: true }).count()).toBe(1);
  });
});
