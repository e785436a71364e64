import type { Browser, Page, Request } from "playwright";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../collector-core/test/free-port.js";
import { collectorHere, type CollectorHere } from "../harness/collector-here.js";
import { alteringProxyForTest } from "../harness/altering-proxy.js";
import { modelCall } from "../harness/model-call.js";
import { sharedCollectorHere } from "../harness/shared-collector.js";
import { pause, until } from "../harness/until.js";
import { accessibilityViolations } from "./accessibility.js";
import { openPage, sharedBrowser } from "./browser.js";
import { supportRun } from "./support-run.js";

/** For the tests that read no metric. */
const emptyCollector = sharedCollectorHere();

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});

async function post(collector: CollectorHere, spans: unknown[]): Promise<void> {
  const response = await fetch(`${collector.url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service: "shop", env: "production", spans }),
  });
  expect(response.status).toBe(202);
}

const run = (trace_id: string, startMs: number, attributes: Record<string, unknown> = {}) => ({
  name: `run ${trace_id}`,
  trace_id,
  span_id: trace_id,
  start_time: startMs,
  duration_ms: 40,
  attributes,
});

const eventually = (what: string, isSo: () => Promise<boolean>): Promise<true> =>
  until(what, async () => ((await isSo()) ? true : undefined));

const rowNames = (page: Page): Promise<string[]> =>
  page.getByRole("grid", { name: "Traces" }).getByRole("link").allInnerTexts();
const figure = (page: Page) => page.getByRole("figure", { name: "Traces over time" });

/** Whether an element's text is not cut, in a page. */
const fits = (page: Page, selector: string): Promise<boolean[]> =>
  page.locator(selector).evaluateAll((elements) =>
    elements.map((element) => {
      const { scrollWidth, clientWidth } = element as unknown as { scrollWidth: number; clientWidth: number };
      return scrollWidth <= clientWidth;
    }),
  );

/** Lets the page draw what has changed, also what it measures first. */
const nextFrames = (page: Page): Promise<void> =>
  page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))");

/** Whether the page itself scrolls or is wider than the window. */
const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const { document, innerWidth } = globalThis as unknown as {
      document: { documentElement: { scrollWidth: number } };
      innerWidth: number;
    };
    return document.documentElement.scrollWidth - innerWidth;
  });

describe("the list", () => {
  it("is in the order of starts, with outliers beside the histogram, and names keys that are no filters", async () => {
    const collector = await emptyCollector();
    const nowMs = Date.now();
    const recent = Array.from({ length: 30 }, (_, index) => run(`r${index}`, nowMs - index * 20_000));
    // The traces arrive in another order than they start.
    await post(collector, recent.toReversed());
    await post(collector, [run("last-year", nowMs - 400 * 86_400_000)]);
    const { page, complaints } = await openPage(browser, `${collector.url}/traces`);
    await page.getByText("31 traces").waitFor();
    expect((await rowNames(page)).slice(0, 3)).toEqual(["run r0", "run r1", "run r2"]);
    expect((await rowNames(page)).at(-1)).toBe("run last-year");
    expect(await page.getByRole("columnheader", { name: "Start" }).getAttribute("aria-sort")).toBe(
      "descending",
    );

    const older = figure(page).getByRole("button", { name: "1 older trace" });
    await older.waitFor();
    expect(await figure(page).getByTestId("bars").locator("g").count()).toBeGreaterThan(10);
    // Dates fit into their column.
    expect(await fits(page, '[role="gridcell"] [data-tip*=":"]')).not.toContain(false);
    await older.click();
    await eventually(
      "only the old trace is listed",
      async () => (await rowNames(page)).join() === "run last-year",
    );
    expect(await older.getAttribute("aria-pressed")).toBe("true");
    await older.click();
    await eventually("all are listed again", async () => (await rowNames(page))[0] === "run r0");

    await post(collector, [run("late", nowMs - 30_000)]);
    await page.getByText("run late").waitFor();
    expect((await rowNames(page)).slice(0, 4)).toEqual(["run r0", "run r1", "run late", "run r2"]);

    const query = page.getByRole("combobox", { name: "Filter traces" });
    await query.fill("servise:shop");
    await query.press("Enter");
    await page.getByText('There is no key "servise" (did you mean "service"?)').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("finds a value among more than a menu shows", async () => {
    const collector = await emptyCollector();
    const nowMs = Date.now();
    const agents = Array.from({ length: 230 }, (_, index) =>
      run(`a${index}`, nowMs - index, { agent: `agent ${index}` }),
    );
    await post(collector, agents);
    const { page } = await openPage(browser, `${collector.url}/traces`);
    await page.getByRole("button", { name: "Agent" }).click();
    const menu = page.getByRole("dialog", { name: "Agent" });
    await menu.getByText("200 of 230 shown").waitFor();
    expect(await accessibilityViolations(page, ["[role=dialog]"])).toEqual([]);
    await page.getByRole("combobox", { name: "Search agent" }).fill("agent 22");
    await menu.getByRole("option", { name: "agent 229" }).waitFor();
    await eventually("no other values", async () => (await menu.getByRole("option").count()) === 11);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await menu.waitFor({ state: "detached" });
    await page.getByText("1 trace", { exact: false }).first().waitFor();
    expect(new URL(page.url()).searchParams.get("agent")).toMatch(/^agent 22/);

    // Several values, and one that is left out.
    await page.getByRole("button", { name: /^Agent/ }).click();
    await page.getByRole("combobox", { name: "Search agent" }).fill("agent 100");
    await menu.getByRole("option", { name: "agent 100" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Shift+Enter");
    await page.getByText("2 traces", { exact: false }).first().waitFor();
    expect(new URL(page.url()).searchParams.get("query")).toMatch(/^agent:"agent 22\d?","agent 100"$/);
    expect(await accessibilityViolations(page, ["[role=dialog]", "[role=search]"])).toEqual([]);
    await page.keyboard.press("Alt+Enter");
    await page.getByText("1 trace", { exact: false }).first().waitFor();
    expect(new URL(page.url()).searchParams.get("query")).toBe('-agent:"agent 100"');
    await menu.getByRole("button", { name: "Any agent" }).click();
    await page.getByText("230 traces").waitFor();
  });

  it("says after a restart that the collector is empty, not that nothing matches", async () => {
    const port = String(await freePort());
    const collector = await collectorHere({ PORT: port });
    await post(collector, [run("before", Date.now())]);
    const { page } = await openPage(browser, `${collector.url}/traces?service=shop`);
    await page.getByText("run before").waitFor();
    // The list does not wait for the live feed, which tells which process answers.
    await page.getByLabel("Connected").waitFor();
    await collector.stop();
    await collectorHere({ PORT: port });
    await page.getByRole("heading", { name: "The collector restarted and is empty" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "The collector is empty" }).waitFor();
    expect(await page.getByText("No trace matches").count()).toBe(0);
  });
});

it("pages fit at 900 and 1280 pixels, zoomed to 200 %, and in forced colours", async () => {
  const collector = await collectorHere();
  await post(collector, [
    ...supportRun({ traceId: "support", startMs: Date.now() - 30_000 }),
    {
      name: "evaluation.hallucination",
      span_type: "evaluation",
      trace_id: "support",
      duration_ms: 1,
      attributes: { evaluation_type: "hallucination", evaluation_score: 0.62 },
    },
    ...["relevance", "faithfulness"].map((type) => ({
      name: `evaluation.${type}`,
      span_type: "evaluation",
      trace_id: "support",
      duration_ms: 1,
      attributes: { evaluation_type: type, evaluation_score: 0.9 },
    })),
    ...Array.from({ length: 6 }, (_, index) =>
      modelCall(`m${index}`, { model: `vendor-model-with-a-long-name-${index}` }),
    ),
    {
      name: "tool",
      span_type: "tool",
      trace_id: "support",
      duration_ms: 3,
      attributes: { tool_name: "mcp__github__create_pull_request" },
    },
  ]);
  const { page, complaints } = await openPage(browser, `${collector.url}/traces`);
  await page.getByText("support.resolve_ticket").first().waitFor();
  /** What holds besides on a page that is at least 900 pixels wide. */
  const details: Readonly<Record<string, (width: number) => Promise<void>>> = {
    async "/traces"(width) {
      const input = page.getByRole("columnheader", { name: "Input → output" });
      await input.waitFor();
      expect((await input.boundingBox())?.width, `at ${width}`).toBeGreaterThanOrEqual(260);
      // The sender reported the cost of the model calls, and the collector computed that of the embedding.
      const row = page.getByRole("row", { name: /support\.resolve_ticket/ });
      await row.getByText(", computed from the price list").waitFor();
    },
    async "/traces/support"(width) {
      // Of what the head names, only the place beside the service is cut.
      await page.locator("dt", { hasText: "Scores" }).waitFor();
      expect(await fits(page, "header dl dd > :not(small)"), `head at ${width}`).not.toContain(false);
      // While nothing runs, the bar has room for the names of the views.
      const name = page.getByRole("group", { name: "View" }).getByText("Timeline");
      expect((await name.boundingBox())?.width, `bar at ${width}`).toBeGreaterThan(40);
    },
    async "/stats"() {
      await page.getByTestId("legend").locator("> span").nth(5).waitFor();
      expect(await fits(page, '[data-testid="legend"] span span')).not.toContain(false);
      expect(await fits(page, 'button:has-text("Filter")')).toEqual([true]);
      await page.getByText("ull_request").waitFor();
    },
  };
  for (const path of ["/traces", "/traces/support", "/stats", "/evaluations", "/pipeline"]) {
    await page.goto(collector.url + path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    for (const [width, height] of [
      [1280, 800],
      [900, 700],
      // 1280 × 800 at 200 %.
      [640, 400],
    ] as const) {
      await page.setViewportSize({ width, height });
      await nextFrames(page);
      expect(await overflow(page), `${path} at ${width}`).toBeLessThanOrEqual(0);
      if (width >= 900) await details[path]?.(width);
    }
  }

  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${collector.url}/traces?group_by=name`);
  const groups = page.getByRole("grid", { name: "Traces by Name" });
  await groups.getByText(", computed from the price list").first().waitFor();
  await page.goto(`${collector.url}/pipeline`);
  await page.getByRole("heading", { name: "Redaction" }).waitFor();
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await keys.waitFor();
  expect(await fits(page, '[role="dialog"] dl > div')).not.toContain(false);
  await page.keyboard.press("Escape");

  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ forcedColors: "active" });
  await page.goto(`${collector.url}/traces/support?view=timeline`);
  const spans = page.getByRole("treegrid", { name: "Spans" });
  await spans.waitFor();
  await spans.focus();
  await page.keyboard.press("ArrowDown");
  const outline = (selector: string): Promise<string> =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => {
        const { getComputedStyle } = globalThis as unknown as {
          getComputedStyle(element: unknown): { outlineStyle: string };
        };
        return getComputedStyle(element).outlineStyle;
      });
  expect(await outline('[role="row"][aria-selected="true"]')).toBe("solid");
  expect(await outline('[role="tab"][aria-selected="true"]')).toBe("solid");
  expect(complaints).toEqual([]);
});

