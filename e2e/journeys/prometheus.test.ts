import { afterAll, beforeAll, expect, it } from "vitest";
import { killProgram, startBuiltCollector, type BuiltCollector } from "../harness/built-collector.js";
import { batchOf } from "../harness/http-client.js";
import { ledgerAtRest } from "../harness/ledger.js";
import { startPrometheus, type Prometheus } from "../harness/prometheus.js";
import { runProgram } from "../harness/shell.js";
import { startTextFormatProxy } from "../harness/text-format-proxy.js";
import { until } from "../harness/until.js";

/** One job scrapes OpenMetrics, which Prometheus prefers, the other the text format. */
const JOBS = ["openmetrics", "text"] as const;

/** Values that need escapes, and pairs that wrong escaping would merge. */
const TRICKY_MODELS = [
  'quote " comma , brace } equals =',
  "a\nb",
  "a\\nb",
  "ends in a backslash \\",
  'backslash quote \\"',
  "ünïcödé 模型 🚀",
  " spaces\tand tab ",
  "control \u0000 \u0001 \r \u001b[31m \u007f \u0085",
  "separators \u2028 \ufeff \uffff",
];
/** Trace ids that an exemplar must omit or escape; a wrong one invalidates the whole scrape. */
const TRICKY_TRACE_IDS = [...TRICKY_MODELS, "\u0000", "x".repeat(128), "\u{1f680}".repeat(120)];

let collector: BuiltCollector;
let prometheus: Prometheus;
let closeProxy: () => void;

beforeAll(async () => {
  collector = await startBuiltCollector({ EXEMPLARS_ENABLED: "true" });
  const { server, address } = await startTextFormatProxy(collector.url);
  closeProxy = () => void server.close();
  prometheus = await startPrometheus({ openmetrics: `127.0.0.1:${collector.port}`, text: address });

  const chat = {
    attributes: { model: "m-1", provider: "openai", agent: "planner", tokens_input: 200, cost_usd: 0.5 },
  };
  await post(batchOf(90, "fast", { ...chat, duration_ms: 420 }));
  await post(batchOf(10, "slow", { ...chat, duration_ms: 1500, status: "ERROR" }));
  for (const model of TRICKY_MODELS) await post(batchOf(3, "tricky", { attributes: { model } }));
  for (const trace_id of TRICKY_TRACE_IDS)
    await post({ service: "e2e", spans: [{ name: "work", trace_id, duration_ms: 3 }] });
  await ledgerAtRest(collector.url);
});

afterAll(async () => {
  await prometheus.stop();
  closeProxy();
  await killProgram(collector);
});

