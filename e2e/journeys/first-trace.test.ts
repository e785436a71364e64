import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { collectorForTest } from "../harness/built-collector.js";
import { collectorHere } from "../harness/collector-here.js";
import { expectToAddUp, ledgerAtRest } from "../harness/ledger.js";
import { scrape } from "../harness/scrape.js";
import { runInBash } from "../harness/shell.js";
import { until } from "../harness/until.js";

/** The output of the collector on stdout after the start. */
const FIRST_TRACE = /Send a first trace:\n\n(.*?)\n\n/s;
const README = new URL("../../README.md", import.meta.url);

/** The parts of GET /v1/traces and GET /v1/traces/{id} that these tests read. */
interface Traces {
  readonly traces: readonly Record<string, unknown>[];
}
interface Trace {
  readonly trace: Record<string, unknown>;
  readonly spans: readonly Record<string, unknown>[];
}

async function getJson<T>(url: string): Promise<T> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

const TURN = {
  service: "shop",
  env: "staging",
  version: "1.2.3",
  spans: [
    { name: "answer", span_type: "agent", trace_id: "t-1", span_id: "a", duration_ms: 900 },
    {
      name: "chat",
      span_type: "llm",
      trace_id: "t-1",
      span_id: "b",
      parent_span_id: "a",
      duration_ms: 420,
      attributes: {
        model: "gpt-5-mini",
        provider: "openai",
        tokens_input: 12,
        tokens_output: 40,
        cost_usd: 0.25,
        prompt_text: "Hi",
      },
    },
    {
      name: "search",
      span_type: "tool",
      trace_id: "t-1",
      span_id: "c",
      parent_span_id: "a",
      status: "ERROR",
      duration_ms: 30,
      attributes: { tool_name: "search", error_type: "TimeoutError" },
    },
  ],
};

it("shows a batch as a trace, in the metrics and in the ledger", async () => {
  const { url } = await collectorHere();

  const response = await fetch(`${url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(TURN),
  });
  expect(response.status).toBe(202);
  expect(await response.json()).toEqual({ status: "accepted", spans_received: 3 });

  const ledger = await ledgerAtRest(url);
  expectToAddUp(ledger);
  expect(ledger).toMatchObject({ received: 3, accepted: 3, processed: 3 });

  const { traces } = await getJson<Traces>(`${url}/v1/traces?service=shop`);
  expect(traces).toMatchObject([
    { trace_id: "t-1", service: "shop", env: "staging", root_name: "answer", status: "OK", span_count: 3 },
  ]);
  expect((await getJson<Traces>(`${url}/v1/traces?service=other`)).traces).toEqual([]);

  const { trace, spans } = await getJson<Trace>(`${url}/v1/traces/t-1`);
  expect(trace).toMatchObject({ llm_calls: 1, tool_calls: 1, tokens_input: 12, tokens_output: 40 });
  expect(spans.map(({ span_id: id }) => id).sort()).toEqual(["a", "b", "c"]);
  expect(spans.find(({ name }) => name === "chat")).toMatchObject({ attributes: { prompt_text: "Hi" } });

  const metrics = await scrape(url);
  const ofShop = { service: "shop", env: "staging" };
  expect(metrics.value("obs_spans_total", ofShop)).toBe(3);
  expect(metrics.value("obs_llm_calls_total", { ...ofShop, model: "gpt-5-mini", provider: "openai" })).toBe(
    1,
  );
  expect(metrics.value("obs_tokens_input_sum", ofShop)).toBe(12);
  expect(metrics.value("obs_tokens_output_sum", ofShop)).toBe(40);
  expect(metrics.value("obs_cost_total", ofShop)).toBe(0.25);
  expect(metrics.value("obs_duration_seconds_count", ofShop)).toBe(3);
  expect(metrics.value("obs_duration_seconds_sum", ofShop)).toBeCloseTo(1.35, 9);
  expect(metrics.value("obs_duration_seconds_bucket", { span_type: "llm", le: "0.25" })).toBe(0);
  expect(metrics.value("obs_duration_seconds_bucket", { span_type: "llm", le: "0.5" })).toBe(1);
  expect(metrics.value("obs_tool_calls_total", { tool_name: "search", status: "ERROR" })).toBe(1);
  expect(metrics.value("obs_errors_total", { tool_name: "search", error_type: "timeout" })).toBe(1);
  expect(metrics.value("obs_trace_store_traces")).toBe(1);
  expect(metrics.value("obs_http_requests_total", { route: "/v1/telemetry", status: "202" })).toBe(1);
});

it("answers the probes and describes its API", async () => {
  const { url } = await collectorHere();

  const health = await getJson<Record<string, unknown>>(`${url}/health`);
  expect(health).toMatchObject({ status: "ok", version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  expect(health["uptime_seconds"]).toBeGreaterThan(0);
  expect(await getJson(`${url}/ready`)).toEqual({ status: "ready", queue_pct: 0 });

  const api = await getJson<{ openapi: string; paths: Record<string, object> }>(`${url}/openapi.json`);
  expect(api.openapi).toMatch(/^3\.1\./);
  const documented = [
    "/v1/telemetry",
    "/v1/traces",
    "/v1/traces/{trace_id}",
    "/metrics",
    "/health",
    "/ready",
  ];
  expect(Object.keys(api.paths)).toEqual(expect.arrayContaining(documented));
});

it("runs the first trace of the README as printed", async () => {
  const { url } = await collectorHere();
  const readme = readFileSync(README, "utf8");
  const [, block = ""] = /^## A first trace\n[^#]*?```sh\n(.*?)```/ms.exec(readme) ?? [];
  expect(block).toContain("http://127.0.0.1:8080");

  const { code, stdout, stderr } = await runInBash(block.replaceAll("http://127.0.0.1:8080", url));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain('{"status":"accepted","spans_received":1}');
  expect(stdout).toContain('"trace_id":"first"');
  expect(stdout).toMatch(/^obs_llm_calls_total\{.*model="gpt-5-mini".*\} 1$/m);
});

it("runs the command that the collector prints at the start, and answers all addresses there", async () => {
  const { url, stdout: printed } = await collectorForTest();
  const command = await until("the command is printed", () => FIRST_TRACE.exec(printed())?.[1]);
  expect(command).toContain(`curl ${url}/v1/telemetry`);

  const { code, stdout } = await runInBash(command);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '{"status":"accepted","spans_received":1}' });
  await ledgerAtRest(url);
  expect(await getJson<Traces>(`${url}/v1/traces`)).toMatchObject({
    traces: [{ trace_id: "first", service: "demo", root_name: "hello" }],
  });

  const addresses = Array.from(printed().matchAll(/^ {2}\w+ +(http:\S+)$/gm), ([, address = ""]) => address);
  expect(addresses).toHaveLength(3);
  for (const address of addresses) expect((await fetch(address)).status).toBe(200);
});