it("shows tooltips on hover and on focus, offers the open trace's actions, and keeps the width of the names", async () => {
  const collector = await emptyCollector();
  await post(collector, supportRun({ traceId: "support", startMs: Date.now() - 30_000 }));
  const { page, complaints } = await openPage(browser, `${collector.url}/traces/support?view=timeline`);
  await page.getByRole("treegrid", { name: "Spans" }).waitFor();
  const tip = page.getByRole("tooltip");

  await page.getByRole("button", { name: "Zoom in" }).hover();
  await tip.getByText("Zoom in").waitFor();
  await page.keyboard.press("Escape");
  await tip.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Critical path" }).focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Shift+Tab");
  await tip.getByText("The spans that determine the duration").waitFor();
  expect(await accessibilityViolations(page, ["section[aria-label=Spans]", "[role=tooltip]"])).toEqual([]);
  expect(await page.getByRole("button", { name: "Critical path" }).getAttribute("aria-describedby")).toBe(
    await tip.getAttribute("id"),
  );
  expect(await page.locator("[title]").count()).toBe(0);

  const names = page.getByRole("separator", { name: "Width of the names" });
  const before = Number(await names.getAttribute("aria-valuenow"));
  const box = await names.boundingBox();
  if (box === null) throw new Error("The divider is not there.");
  await page.mouse.move(box.x + box.width / 2, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 90, box.y + 100);
  await page.mouse.up();
  expect(Number(await names.getAttribute("aria-valuenow"))).toBe(before + 90);
  await names.press("ArrowLeft");
  await page.reload();
  await names.waitFor();
  expect(Number(await names.getAttribute("aria-valuenow"))).toBe(before + 74);

  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: /^Show as tree/ }).click();
  await page.waitForURL(/view=tree/);
  expect(complaints).toEqual([]);
});

