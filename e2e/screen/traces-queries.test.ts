import type { Browser, Page } from "playwright";
import { beforeAll, describe, expect, it } from "vitest";
import type { CollectorHere } from "../harness/collector-here.js";
import { sharedCollectorHere } from "../harness/shared-collector.js";
import { until } from "../harness/until.js";
import { accessibilityViolations } from "./accessibility.js";
import { sharedBrowser, openPage } from "./browser.js";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});

const MINUTES = 90;

/** A run each minute for an hour and a half, each slower and cheaper than the one before; every tenth failed. */
async function fill(collector: CollectorHere): Promise<void> {
  const firstMs = Date.now() - MINUTES * 60_000;
  const spans = Array.from({ length: MINUTES }, (_, minute) => [
    {
      name: `run ${minute}`,
      span_type: minute % 2 === 0 ? "agent" : "task",
      trace_id: `t${minute}`,
      span_id: "root",
      start_time: firstMs + minute * 60_000,
      duration_ms: 100 + minute * 50,
      status: minute % 10 === 0 ? "ERROR" : "OK",
      attributes: { cost_usd: (MINUTES - minute) / 1000 },
    },
    ...(minute % 30 === 0
      ? [
          {
            name: "evaluation.relevance",
            span_type: "evaluation",
            trace_id: `t${minute}`,
            parent_span_id: "root",
            start_time: firstMs + minute * 60_000,
            duration_ms: 1,
            attributes: { evaluation_type: "relevance", evaluation_score: 0.9 },
          },
        ]
      : []),
  ]).flat();
  const response = await fetch(`${collector.url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service: "shop", env: "production", spans }),
  });
  expect(response.status).toBe(202);
}

/** The tests only read, so they share a collector. */
const emptyCollector = sharedCollectorHere();
let filled: Promise<CollectorHere> | undefined;

async function filledCollector(): Promise<CollectorHere> {
  const collector = await emptyCollector();
  await fill(collector);
  return collector;
}

async function openFilled(path = "/traces") {
  const collector = await (filled ??= filledCollector());
  const opened = await openPage(browser, collector.url + path);
  await opened.page.getByRole("grid", { name: "Traces" }).waitFor();
  return { collector, ...opened };
}

/** Waits until a condition holds. */
async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  await until(String(isSo), async () => (await isSo()) || undefined);
}

const figureOf = (page: Page) => page.getByRole("figure", { name: "Traces over time" });
const rowNames = (page: Page): Promise<string[]> =>
  page.getByRole("grid", { name: "Traces" }).getByRole("link").allInnerTexts();

/** Drags over the histogram between two shares of its width. */
async function brush(page: Page, from: number, to: number): Promise<void> {
  const box = await figureOf(page).getByTestId("brush-area").boundingBox();
  if (box === null) throw new Error("The histogram is not there.");
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * ((from + to) / 2), y);
  await page.mouse.move(box.x + box.width * to, y);
  await page.mouse.up();
}

describe("the histogram above the list", () => {
  it("selects a time range by dragging, which Back undoes", async () => {
    const { page, complaints } = await openFilled();
    await page.getByText(`${MINUTES} traces`).waitFor();
    await brush(page, 0.5, 0.999);
    await page.getByRole("button", { name: /– now$/ }).waitFor();
    await page.getByRole("button", { name: "Clear", exact: true }).waitFor();
    await eventually(async () => !(await rowNames(page)).includes("run 10"));
    expect((await rowNames(page))[0]).toBe(`run ${MINUTES - 1}`);
    const { searchParams } = new URL(page.url());
    expect([...searchParams.keys()]).toEqual(["since"]);
    // The histogram still shows the traces outside the range, so that another range can be selected.
    const bars = await figureOf(page).getByTestId("bars").locator("g").count();
    expect(bars).toBeGreaterThan(MINUTES / 2);
    await brush(page, 0.2, 0.4);
    await eventually(() => new URL(page.url()).searchParams.has("until"));
    await page.goBack();
    await eventually(() => !new URL(page.url()).searchParams.has("until"));
    await page.goBack();
    await page.getByRole("button", { name: "Any time" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("moves the range with the arrow keys and announces the times", async () => {
    const { page } = await openFilled();
    const from = figureOf(page).getByRole("slider", { name: "Started from" });
    const before = figureOf(page).getByRole("slider", { name: "Started before" });
    await from.focus();
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press("ArrowRight");
    await eventually(async () => (await from.getAttribute("aria-valuenow")) === "3");
    expect(await from.getAttribute("aria-valuetext")).toMatch(/\d\d:\d\d/);
    expect(await before.getAttribute("aria-valuetext")).toBe("now");
    await before.focus();
    await page.keyboard.press("Home");
    await eventually(async () => (await before.getAttribute("aria-valuenow")) === "4");
    await page.getByText("1 trace", { exact: false }).first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Any time" }).waitFor();
  });

  it("is available as a table and to assistive technology", async () => {
    const { page } = await openFilled("/traces?status=ERROR");
    await page.getByText(`${MINUTES / 10} traces · ${MINUTES / 10} failed`).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    const button = figureOf(page).getByRole("button", { name: "Show as table" });
    await button.focus();
    await page.keyboard.press("Enter");
    const table = page.getByRole("dialog", { name: "Traces over time" }).getByRole("table");
    await table.waitFor();
    expect(await table.getByRole("row").count()).toBe(MINUTES / 10 + 1);
    await table.getByRole("columnheader", { name: "Failed" }).waitFor();
    expect(await accessibilityViolations(page, ["[role=dialog]"])).toEqual([]);
    await page.keyboard.press("Escape");
    await table.waitFor({ state: "detached" });
    await brush(page, 0.1, 0.9);
    await eventually(() => new URL(page.url()).searchParams.has("since"));
    expect(await accessibilityViolations(page, ["[role=search]", "figure"])).toEqual([]);
  });
});

describe("order and filters of the list", () => {
  it("sorts by the column whose header is clicked", async () => {
    const { page } = await openFilled();
    const first = async (name: string): Promise<void> =>
      eventually(async () => (await rowNames(page))[0] === name);
    await first(`run ${MINUTES - 1}`);
    await page.getByRole("button", { name: "Cost" }).click();
    await first("run 0");
    const head = page.getByRole("columnheader", { name: "Cost" });
    expect(await head.getAttribute("aria-sort")).toBe("descending");
    await expect.poll(() => page.url()).toContain("order=costliest");
    await page.getByRole("columnheader", { name: "Duration" }).getByRole("button").focus();
    await page.keyboard.press("Enter");
    await first(`run ${MINUTES - 1}`);
    await page.getByRole("button", { name: /^Span type/ }).click();
    await page.getByRole("option", { name: /^agent/ }).click();
    await first(`run ${MINUTES - 2}`);
    await expect.poll(() => page.url()).toContain("order=slowest");
    await page.goBack();
    await page.goBack();
    await first("run 0");
  });

  it("filters by duration and evaluation, from menus and from the query", async () => {
    const { page } = await openFilled();
    await page.getByRole("button", { name: /^Evaluated/ }).click();
    await page.getByRole("option", { name: /^relevance/ }).click();
    await page.getByText("3 traces").waitFor();
    await page
      .getByRole("button", { name: /^Duration/ })
      .first()
      .click();
    await page.getByRole("menuitemradio", { name: "2 s or longer" }).click();
    await page.getByText("1 trace ·").waitFor();
    expect(await rowNames(page)).toEqual(["run 60"]);
    await page.getByRole("button", { name: "Remove has_evaluation:relevance" }).click();
    await page.getByRole("combobox", { name: "Filter traces" }).fill('root_name:"run 80" ');
    await eventually(async () => (await rowNames(page)).join() === "run 80");
    await page.getByRole("combobox", { name: "Filter traces" }).fill("since:yesterday ");
    await page.getByText("Since must be a time or a range", { exact: false }).waitFor();
    expect(await accessibilityViolations(page, ["[role=search]"])).toEqual([]);
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    await eventually(async () => (await rowNames(page)).length > 10);
  });
});
