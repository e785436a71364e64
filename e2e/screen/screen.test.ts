import type { Stats } from "@obspan/collector-core/api-schema";
import type { Browser } from "playwright";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../collector-core/test/free-port.js";
import { collectorForTest } from "../harness/built-collector.js";
import { collectorHere } from "../harness/collector-here.js";
import { sharedCollectorHere } from "../harness/shared-collector.js";
import { until } from "../harness/until.js";
import { accessibilityViolations, violationsInBothThemes } from "./accessibility.js";
import { sharedBrowser, openPage } from "./browser.js";
import { supportRun } from "./support-run.js";

/** For the tests that neither read a figure since the start nor show the first page. */
const emptyCollector = sharedCollectorHere();

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});

async function post(collector: { readonly url: string }, spans: unknown[]): Promise<void> {
  const response = await fetch(`${collector.url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service: "shop", env: "production", version: "2.14.0", spans }),
  });
  expect(response.status).toBe(202);
}

const plainSpan = (traceId: string, fields: Record<string, unknown> = {}) => ({
  name: `run ${traceId}`,
  trace_id: traceId,
  span_id: traceId,
  duration_ms: 5,
  ...fields,
});

/** A verdict of a judge, shown in its colour. */
const SCORE = {
  span_type: "evaluation",
  attributes: { evaluation_type: "hallucination", evaluation_score: 0.62, evaluation_label: "likely" },
};

describe("the UI of the built collector", () => {
  it("shows posted spans within a second, without errors on the page", async () => {
    const collector = await collectorForTest();
    const { page, complaints } = await openPage(browser, collector.url);
    await page.getByRole("heading", { name: /Listening on/ }).waitFor();
    await page.getByLabel("Connected").waitFor();
    let posted = 0;
    // A machine with other work may be late once, or several times.
    await until("a run is shown within a second", async () => {
      const id = `run-${++posted}`;
      await post(collector, [plainSpan(id)]);
      await page.getByText(`run ${id}`, { exact: true }).waitFor({ timeout: 1000 });
      return true;
    });
    expect(complaints).toEqual([]);
  });

  it("serves every page with the strict content security policy", async () => {
    const { url } = await emptyCollector();
    for (const path of ["/", "/traces", "/traces/some-id", "/stats", "/settings"]) {
      const response = await fetch(url + path);
      expect(response.status, path).toBe(200);
      const policy = response.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(await response.text()).toContain('<div id="root">');
    }
  });

  it("sends a test trace on a click, which no metric counts", async () => {
    const { url } = await collectorHere();
    const { page } = await openPage(browser, url);
    await page.getByRole("button", { name: "Send a test trace" }).click();
    await page.getByRole("grid", { name: "Traces" }).getByRole("row").nth(1).click();
    await page.getByRole("feed", { name: "Transcript" }).getByText("refund_shipping").first().waitFor();
    await page.keyboard.press("2");
    const spans = page.getByRole("treegrid", { name: "Spans" });
    await spans.getByRole("row").filter({ hasText: "refund_shipping" }).last().waitFor();
    await spans.getByRole("row").filter({ hasText: "chat claude-sonnet-5" }).last().click();
    await page.getByRole("tabpanel", { name: "Messages" }).getByText("tomorrow before noon").waitFor();
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).not.toContain("claude-sonnet-5");
    const { total } = (await (await fetch(`${url}/v1/stats`)).json()) as Stats;
    expect(total.window).toMatchObject({ calls: 0, cost_usd: 0 });
  });

  it("shows the names of the pages until the first trace arrives", async () => {
    const collector = await collectorHere();
    const { page } = await openPage(browser, collector.url);
    const name = page.getByRole("navigation", { name: "Main" }).getByText("Metrics");
    await name.waitFor({ state: "visible" });
    await post(collector, [plainSpan("one")]);
    await page.getByText("run one").waitFor();
    await name.waitFor({ state: "hidden" });
  });

  it("copies without the clipboard API, as on a page from another host", async () => {
    const { url } = await collectorHere();
    const { page } = await openPage(browser, url, { permissions: ["clipboard-read"] });
    await page.getByRole("heading", { name: /Listening on/ }).waitFor();
    await page.evaluate(() => {
      const { navigator } = globalThis as unknown as { navigator: object };
      Object.defineProperty(navigator, "clipboard", { value: undefined });
    });
    await page.locator('[data-tip="Copy the endpoint"]').click();
    await page.getByLabel("Copied").waitFor();
    // Paste with the keyboard to read what was copied.
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search or jump to" }).press("Control+v");
    expect(await page.getByRole("combobox", { name: "Search or jump to" }).inputValue()).toBe(url);
  });

  it("shows how many spans were refused and why, on the first-run page and below the list (contract 4)", async () => {
    const collector = await collectorHere({
      RATE_LIMIT_ENABLED: "true",
      RATE_LIMIT_PER_SERVICE_RPM: "1",
    });
    const send = async (service: string): Promise<number> =>
      (
        await fetch(`${collector.url}/v1/telemetry`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ service, spans: [{ name: "no trace id" }] }),
        })
      ).status;
    const { page } = await openPage(browser, collector.url);
    expect([await send("shop"), await send("shop")]).toEqual([400, 429]);
    await page.getByText("429 rate_limited").waitFor();
    await page.getByText("rate_limit.per_service_rpm").waitFor();
    await page.getByRole("button", { name: "Send a test trace" }).click();
    await page.getByRole("grid", { name: "Traces" }).getByRole("row").nth(1).waitFor();
    await page.getByRole("button", { name: /spans refused/ }).click();
    const reasons = page.getByRole("dialog", { name: "Spans refused or dropped" });
    await reasons.getByText("400 invalid_span").waitFor();
    await reasons.getByText("429 rate_limited").waitFor();
    expect(await accessibilityViolations(page, ["[role=dialog]"])).toEqual([]);
    await page.keyboard.press("Escape");
    await reasons.waitFor({ state: "detached" });
  });

  it("names a missing trace, and marks a span whose parent is missing", async () => {
    const collector = await emptyCollector();
    await post(collector, [plainSpan("orphan", { parent_span_id: "elsewhere" })]);
    const { page } = await openPage(browser, `${collector.url}/traces/gone-for-good`);
    await page.getByRole("heading", { name: "No such trace" }).waitFor();
    await page.getByRole("banner").getByText("gone-for-good").waitFor();
    await page.goto(`${collector.url}/traces/orphan`);
    await page.getByText("Its parent elsewhere is not in this trace.").waitFor();
  });

  it("reports a lost connection to the collector and reconnects", async () => {
    const port = String(await freePort());
    const collector = await collectorForTest({ PORT: port });
    await post(collector, [plainSpan("before")]);
    const { page } = await openPage(browser, `${collector.url}/traces`);
    await page.getByText("run before").waitFor();
    await collector.stop();
    await page.getByText(/does not answer\. Retrying every second since \d\d:\d\d:\d\d;/).waitFor();
    expect(await page.getByText("run before").isVisible()).toBe(true);
    const again = await collectorForTest({ PORT: port });
    await page
      .getByText(/does not answer/)
      .first()
      .waitFor({ state: "detached" });
    await post(again, [plainSpan("after")]);
    await page.getByText("run after").waitFor();
  });

  it("shows every field as text, and runs no script of it", async () => {
    const collector = await emptyCollector();
    const hostile = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>';
    await post(collector, [
      {
        ...plainSpan("hostile"),
        name: hostile,
        span_type: hostile,
        span_id: hostile.slice(0, 60),
        status: hostile,
        attributes: {
          model: hostile,
          agent: hostile,
          tool_name: hostile,
          error_message: hostile,
          prompt_text: `${hostile} [link](javascript:window.ran=1) ![image](http://127.0.0.1:1/x.png)`,
          completion_messages: [{ role: hostile, parts: [{ type: "text", content: hostile }] }],
          [hostile]: hostile,
        },
        events: [{ name: hostile, attributes: { [hostile]: hostile } }],
      },
    ]);
    const { page, complaints } = await openPage(browser, `${collector.url}/traces`);
    await page.getByText(hostile).first().waitFor();
    await page.goto(`${collector.url}/traces/hostile`);
    await page.getByRole("treegrid", { name: "Spans" }).waitFor();
    for (const tab of await page.getByRole("tab").all()) {
      await tab.click();
      await page.getByRole("tabpanel").waitFor();
    }
    expect(await page.evaluate(() => (globalThis as unknown as { ran?: number }).ran)).toBeUndefined();
    expect(await page.locator("img, script:not([src])").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("supports the keyboard alone: list, trace, tabs, views and back", async () => {
    const collector = await emptyCollector();
    await post(collector, supportRun({ traceId: "older", startMs: Date.now() - 60_000 }));
    await post(collector, supportRun({ traceId: "newer", startMs: Date.now() - 30_000 }));
    const { page } = await openPage(browser, `${collector.url}/traces`);
    const grid = page.getByRole("grid", { name: "Traces" });
    await grid.getByRole("row").nth(2).waitFor();
    await grid.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/traces\/(older|newer)/);
    await page.getByRole("feed", { name: "Transcript" }).waitFor();
    await page.keyboard.press("1");
    await page.getByRole("treegrid", { name: "Spans" }).waitFor();
    await page.keyboard.press("e");
    await page.waitForURL(/span=/);
    await page.getByRole("heading", { name: "get_shipping_status" }).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL(/\/traces$/);
    await grid.waitFor();
  });

  it("goes to the next trace with a key pressed before the list has loaded", async () => {
    const collector = await emptyCollector();
    await post(collector, [plainSpan("older"), plainSpan("newer")]);
    const { page } = await openPage(browser, "about:blank");
    let answer = (): void => undefined;
    const requested = new Promise<void>((resolve) => (answer = resolve));
    await page.route("**/v1/traces?*", async (route) => {
      await requested;
      await route.continue();
    });
    await page.goto(`${collector.url}/traces/older`);
    await page.getByRole("heading", { name: "run older", level: 1 }).waitFor();
    await page.keyboard.press("k");
    answer();
    await page.getByRole("heading", { name: "run newer", level: 1 }).waitFor();
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: "run older", level: 1 }).waitFor();
  });

  it("shows a trace that arrives between the first answer and the connection of the live feed", async () => {
    const collector = await collectorHere();
    await post(collector, [plainSpan("first")]);
    const { page } = await openPage(browser, "about:blank");
    // The requests of a shared worker cannot be held.
    const script = await page.addInitScript(() => Reflect.deleteProperty(globalThis, "SharedWorker"));
    onTestFinished(() => script.dispose());
    let connect = (): void => undefined;
    const connected = new Promise<void>((resolve) => (connect = resolve));
    await page.route("**/v1/live", async (route) => {
      await connected;
      await route.continue();
    });
    await page.goto(collector.url);
    await page.getByText("run first").waitFor();
    // It arrives for the readers of that time, so that one that connects later is not told.
    const { body } = await fetch(`${collector.url}/v1/live`);
    await post(collector, [plainSpan("between")]);
    let told = "";
    for await (const chunk of body ?? []) {
      told += Buffer.from(chunk).toString();
      if (told.includes("run between")) break;
    }
    connect();
    await page.getByText("run between").waitFor();
  });

  it("keeps filters in the URL, with counts of the collector", async () => {
    const collector = await emptyCollector();
    await post(collector, [plainSpan("good")]);
    await post(collector, [
      plainSpan("bad", { status: "ERROR", attributes: { error_type: "TimeoutError" } }),
    ]);
    const { page } = await openPage(browser, `${collector.url}/traces?status=ERROR`);
    await page.getByText("run bad").waitFor();
    expect(await page.getByText("run good").count()).toBe(0);
    await page.goto(`${collector.url}/traces?service=nobody`);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByText("run good").waitFor();
  });

  it(
    "has no axe violation on any page, in both themes",
    async () => {
      const collector = await collectorHere();
      const { page } = await openPage(browser, collector.url);
      await page.getByRole("heading", { name: /Listening on/ }).waitFor();
      expect(await violationsInBothThemes(page), "first run").toEqual([]);
      await post(collector, [
        ...supportRun({ traceId: "axe", startMs: Date.now() - 20_000 }),
        plainSpan("judged", { trace_id: "axe", parent_span_id: "elsewhere", ...SCORE }),
      ]);
      await page.getByText("support.resolve_ticket").first().waitFor();
      expect(await violationsInBothThemes(page), "traces").toEqual([]);
      // Axe is several times faster on a page where it has run: from here on the page is not loaded again.
      await page.getByText("support.resolve_ticket").first().click();
      for (const [view, shown] of [
        ["Tree", page.getByRole("treegrid", { name: "Spans" })],
        ["Timeline", page.getByRole("button", { name: "Zoom in" })],
        ["Transcript", page.getByRole("feed", { name: "Transcript" })],
      ] as const) {
        await page.getByRole("button", { name: view, exact: true }).click();
        await shown.waitFor();
        const [first, ...others] = await page.getByRole("tab").all();
        await first?.click();
        // The head of the page and the pane of the span are the same in all views.
        const parts = view === "Tree" ? undefined : ["section[aria-label=Spans]"];
        expect(await violationsInBothThemes(page, parts), view).toEqual([]);
        expect(others.length).toBeGreaterThan(0);
        if (view !== "Tree") continue;
        for (const tab of others) {
          await tab.click();
          // Only these parts of the page change with a tab.
          const changed = ["[role=tablist]", "[role=tabpanel]"];
          expect(await violationsInBothThemes(page, changed), view).toEqual([]);
        }
      }
      await page.getByRole("link", { name: "Settings" }).click();
      await page.getByRole("heading", { name: "Settings" }).waitFor();
      expect(await violationsInBothThemes(page), "later page").toEqual([]);
    },
    // Several passes over a whole page take long on a busy machine.
    180_000,
  );
});