async function post(batch: unknown): Promise<void> {
  const response = await fetch(`${collector.url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(batch),
  });
  expect(response.status).toBe(202);
}

/** The single value of a query, once it is the expected one; otherwise the last value. */
async function expectValue(promQl: string, expected: number): Promise<void> {
  let seen: unknown;
  await until(`${promQl} is ${expected}`, async () => {
    seen = await prometheus.query(promQl);
    const [only, ...others] = seen as { value: number }[];
    return (others.length === 0 && only !== undefined && Math.abs(only.value - expected) < 1e-9) || undefined;
  }).catch((error: unknown) => {
    throw new Error(`${promQl} is ${JSON.stringify(seen)}, not ${expected}.`, { cause: error });
  });
}

it.each(JOBS)("Prometheus scrapes the collector and counts the sent spans (%s)", async (job) => {
  await expectValue(`up{job="${job}"}`, 1);
  await expectValue(
    `sum(obs_spans_total{job="${job}", service="e2e"})`,
    100 + 3 * TRICKY_MODELS.length + TRICKY_TRACE_IDS.length,
  );
  await expectValue(`sum(obs_llm_calls_total{job="${job}", model="m-1", agent="planner"})`, 100);
  await expectValue(`sum(obs_llm_calls_total{job="${job}", model="m-1", status="ERROR"})`, 10);
  await expectValue(`sum(obs_cost_total{job="${job}", model="m-1"})`, 50);
  await expectValue(
    `sum(obs_tokens_input_sum{job="${job}"}) / sum(obs_tokens_input_count{job="${job}"})`,
    200,
  );
  await expectValue(`obs_spans_received_total{job="${job}"} - obs_spans_accepted_total{job="${job}"}`, 0);
});

it.each(JOBS)("histogram_quantile returns the sent durations (%s)", async (job) => {
  const buckets = `sum by (le) (obs_duration_seconds_bucket{job="${job}", model="m-1"})`;
  // 90 of 100 are in (0.25, 0.5] and 10 in (1, 2]; the quantile interpolates linearly in its bucket.
  await expectValue(`histogram_quantile(0.45, ${buckets})`, 0.25 + 0.25 * (45 / 90));
  await expectValue(`histogram_quantile(0.95, ${buckets})`, 1 + 1 * (5 / 10));
  await expectValue(`sum(obs_duration_seconds_sum{job="${job}", model="m-1"})`, 90 * 0.42 + 10 * 1.5);
});

it.each(JOBS)("Prometheus receives any label value unchanged (%s)", async (job) => {
  const models = await until("all models are scraped", async () => {
    const samples = await prometheus.query(`obs_llm_calls_total{job="${job}", agent=""}`);
    return samples.length >= TRICKY_MODELS.length ? samples : undefined;
  });
  const counts = Object.fromEntries(models.map(({ labels, value }) => [labels["model"] ?? "", value]));
  expect(counts).toEqual(Object.fromEntries(TRICKY_MODELS.map((model) => [model, 3])));

  // A JSON string is a valid PromQL string.
  for (const model of TRICKY_MODELS) {
    await expectValue(`obs_llm_calls_total{job="${job}", model=${JSON.stringify(model)}}`, 3);
  }
});

it("Prometheus knows the types of the families by both formats", async () => {
  for (const job of JOBS) await expectValue(`up{job="${job}"}`, 1);
  const openMetrics = await prometheus.familyTypes("openmetrics");
  const text = await prometheus.familyTypes("text");
  const histogram = { obs_duration_seconds: "histogram", obs_queue_size: "gauge" };
  // Only OpenMetrics names a counter without the suffix of its sample, so Prometheus received it.
  expect(openMetrics).toMatchObject({ obs_llm_calls: "counter", obs_cost: "counter", ...histogram });
  expect(text).toMatchObject({ obs_llm_calls_total: "counter", obs_cost_total: "counter", ...histogram });
});

it("every scrape succeeds: healthy targets, an empty log, no duplicate samples", async () => {
  for (const job of JOBS) await expectValue(`sum_over_time(up{job="${job}"}[1m]) >= bool 3`, 1);
  for (const { job, health, lastError } of await prometheus.targets()) {
    expect({ job, health, lastError }).toEqual({ job, health: "up", lastError: "" });
  }
  await expectValue("sum(prometheus_target_scrapes_sample_duplicate_timestamp_total)", 0);
  await expectValue("sum(prometheus_target_scrapes_sample_out_of_order_total)", 0);
  expect(prometheus.log.filter((line) => /"level":"(warn|error)"/.test(line))).toEqual([]);
});

it("promtool accepts the text format of the collector's own families", async () => {
  const exposition = await (await fetch(`${collector.url}/metrics`)).text();
  const { code, stdout, stderr } = await runProgram("promtool", ["check", "metrics"], { input: exposition });
  const complaints = `${stdout}${stderr}`.split("\n").filter((line) => line !== "");
  // Exit code 1 is a parse error, 3 a lint warning about a name, which prom-client's own families get.
  expect([0, 3]).toContain(code);
  expect(complaints.filter((line) => !line.startsWith("nodejs_"))).toEqual([]);
});
