import type { Browser, Page } from "playwright";
import { beforeAll, describe, expect, it } from "vitest";
import { collectorHere } from "../harness/collector-here.js";
import { until } from "../harness/until.js";
import { accessibilityViolations } from "./accessibility.js";
import { openPage, sharedBrowser } from "./browser.js";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});

const RUNS = [
  { id: "a", tool: "search", output: "2 flights", tier: "gold", ms: 3000 },
  { id: "b", tool: "search", output: "[]", tier: "silver", ms: 200 },
  { id: "c", tool: "crm", output: "late parcel", tier: "gold", ms: 500 },
];

function spansOf({ id, tool, output, tier, ms }: (typeof RUNS)[number]): object[] {
  const common = { trace_id: id, start_time: Date.now() - 60_000, duration_ms: ms };
  return [
    { ...common, name: `run ${id}`, span_id: "root", attributes: { "customer.tier": tier } },
    {
      ...common,
      name: tool,
      span_type: "tool",
      span_id: "tool",
      parent_span_id: "root",
      attributes: { tool_name: tool, output_text: output },
    },
  ];
}

async function post(url: string, spans: readonly object[]): Promise<void> {
  const response = await fetch(`${url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ spans }),
  });
  expect(response.status).toBe(202);
}

async function openFilled(path = "/traces") {
  const collector = await collectorHere();
  await post(collector.url, RUNS.flatMap(spansOf));
  const opened = await openPage(browser, collector.url + path);
  await opened.page.getByRole("combobox", { name: "Filter traces" }).waitFor();
  return { collector, ...opened };
}

const bar = (page: Page) => page.getByRole("combobox", { name: "Filter traces" });

/** Waits for the runs of the list, in any order. */
async function shows(page: Page, ...ids: string[]): Promise<void> {
  const wanted = ids.map((id) => `run ${id}`).join();
  await until(`the list shows ${wanted}`, async () => {
    const names = await page.getByRole("grid", { name: "Traces" }).getByRole("link").allInnerTexts();
    return names.toSorted().join() === wanted || undefined;
  });
}

describe("the query bar", () => {
  it("finds runs by attributes, tools and empty outputs, and keeps the query in the address", async () => {
    const { collector, page, complaints } = await openFilled();
    await bar(page).fill("@customer.tier:gold ");
    await shows(page, "a", "c");
    await page.getByRole("button", { name: "Remove @customer.tier:gold" }).waitFor();
    await bar(page).fill("-duration:>2s ");
    await shows(page, "c");
    expect(new URL(page.url()).searchParams.get("query")).toBe("@customer.tier:gold -duration:>2s");
    await page.reload();
    await shows(page, "c");
    // A run that arrives is shown only if it meets the query.
    await post(collector.url, [
      ...spansOf({ id: "d", tool: "crm", output: "x", tier: "silver", ms: 100 }),
      ...spansOf({ id: "e", tool: "crm", output: "x", tier: "gold", ms: 100 }),
    ]);
    await shows(page, "c", "e");
    await page.getByRole("button", { name: "Remove @customer.tier:gold" }).click();
    await page.getByRole("button", { name: "Remove -duration:>2s" }).click();
    await bar(page).fill("tool_output:");
    await page.getByRole("option", { name: "empty" }).click();
    await shows(page, "b");
    await page.getByRole("button", { name: "Remove tool_output:empty" }).click();
    await bar(page).fill("parcel late");
    await shows(page, "c");
    expect(complaints).toEqual([]);
  });

  it("completes several values, and names an unknown key", async () => {
    const { page } = await openFilled();
    await bar(page).fill("tool:se");
    await page.getByRole("option", { name: /^search/ }).waitFor();
    await page.keyboard.press("Enter");
    await shows(page, "a", "b");
    await bar(page).fill("servce:shop ");
    const problem = page
      .getByRole("search")
      .getByRole("alert")
      .filter({ hasText: 'There is no key "servce"' });
    await problem.waitFor();
    expect(await accessibilityViolations(page, ["[role=search]"])).toEqual([]);
    await shows(page, "a", "b");
    await bar(page).fill("");
    await problem.waitFor({ state: "detached" });
    await page.goto(`${new URL(page.url()).origin}/traces?query=servce%3Ashop`);
    await problem.waitFor();
    await page.getByRole("heading", { name: "The query cannot be read" }).waitFor();
  });
});

describe("saved views", () => {
  it("applies a view, and saves and deletes the shown filters", async () => {
    const { page, complaints } = await openFilled();
    await shows(page, "a", "b", "c");
    await bar(page).fill("tool:search duration:>1s ");
    await shows(page, "a");
    const menu = page.getByRole("dialog", { name: "Saved views" });
    const open = (name: string): Promise<void> => page.getByRole("button", { name, exact: true }).click();
    await open("Views");
    await menu.getByRole("button", { name: /^Slow/ }).waitFor();
    expect(await accessibilityViolations(page, ["[role=dialog]"])).toEqual([]);
    await menu.getByRole("textbox", { name: "Name of the view" }).fill("My search");
    await page.keyboard.press("Enter");
    await menu.getByRole("button", { name: /^My search/ }).waitFor();
    await menu.getByRole("button", { name: /^Errors/ }).click();
    await page.waitForURL(/query=has%3Aerror$/);
    await open("Errors");
    await menu.getByRole("button", { name: /^My search/ }).click();
    await shows(page, "a");
    await open("My search");
    await menu.getByRole("button", { name: "Delete the view My search" }).click();
    await menu.getByRole("button", { name: /^My search/ }).waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
  });
});