describe("large content", () => {
  it("opens a trace of 500 spans and a message of 2 MB, and stays responsive", async () => {
    const collector = await emptyCollector();
    const spans = Array.from({ length: 500 }, (_, index) => ({
      name: `step ${index}`,
      span_type: index === 0 ? "agent" : index % 3 === 0 ? "llm" : "tool",
      trace_id: "large",
      span_id: `s${index}`,
      parent_span_id: index === 0 ? null : `s${Math.floor((index - 1) / 4)}`,
      start_time: 1_700_000_000_000 + index * 10,
      duration_ms: 500 - index,
      ...(index === 0 ? { attributes: { output_text: "All is well. ".repeat(160_000) } } : {}),
    }));
    await post(collector, spans);
    const { page, complaints } = await openPage(browser, `${collector.url}/traces/large`);
    await page.getByText("step 0").first().waitFor();
    const showAll = page.getByRole("button", { name: /Show all/ });
    await showAll.click();
    await showAll.waitFor({ state: "detached" });
    await page.getByRole("treegrid", { name: "Spans" }).focus();
    await page.keyboard.press("End");
    await page.waitForURL(/span=/);
    expect(complaints).toEqual([]);
  });

  it("stays usable with 10,000 traces while spans arrive", async () => {
    const collector = await collectorHere();
    for (let start = 0; start < 10_000; start += 500) {
      await post(
        collector,
        Array.from({ length: 500 }, (_, index) => plainSpan(`t${start + index}`)),
      );
    }
    const { page } = await openPage(browser, `${collector.url}/traces`);
    await page.getByText("run t9999").waitFor();
    let arrived = 0;
    const posts: Promise<void>[] = [];
    const arriving = setInterval(() => {
      const spans = Array.from({ length: 20 }, () => plainSpan(`late-${arrived++}`));
      posts.push(post(collector, spans));
    }, 100);
    try {
      const grid = page.getByRole("grid", { name: "Traces" });
      await grid.focus();
      await page
        .getByText(/run late-/)
        .first()
        .waitFor();
      await page.keyboard.press("PageDown");
      await page.keyboard.press("PageDown");
      await page.getByRole("button", { name: /^\d+ new$/ }).waitFor();
      const rows = await until("arrivals wait", async () => {
        const text = await page.getByRole("button", { name: /^\d+ new$/ }).textContent();
        return Number(/\d+/.exec(text ?? "")?.[0]) > 50 ? await grid.getByRole("row").count() : undefined;
      });
      expect(rows).toBeLessThan(200);
    } finally {
      clearInterval(arriving);
    }
    await Promise.all(posts);
  });
});
