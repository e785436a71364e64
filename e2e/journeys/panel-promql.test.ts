import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { killProgram, startBuiltCollector, type BuiltCollector } from "../harness/built-collector.js";
import { createHttpClient, telemetry } from "../harness/http-client.js";
import { modelCall } from "../harness/model-call.js";
import { startPrometheus, type Prometheus } from "../harness/prometheus.js";
import { until } from "../harness/until.js";
import { sharedBrowser, openPage } from "../screen/browser.js";

let browser: Browser;
let collector: BuiltCollector;
let prometheus: Prometheus;
let sending: NodeJS.Timeout;

beforeAll(async () => {
  browser = await sharedBrowser();
  collector = await startBuiltCollector({ SRE_ENABLED: "true", SRE_DEFAULT_SLO_ERROR_RATE: "0.5" });
  prometheus = await startPrometheus({ obspan: `127.0.0.1:${collector.port}` });
  // Rates need counters that increase between scrapes.
  const client = createHttpClient(collector.url, 1);
  let count = 0;
  sending = setInterval(() => {
    void client
      .send(telemetry({ service: "shop", spans: spansOf(`t${count++}`) }))
      .answer.catch(() => undefined);
  }, 200);
});

afterAll(async () => {
  clearInterval(sending);
  await prometheus.stop();
  await killProgram(collector);
});

/** A model call, a failed one, and a tool call. */
function spansOf(traceId: string): unknown[] {
  const call = modelCall(traceId, { agent: "support" });
  const failed = modelCall(traceId, { agent: "support", error_type: "timeout" }, { status: "ERROR" });
  const search = {
    name: "search",
    span_type: "tool",
    trace_id: traceId,
    duration_ms: 40,
    attributes: { tool_name: "search", agent: "support" },
  };
  return [call, call, call, failed, search];
}

it.each(["/stats", "/stats?group_by=agent&range=15m", "/stats?service=shop&agent=support"])(
  "the PromQL of every panel of %s returns the values of the panel",
  async (path) => {
    const { page } = await openPage(browser, collector.url + path);
    const footers = page.getByTestId("promql");
    await page.getByRole("region", { name: "SLO and budget by agent" }).getByText("support").waitFor();
    const queries = await footers.allTextContents();
    expect(queries).toHaveLength(9);
    for (const query of queries)
      await until(`${query} has values`, async () => {
        const samples = await prometheus.query(query);
        return (samples.length > 0 && samples.every(({ value }) => Number.isFinite(value))) || undefined;
      });
  },
);

it("the PromQL of the objectives returns the remaining error budget of the panel's day", async () => {
  const { page } = await openPage(browser, `${collector.url}/stats`);
  const panel = page.getByRole("region", { name: "SLO and budget by agent" });
  // One of four calls failed, two may fail.
  await panel
    .getByRole("row", { name: /support/ })
    .getByText("50 %")
    .waitFor();
  const query = (await panel.getByTestId("promql").textContent()) ?? "";
  await until(`${query} is about 0.5`, async () => {
    const [only] = await prometheus.query(query);
    return (only?.labels["agent"] === "support" && Math.abs(only.value - 0.5) < 0.05) || undefined;
  });
});