it("serves its scripts compressed", async () => {
  const { url } = await emptyCollector();
  const page = await (await fetch(url)).text();
  const scripts = Array.from(
    page.matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g),
    ([, path = ""]) => path,
  );
  expect(scripts.length).toBeGreaterThan(1);
  for (const path of scripts) {
    const response = await fetch(url + path, { headers: { "Accept-Encoding": "gzip, br" } });
    // A file that fits into one packet has no compressed copy.
    const { length } = await response.text();
    expect(response.headers.get("content-encoding"), path).toBe(length < 1024 ? null : "br");
    expect(response.headers.get("vary")?.toLowerCase()).toContain("accept-encoding");
  }
});

describe("what is asked for when a page opens", () => {
  it("is asked for once if nothing changed until the live feed is connected", async () => {
    const collector = await emptyCollector();
    const { url } = collector;
    const { page } = await openPage(browser, `${url}/traces`);
    await post(collector, [run("one", Date.now(), { session_id: "s", input_text: "Where is it?" })]);
    await page.getByText("run one").waitFor();
    const asked: string[] = [];
    const onRequest = (request: Request): void => {
      const { pathname, search } = new URL(request.url());
      // Two parts of a page read the configuration.
      if (pathname.startsWith("/v1/") && pathname !== "/v1/config") asked.push(pathname + search);
    };
    page.on("request", onRequest);
    onTestFinished(() => void page.off("request", onRequest));
    for (const [path, shows] of [
      ["/traces", "run one"],
      ["/traces?group_by=name", "run one"],
      ["/traces/one", "run one"],
      ["/sessions", "Where is it?"],
    ] as const) {
      // What the page before still asks for is not counted.
      await page.goto("about:blank");
      asked.length = 0;
      await page.goto(url + path);
      await page.getByLabel("Connected").waitFor();
      await page.getByRole("main").getByText(shows).first().waitFor();
      // What the first event causes is asked for with the next frame.
      await nextFrames(page);
      expect(asked.length, path).toBeGreaterThan(0);
      expect(new Set(asked).size, `${path}: ${asked.join(" ")}`).toBe(asked.length);
    }
  });

  it("is asked for again if a trace arrived between the answer and the live feed", async () => {
    const collector = await emptyCollector();
    await post(collector, [run("one", Date.now())]);
    let connect = (): void => undefined;
    const held = new Promise<void>((resolve) => (connect = resolve));
    const { url } = await alteringProxyForTest(
      collector.url,
      (text) => text,
      (path) => (path.startsWith("/v1/live") ? held : undefined),
    );
    const { page } = await openPage(browser, `${url}/traces`);
    await page.getByText("run one").waitFor();
    await post(collector, [run("two", Date.now())]);
    const isStored = async (): Promise<boolean> => (await fetch(`${collector.url}/v1/traces/two`)).ok;
    await eventually("it is stored", isStored);
    // Longer ago than a step of the feed, which would tell of it.
    await pause(400);
    expect(await page.getByText("run two").count()).toBe(0);
    connect();
    await page.getByText("run two").waitFor();
  });
});

it("acts on keys that were pressed while the trace was loading", async () => {
  const collector = await emptyCollector();
  for (const traceId of ["first", "second"])
    await post(collector, supportRun({ traceId, startMs: Date.now() - 60_000 }));
  const { page } = await openPage(browser, `${collector.url}/traces`);
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route(/v1\/traces\/(first|second)/, async (route) => {
    await held;
    await route.continue();
  });
  const links = page.getByRole("link", { name: "support.resolve_ticket" });
  const loading = page.getByText("Loading the trace");
  await links.first().click();
  await loading.waitFor({ state: "attached" });
  // To the list at once; the key before is forgotten.
  await page.keyboard.press("4");
  await page.keyboard.press("Escape");
  await page.waitForURL(/traces$/);
  await links.last().click();
  await loading.waitFor({ state: "attached" });
  for (const key of ["3", "t", "/"]) await page.keyboard.press(key);
  answer();
  await page
    .getByText(/k tokens/)
    .first()
    .waitFor();
  await page.waitForURL(/view=flame/);
  await page.locator("[role=search] input:focus").waitFor();
});
