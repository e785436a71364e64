import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { byteSizeText } from "@obspan/collector-core/api-schema";
import type { Browser, Page } from "playwright";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../collector-core/test/free-port.js";
import { killProgram, OBSPAN, type Settings } from "../harness/built-collector.js";
import { startProgram } from "../harness/child-program.js";
import { collectorHere, type CollectorHere } from "../harness/collector-here.js";
import { until } from "../harness/until.js";
import { accessibilityViolations } from "./accessibility.js";
import { openPage, sharedBrowser } from "./browser.js";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});

const HOUR_MS = 3_600_000;
const DAYS = 9;
/** The page keeps 10,000 rows: it lets go of the newest 1,000 when it shows the oldest. */
const TRACES = 11_000;
const BATCH = 1000;
/** The bar is the same on every page. */
const BAR = ["[aria-label='Trace store']"];
const PAGES = ["/traces", "/evaluations", "/stats", "/pipeline", "/settings"];

/** A directory for the trace file of one test. */
function traceDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "obspan-screen-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}

function onDisk(directory: string, more: Settings = {}): Settings {
  return { TRACE_STORE_PATH: directory, TRACE_STORE_DISK_MIN_FREE_BYTES: "0", ...more };
}

async function post({ url }: Pick<CollectorHere, "url">, spans: unknown[]): Promise<void> {
  const response = await fetch(`${url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service: "shop", env: "production", spans }),
  });
  expect(response.status).toBe(202);
}

/** Traces of the last days, oldest first. */
async function fill(collector: CollectorHere): Promise<void> {
  const firstMs = Date.now() - DAYS * 24 * HOUR_MS;
  const stepMs = (DAYS * 24 * HOUR_MS) / TRACES;
  for (let from = 0; from < TRACES; from += BATCH) {
    const spans = Array.from({ length: BATCH }, (_, at) => ({
      name: `run ${from + at}`,
      span_type: "agent",
      trace_id: `t${from + at}`,
      span_id: "root",
      start_time: firstMs + (from + at) * stepMs,
      duration_ms: 40,
      status: (from + at) % 50 === 0 ? "ERROR" : "OK",
      attributes: { agent: "shopper", input_text: `Where is order ${from + at}?` },
    }));
    await post(collector, spans);
  }
  const areStored = async (): Promise<true | undefined> => {
    const facets = (await (await fetch(`${collector.url}/v1/facets`)).json()) as { total: number };
    return facets.total === TRACES || undefined;
  };
  await until("all traces are stored", areStored, 60_000);
}

const tableOf = (page: Page) => page.getByRole("grid", { name: "Traces" });
const rowNames = (page: Page) => tableOf(page).getByRole("link").allInnerTexts();
const hasRow = (page: Page, name: string) =>
  until(name, async () => (await rowNames(page)).includes(name) || undefined);
const scrollTo = (page: Page, share: number) =>
  tableOf(page).evaluate((table, at) => (table.scrollTop = table.scrollHeight * at), share);

/** Scrolls to the end of what is loaded twenty times, or until a row is there. Within the page: a call for each takes long. */
const scrollDown = (page: Page, name: string): Promise<boolean> =>
  page.evaluate<boolean>(`(async () => {
    const table = document.querySelector("[role=grid][aria-label=Traces]");
    const isThere = () => [...table.querySelectorAll("a")].some(({ innerText }) => innerText === ${JSON.stringify(name)});
    for (let times = 0; times < 20 && !isThere(); times++) {
      table.scrollTop = table.scrollHeight;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return isThere();
  })()`);

/** What the test needs of the page's types. */
interface ParentElement {
  readonly children: Iterable<{ getBoundingClientRect(): { readonly top: number; readonly bottom: number } }>;
}

/** Fails if rows or the lines that name days overlap. */
async function expectNoOverlap(page: Page): Promise<void> {
  const rows = tableOf(page).getByRole("rowgroup").last();
  const parts = await rows.evaluate((group: ParentElement) =>
    [...group.children].map((part) => {
      const { top, bottom } = part.getBoundingClientRect();
      return { top, bottom };
    }),
  );
  const stacked = parts.toSorted((a, b) => a.top - b.top);
  for (const [index, { top }] of stacked.entries())
    if (index > 0) expect(top).toBeGreaterThanOrEqual((stacked[index - 1]?.bottom ?? 0) - 0.5);
}

describe("a list of eleven thousand traces on disk", () => {
  it("scrolls to the oldest and back, follows what arrives, and is there again after a restart", async () => {
    const settings = onDisk(traceDirectory(), { PORT: String(await freePort()) });
    const collector = await collectorHere(settings);
    await fill(collector);
    const { page } = await openPage(browser, collector.url);
    await hasRow(page, `run ${TRACES - 1}`);
    await page.getByText(/11,000 traces since [^·]+ · 11,000 spans · [^·]+ of 10 GiB on disk/).waitFor();
    await until("the app and the command tell the same size", async () => {
      // A process of the command takes long: it is asked when the page shows the size of now.
      const store = (await (await fetch(`${collector.url}/v1/store`)).json()) as { disk_bytes: number };
      const shown = (await page.getByText("11,000 spans · ").textContent()) ?? "";
      if (!shown.includes(` ${byteSizeText(store.disk_bytes)} of `)) return undefined;
      const command = startProgram(process.execPath, [OBSPAN, "store", "info", "--url", collector.url], {});
      await command.exit;
      const size = /^On disk +([\d.]+ MiB),/m.exec(command.stdout())?.[1];
      return (await page.getByText(`11,000 spans · ${size} of 10 GiB`).count()) === 1 || undefined;
    });

    // The histogram covers all days.
    const figure = page.getByRole("figure", { name: "Traces over time" });
    await until(
      "labels of days",
      async () => (await figure.getByText(/^\d\d? [A-Z][a-z]+$/).count()) > 5 || undefined,
    );

    for (let times = 0; !(await scrollDown(page, "run 0")); times++) {
      if (times > 150) throw new Error("The oldest trace is not reached.");
      await expectNoOverlap(page);
    }
    expect(await tableOf(page).getAttribute("aria-rowcount")).toBe(String(TRACES + 1));
    expect(await tableOf(page).getByRole("row").count()).toBeLessThan(100);
    expect(await accessibilityViolations(page)).toEqual([]);

    // A trace is opened and closed without losing the place.
    await tableOf(page).getByRole("link", { name: "run 0", exact: true }).click();
    await page.getByRole("heading", { name: "run 0", level: 1 }).waitFor();
    await page.goBack();
    await hasRow(page, "run 0");
    expect(await tableOf(page).getAttribute("aria-rowcount")).toBe(String(TRACES + 1));

    await post(collector, [{ name: "an arrival", trace_id: "new-1", duration_ms: 1 }]);
    await page.getByRole("button", { name: "1 new" }).waitFor();
    expect(await rowNames(page)).toContain("run 0");

    // Rows that were let go are fetched again where the reader stops.
    await scrollTo(page, 0.05);
    await until("rows that were let go", async () => {
      const numbers = (await rowNames(page)).map((name) => Number(name.slice(4)));
      return numbers.some((number) => number > 10_100 && number < 10_900) || undefined;
    });
    await tableOf(page).focus();
    await page.keyboard.press("Home");
    await hasRow(page, "an arrival");
    await hasRow(page, `run ${TRACES - 1}`);

    await collector.stop();
    await page.getByText("does not answer").waitFor();
    const again = await collectorHere(settings);
    let sawEmpty = false;
    await page.exposeFunction("reportEmpty", () => (sawEmpty = true));
    await page.evaluate(`new MutationObserver(() => {
      if (/Send a test trace|No trace matches/.test(document.body.innerText)) window.reportEmpty();
    }).observe(document.body, { childList: true, subtree: true })`);
    await page.getByText("does not answer").waitFor({ state: "detached" });
    await post(again, [{ name: "after the restart", trace_id: "new-2", duration_ms: 1 }]);
    await hasRow(page, "after the restart");
    await hasRow(page, `run ${TRACES - 1}`);
    expect(sawEmpty).toBe(false);

    await page.reload();
    await hasRow(page, `run ${TRACES - 1}`);
    await page.getByText(/11,002 traces since/).waitFor();
  }, 180_000);
});

describe("the days of a list", () => {
  it("are named by lines between the rows, also while traces arrive", async () => {
    const collector = await collectorHere(onDisk(traceDirectory()));
    const noonMs = new Date().setHours(12, 0, 0, 0);
    for (const day of [3, 2, 1])
      await post(
        collector,
        Array.from({ length: 4 }, (_, at) => ({
          name: `run ${day}-${at}`,
          trace_id: `t${day}-${at}`,
          start_time: noonMs - day * 24 * HOUR_MS + at * 1000,
          duration_ms: 5,
        })),
      );
    const { page } = await openPage(browser, collector.url);
    await hasRow(page, "run 3-0");
    // With the year in the first days of the next one.
    const lines = tableOf(page).getByText(/^\w+day \d+ \w+( \d{4})?$/);
    expect(await lines.count()).toBe(3);
    await expectNoOverlap(page);
    await post(collector, [{ name: "today", trace_id: "today", duration_ms: 1 }]);
    await hasRow(page, "today");
    expect(await lines.count()).toBe(3);
    await expectNoOverlap(page);
    expect(await accessibilityViolations(page, ["[role=grid]"])).toEqual([]);
  });
});

describe("a store that cannot keep traces", () => {
  it("is reported on every page with the reason and the lost spans, until it is well again", async () => {
    const directory = traceDirectory();
    const settings = onDisk(directory, { PORT: String(await freePort()) });
    const full = await collectorHere({
      ...settings,
      TRACE_STORE_DISK_MIN_FREE_BYTES: String(Number.MAX_SAFE_INTEGER),
    });
    const { page } = await openPage(browser, full.url);
    const bar = page.getByRole("region", { name: "Trace store" });
    await bar.getByText("New spans are not kept.").waitFor();
    await post(full, [{ name: "lost", trace_id: "lost", duration_ms: 1 }]);
    await bar.getByText(/1 span is lost so far\./).waitFor();
    expect(await bar.innerText()).toContain("free on the disk");
    for (const path of PAGES) {
      await page.goto(full.url + path);
      await bar.getByText(/1 span is lost so far\./).waitFor();
      expect(await accessibilityViolations(page, BAR)).toEqual([]);
    }
    await full.stop();
    await collectorHere(settings);
    await bar.waitFor({ state: "detached" });
  });
});

describe("a second collector of the same user", () => {
  it("says that it keeps traces in memory only, why, and what to do", async () => {
    const env = { XDG_DATA_HOME: traceDirectory(), OBS_SERVER_PORT: "0", OBS_SERVER_HOST: "127.0.0.1" };
    await localCollector(env);
    const { page } = await openPage(browser, await localCollector(env));
    const bar = page.getByRole("region", { name: "Trace store" });
    await bar.getByText("Traces are not kept on disk, and are lost when the collector stops.").waitFor();
    const text = await bar.innerText();
    expect(text).toMatch(/traces\.db is in use by process \d+\. Stop it, or set trace_store\.path/);
    // No stack, and nothing twice.
    expect(text).not.toMatch(/Error|in memory only/);
    expect(await accessibilityViolations(page, BAR)).toEqual([]);
  });
});

/** Starts `obspan serve --local`. Resolves with its address. */
async function localCollector(env: Readonly<Record<string, string>>): Promise<string> {
  const program = startProgram(process.execPath, [OBSPAN, "serve", "--local"], env);
  onTestFinished(() => killProgram(program));
  return await until("the collector listens", () =>
    program.stderr
      .map((line) => /Listening on (http:\/\/[^\s"]+)/.exec(line)?.[1])
      .find((url) => url !== undefined),
  );
}

describe("traces in memory", () => {
  it("are named as such, with how to keep them", async () => {
    const collector = await collectorHere();
    await post(collector, [{ name: "a run", trace_id: "t1", duration_ms: 1 }]);
    const { page } = await openPage(browser, collector.url);
    await page.getByRole("button", { name: "Kept in memory: lost when the collector stops" }).click();
    const advice = page.getByRole("dialog", { name: "How to keep traces" });
    expect(await advice.innerText()).toContain("obspan serve --local");
    expect(await accessibilityViolations(page, ["[role=dialog]"])).toEqual([]);
    await page.goto(`${collector.url}/pipeline`);
    await page.getByRole("region", { name: "Store" }).getByText("Lost when the collector stops").waitFor();
    expect(await accessibilityViolations(page, ["section[aria-label=Store]"])).toEqual([]);
  });
});
