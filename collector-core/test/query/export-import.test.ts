import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ImportResult } from "../../src/api-schema/import.js";
import type { Facets, Histogram, TraceList } from "../../src/api-schema/trace.js";
import { countTurns, everLater } from "../runtime/loop-turns.js";
import { errorOf, span, startCollector, type RunningCollector } from "../running-collector.js";

const JSON_LINES = { "Content-Type": "application/jsonl" };

const exported = async ({ url }: RunningCollector, query = ""): Promise<string> =>
  await (await fetch(`${url}/v1/export${query}`)).text();

async function importInto(
  { url }: RunningCollector,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<ImportResult> {
  const response = await fetch(`${url}/v1/import`, {
    method: "POST",
    headers: { ...JSON_LINES, ...headers },
    body,
  });
  expect(response.status).toBe(200);
  return (await response.json()) as ImportResult;
}

/** All that can be asked about traces, as one value. */
async function everything({ get }: RunningCollector): Promise<unknown> {
  const list = await get<TraceList>("/v1/traces?limit=1000");
  const details = [];
  for (const { trace_id: id, tenant } of list.traces) {
    const query = tenant === "" ? "?full=1" : `?full=1&tenant=${encodeURIComponent(tenant)}`;
    details.push(await get(`/v1/traces/${encodeURIComponent(id)}${query}`));
  }
  return {
    list: list.traces,
    details,
    facets: await get<Facets>("/v1/facets"),
    histogram: await get<Histogram>("/v1/histogram"),
  };
}

/** Spans that have something which OTLP does not, or has otherwise. */
const UNUSUAL: readonly Record<string, unknown>[] = [
  span({ trace_id: "no hex at all ", span_id: "ünïcode", name: "ids" }),
  span({ trace_id: "0af7651916cd43dd8448eb211c80319c", span_id: "b7ad6b7169203331", name: "hex ids" }),
  span({ trace_id: "0AF7651916CD43DD8448EB211C80319C", span_id: "B7AD6B7169203331", name: "upper case" }),
  span({ trace_id: "0".repeat(32), span_id: "0".repeat(16), name: "zeros" }),
  span({
    trace_id: "running",
    span_id: "r",
    status: "RUNNING",
    duration_ms: undefined,
    start_time: "2026-01-01T00:00:00Z",
  }),
  span({ trace_id: "running", span_id: "c", parent_span_id: "r", start_time: "2026-01-01T00:00:01Z" }),
  span({ trace_id: "status", span_id: "s", status: "CANCELLED" }),
  span({ trace_id: "no duration", span_id: "s", duration_ms: undefined, start_time: 1_700_000_000_000 }),
  span({
    trace_id: "nanoseconds",
    span_id: "s",
    start_time: "2026-01-01T00:00:00.123456789Z",
    duration_ms: 0.000001,
  }),
  span({
    trace_id: "two clocks",
    span_id: "s",
    start_time: "2026-01-01T00:00:00Z",
    end_time: "2026-01-01T00:00:09Z",
    duration_ms: 8123.25,
  }),
  span({ trace_id: "failed", span_id: "p", status: "ERROR", error_propagated: true }),
  span({
    trace_id: "failed",
    span_id: "c",
    parent_span_id: "p",
    status: "ERROR",
    attributes: { error_type: "RateLimitError", error_message: "429", error_stack: "at line 1" },
  }),
  span({
    trace_id: "values",
    span_id: "v",
    attributes: {
      nested: { a: [1, "two", null, { b: true }] },
      mixed: [1, "two"],
      empty: [],
      nothing: null,
      zero: -0,
      large: 1e300,
      fraction: 0.1,
      integer: 9007199254740991,
      lone: "\ud83c",
      escaped: 'quote " backslash \\ newline \n',
      __proto__x: 1,
      "obspan.trace_id": "own",
      "obspan.json_keys": ["own"],
      "gen_ai.usage.input_tokens": 99,
      "gen_ai.request.model": "its own",
      tokens_input: 7,
      model: "small",
      prompt_messages: [{ role: "user", parts: [{ type: "text", content: "Grüße 🎉" }] }],
    },
    events: [
      { name: "with time", time: "2026-01-01T00:00:00.5Z", attributes: { a: { b: 1 } } },
      { name: "without" },
    ],
  }),
  span({
    trace_id: "wrapper",
    span_id: "w",
    span_type: "llm",
    attributes: { tokens_input: 10, cost_usd: 0.5 },
  }),
  span({
    trace_id: "wrapper",
    span_id: "leaf",
    parent_span_id: "w",
    span_type: "llm",
    attributes: { tokens_input: 10, cost_usd: 0.5 },
  }),
  span({
    trace_id: "wrapper",
    span_id: "e1",
    parent_span_id: "leaf",
    name: "evaluation.relevance",
    span_type: "evaluation",
    start_time: "2026-02-01T00:00:00Z",
    attributes: { evaluation_type: "relevance", evaluation_score: 0.25, evaluation_label: "weak" },
  }),
  span({
    trace_id: "wrapper",
    span_id: "e2",
    span_type: "evaluation",
    start_time: "2026-01-01T00:00:00Z",
    attributes: { evaluation_type: "relevance", evaluation_score: 0.75 },
  }),
  span({ trace_id: "long", span_id: "l", attributes: { prompt_text: "long text ".repeat(20_000) } }),
];

describe("contract 3: GET /v1/export and POST /v1/import", () => {
  it("restore cleared traces unchanged and in order", async () => {
    const running = await startCollector();
    for (const [index, each] of UNUSUAL.entries()) {
      const context = index % 3 === 0 ? {} : { service: `service ${index % 3}`, env: "test", version: "1.0" };
      expect((await running.post({ ...context, spans: [each] })).status).toBe(202);
    }
    await running.settled();
    const before = await everything(running);
    const file = await exported(running);
    await fetch(`${running.url}/v1/traces`, { method: "DELETE" });
    const result = await importInto(running, file);
    expect(result).toEqual({
      lines: file.trimEnd().split("\n").length,
      refused_lines: 0,
      traces: new Set(UNUSUAL.map(({ trace_id }) => trace_id)).size,
      spans: UNUSUAL.length,
      refused_spans: 0,
      dropped_spans: 0,
      evicted_traces: 0,
      problems: [],
    });
    expect(await everything(running)).toEqual(before);
    expect(await exported(running)).toBe(file);

    const other = await startCollector();
    await importInto(other, gzipSync(file), { "Content-Encoding": "gzip" });
    expect(await everything(other)).toEqual(before);
  });

  it("keep tenants apart, even when two of them share a trace id", async () => {
    const settings = { MULTI_TENANT_ENABLED: "true" };
    const running = await startCollector(settings);
    for (const tenant of ["acme", "globex"])
      await running.post({ spans: [span({ span_id: tenant })] }, { "X-Tenant-ID": tenant });
    await running.settled();
    const before = await everything(running);
    const other = await startCollector(settings);
    await importInto(other, await exported(running));
    expect(await everything(other)).toEqual(before);
    expect((await exported(running, "?tenant=acme")).trimEnd().split("\n")).toHaveLength(1);
  });

  it("round-trip a trace of several services and hundreds of spans", async () => {
    const running = await startCollector();
    for (const service of ["web", "worker", "web"]) {
      const spans = Array.from({ length: 120 }, (_, index) =>
        span({ span_id: `${service} ${index} ${Math.random()}`, start_time: 1_700_000_000_000 }),
      );
      await running.post({ service, spans });
    }
    await running.settled();
    const before = await everything(running);
    const file = await exported(running);
    expect(file.trimEnd().split("\n").length).toBeGreaterThan(1);
    const other = await startCollector();
    expect(await importInto(other, file)).toMatchObject({ traces: 1, spans: 360 });
    expect(await everything(other)).toEqual(before);
  });

  it("export the matching traces as an attachment in OTLP JSON", async () => {
    const running = await startCollector();
    await running.post({
      service: "shop",
      spans: [
        span({ trace_id: "a".repeat(32), span_id: "b".repeat(16), attributes: { prompt_text: "needle" } }),
        span({ trace_id: "other/../trace", span_id: "c" }),
      ],
    });
    await running.settled();
    const response = await fetch(`${running.url}/v1/export?q=NEEDLE`);
    expect(response.headers.get("content-type")).toBe("application/jsonl; charset=utf-8");
    expect(response.headers.get("content-disposition")).toMatch(
      /^attachment; filename="obspan-traces-[\dT:-]+\.otlp\.jsonl"$/,
    );
    const lines = (await response.text()).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      {
        resourceSpans: [
          {
            resource: {
              attributes: expect.arrayContaining([
                { key: "service.name", value: { stringValue: "shop" } },
              ]) as unknown,
            },
            scopeSpans: [
              {
                scope: { name: "obspan" },
                spans: [{ traceId: "a".repeat(32), spanId: "b".repeat(16), kind: 1 }],
              },
            ],
          },
        ],
      },
    ]);
    const one = await fetch(`${running.url}/v1/export?trace_id=${encodeURIComponent("other/../trace")}`);
    expect(one.headers.get("content-disposition")).toBe(
      'attachment; filename="obspan-trace-other_trace.otlp.jsonl"',
    );
    expect((await one.text()).trimEnd().split("\n")).toHaveLength(1);
    expect(await exported(running, "?service=nobody")).toBe("");
    expect(await errorOf(await fetch(`${running.url}/v1/export?trace_id=nope`))).toMatchObject({
      status: 404,
      code: "trace_not_found",
    });
    expect(await errorOf(await fetch(`${running.url}/v1/export?since=never`))).toMatchObject({
      status: 400,
      code: "invalid_query",
    });
  });

  it("yield to the event loop during a long export, so that ingestion continues", async () => {
    const running = await startCollector({}, { clock: everLater() });
    const spans = Array.from({ length: 500 }, (_, index) => span({ trace_id: `t${index}` }));
    await running.post({ spans });
    await running.settled();
    await exported(running);
    const turns = countTurns();
    expect((await exported(running)).trimEnd().split("\n")).toHaveLength(500);
    expect(turns.end()).toBeGreaterThanOrEqual(500);
  });

  it("count imported spans separately, not as received and not in span metrics", async () => {
    const source = await startCollector();
    await source.post({ spans: [span({ span_type: "llm", span_id: "s", attributes: { tokens_input: 5 } })] });
    await source.settled();
    const running = await startCollector({ SAMPLING_RATE: "0" });
    await importInto(running, await exported(source));
    expect((await running.get<TraceList>("/v1/traces")).traces).toMatchObject([{ tokens_input: 5 }]);
    expect(await running.metric('obs_import_spans_total{outcome="imported"}')).toBe(1);
    expect(running.collector.ledger()).toMatchObject({ received: 0, accepted: 0, processed: 0 });
    const page = await (await fetch(`${running.url}/metrics`)).text();
    expect(page).not.toMatch(/^obs_(spans_total|llm_calls_total|tokens_input_count)\{/m);
  });

  it("import files of the OpenTelemetry Collector's file exporter", async () => {
    const running = await startCollector();
    const line = {
      resourceSpans: [
        {
          resource: { attributes: [{ key: "service.name", value: { stringValue: "python-app" } }] },
          scopeSpans: [
            {
              scope: { name: "opentelemetry.instrumentation.openai" },
              spans: [
                {
                  traceId: "0af7651916cd43dd8448eb211c80319c",
                  spanId: "b7ad6b7169203331",
                  name: "chat gpt-5-mini",
                  kind: 3,
                  startTimeUnixNano: "1700000000000000000",
                  endTimeUnixNano: "1700000001500000000",
                  attributes: [
                    { key: "gen_ai.operation.name", value: { stringValue: "chat" } },
                    { key: "gen_ai.request.model", value: { stringValue: "gpt-5-mini" } },
                    { key: "gen_ai.usage.input_tokens", value: { intValue: "12" } },
                  ],
                  status: {},
                },
                { traceId: "", spanId: "", name: "of no trace" },
              ],
            },
          ],
        },
      ],
    };
    const result = await importInto(running, JSON.stringify(line));
    expect(result).toMatchObject({
      lines: 1,
      traces: 1,
      spans: 1,
      refused_spans: 1,
      problems: [{ line: 1 }],
    });
    expect((await running.get<TraceList>("/v1/traces")).traces).toMatchObject([
      { service: "python-app", models: ["gpt-5-mini"], tokens_input: 12, llm_calls: 1, duration_ms: 1500 },
    ]);
  });

  it("import valid lines and report invalid ones", async () => {
    const running = await startCollector({ LIMITS_MAX_BODY_BYTES: "2000" });
    await running.post({
      spans: [span({ trace_id: "a", span_id: "1" }), span({ trace_id: "b", span_id: "2" })],
    });
    await running.settled();
    const [first = "", second = ""] = (await exported(running)).trimEnd().split("\n");
    const tooLong = JSON.stringify({ resourceSpans: [], padding: "x".repeat(8000) });
    const file = `\uFEFFbad\n${first}\r\n\n  \n{"resourceSpans":1}\nnonsense\n${tooLong}\n[]\n${second}`;
    const other = await startCollector({ LIMITS_MAX_BODY_BYTES: "2000" });
    const result = await importInto(other, file);
    expect(result).toMatchObject({ lines: 7, refused_lines: 5, traces: 2, spans: 2 });
    expect(result.problems.map(({ line }) => line)).toEqual([1, 5, 6, 7, 8]);
    expect(result.problems[3]?.message).toContain("8000 bytes (four times limits.max_body_bytes)");
    expect(JSON.stringify(result)).not.toContain("nonsense");
  });

  it("count every line of a file of empty objects, and name those that are no object", async () => {
    const lines = Array.from({ length: 50_000 }, (_, at) => (at % 20_000 === 7 ? "[" : "{}"));
    const result = await importInto(await startCollector(), lines.join("\n"));
    expect(result).toMatchObject({ lines: 50_000, refused_lines: 3, traces: 0, spans: 0, refused_spans: 0 });
    expect(result.problems.map(({ line }) => line)).toEqual([8, 20_008, 40_008]);
  });

  it("reject a file without an OTLP line and import nothing", async () => {
    const running = await startCollector();
    for (const [body, code] of [
      ["a,b,c\n1,2,3\n", "invalid_json"],
      ["[1]\n", "invalid_payload"],
      [new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0xff]), "invalid_encoding"],
    ] as const) {
      const response = await fetch(`${running.url}/v1/import`, { method: "POST", headers: JSON_LINES, body });
      expect(await errorOf(response)).toMatchObject({ status: 400, code, details: { line: 1 } });
    }
    expect((await running.get<TraceList>("/v1/traces")).traces).toEqual([]);
    // The connection serves the next request.
    expect(await importInto(running, "")).toMatchObject({ lines: 0, spans: 0 });
  });

  it("reject other content types, and every import when the store is off", async () => {
    const { url } = await startCollector();
    const post = (headers: Record<string, string>, at = url): Promise<Response> =>
      fetch(`${at}/v1/import`, { method: "POST", headers, body: "{}" });
    expect(await errorOf(await post({ "Content-Type": "text/plain" }))).toMatchObject({ status: 415 });
    expect(await errorOf(await post({ ...JSON_LINES, "Content-Encoding": "zstd" }))).toMatchObject({
      code: "unsupported_encoding",
    });
    expect(await errorOf(await post({ ...JSON_LINES, "Content-Encoding": "gzip" }))).toMatchObject({
      code: "invalid_encoding",
    });
    expect((await fetch(`${url}/v1/import`)).status).toBe(405);
    const off = await startCollector({ TRACE_STORE_ENABLED: "false" });
    for (const answer of [await post(JSON_LINES, off.url), await fetch(`${off.url}/v1/export`)])
      expect(await errorOf(answer)).toMatchObject({ status: 404, code: "trace_store_disabled" });
    const locked = await startCollector({ AUTH_API_KEYS: "key" });
    expect((await post(JSON_LINES, locked.url)).status).toBe(401);
    expect((await fetch(`${locked.url}/v1/export`)).status).toBe(401);
  });

  it("redact imported spans when redaction is on, and cap their attributes", async () => {
    const source = await startCollector();
    const attributes = { prompt_text: "write to jane@example.com", b: 1, c: 2 };
    await source.post({ spans: [span({ span_id: "s", attributes })] });
    await source.settled();
    const running = await startCollector({ REDACTION_ENABLED: "true", LIMITS_MAX_SPAN_ATTRIBUTES: "2" });
    await importInto(running, await exported(source));
    const { attributes: kept } = await running.get<{ attributes: Record<string, unknown> }>(
      "/v1/traces/t1/spans/s",
    );
    expect(Object.keys(kept)).toHaveLength(2);
    expect(JSON.stringify(kept)).not.toContain("jane@example.com");
    expect(await running.metric('obs_redactions_total{pattern="email"}')).toBe(1);
  });

  it("say that spans are gone if the file of the store is removed meanwhile", async () => {
    const directory = mkdtempSync(join(tmpdir(), "obspan-import-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const running = await startCollector({ TRACE_STORE_PATH: directory });
    const source = await startCollector();
    await source.post({ spans: [span({ trace_id: "a" }), span({ trace_id: "b" }), span({ trace_id: "c" })] });
    await source.settled();
    const [last = "", ...others] = (await exported(source)).trimEnd().split("\n");
    await importInto(running, others.join("\n"));

    async function* lines(): AsyncGenerator<string> {
      yield `${last}\n`;
      while ((await running.get<TraceList>("/v1/traces")).traces.length < 3);
      rmSync(directory, { recursive: true });
      yield `${last}\n`;
    }
    const response = await fetch(`${running.url}/v1/import`, {
      method: "POST",
      headers: JSON_LINES,
      body: Readable.from(lines()),
      duplex: "half",
    });
    const { status, code, message, details } = await errorOf(response);
    expect({ status, code }).toEqual({ status: 503, code: "trace_store_unavailable" });
    // The span of this import may have been in the file as well.
    expect(details["unsaved_spans"]).toBeOneOf([2, 3]);
    expect(message).toMatch(/[23] spans are not kept\. Import the file again later\./);
  });

  it("restore evicted traces in full and report the traces evicted for them", async () => {
    const running = await startCollector({ LIMITS_MAX_TRACES: "2" });
    await running.post({ spans: [span({ trace_id: "a", span_id: "a" })] });
    await running.settled();
    const file = await exported(running);
    await running.post({ spans: [span({ trace_id: "b" }), span({ trace_id: "c" })] });
    await running.settled();
    expect(await importInto(running, file)).toMatchObject({ traces: 1, evicted_traces: 1 });
    const { traces } = await running.get<TraceList>("/v1/traces");
    expect(traces.map(({ trace_id, partial }) => [trace_id, partial])).toEqual([
      ["a", false],
      ["c", false],
    ]);
  });
});
