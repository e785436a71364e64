import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Stats } from "../../src/api-schema/stats.js";
import type { NormalizedSpan, TraceDetail } from "../../src/api-schema/trace.js";
import { errorOf, span, startCollector, type RunningCollector } from "../running-collector.js";
import { plainAttributes, startOtlpReceiver } from "../export/otlp-receiver.js";

/** 1,000 input tokens and 100 output tokens of gpt-5-mini: $0.25 and $2 per million. */
const COST = 0.000_45;
const CALL = { model: "gpt-5-mini-2025-08-07", tokens_input: 1000, tokens_output: 100 };

function call(id: string, attributes: Record<string, unknown>, fields: Record<string, unknown> = {}) {
  return span({ span_id: id, span_type: "llm", attributes, ...fields });
}

/** A file with the same price for every name. */
function pricesOf(count: number, nameOf: (index: number) => string): string {
  const price = { input_per_1m: 1, output_per_1m: 2 };
  return JSON.stringify({
    default: Object.fromEntries(Array.from({ length: count }, (_, n) => [nameOf(n), price])),
  });
}

async function costsOf({ get }: RunningCollector, traceId = "t1") {
  const { spans } = await get<TraceDetail>(`/v1/traces/${traceId}`);
  return Object.fromEntries(spans.map((each) => [each.span_id, [each.cost_usd, each.cost_source]]));
}

function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), "obspan-prices-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

it("contract 9: a model call without cost gets the cost of its model beside its attributes, and metrics and summary count it", async () => {
  const running = await startCollector();
  const { post, get, settled, metric } = running;
  await post({
    service: "shop",
    env: "test",
    spans: [
      call("computed", CALL),
      call("reported", { ...CALL, cost_usd: 0.5 }),
      call("free", { ...CALL, cost_usd: 0 }),
      call("unusable", { ...CALL, cost_usd: -1 }),
      call("unknown", { ...CALL, model: "gpt-99-mini" }),
      call("no-tokens", { model: "gpt-5-mini" }),
      call("absurd", { model: "gpt-5-mini", tokens_input: Number.MAX_SAFE_INTEGER }),
      call("running", CALL, { status: "RUNNING" }),
      call("wrapper", CALL),
      call("inner", CALL, { parent_span_id: "wrapper" }),
      call("embedding", { model: "text-embedding-3-small", tokens_input: 1000 }, { span_type: "embedding" }),
      call("agent", CALL, { span_type: "agent" }),
    ],
  });
  await settled();
  expect(await costsOf(running)).toEqual({
    computed: [COST, "computed"],
    reported: [0.5, "reported"],
    free: [0, "reported"],
    unusable: [COST, "computed"],
    unknown: [undefined, undefined],
    "no-tokens": [undefined, undefined],
    absurd: [undefined, undefined],
    running: [undefined, undefined],
    wrapper: [undefined, undefined],
    inner: [COST, "computed"],
    embedding: [0.000_02, "computed"],
    agent: [undefined, undefined],
  });
  const { attributes } = await get<NormalizedSpan>("/v1/traces/t1/spans/computed");
  expect(attributes).toEqual(CALL);
  const total = 0.5 + 3 * COST + 0.000_02;
  const { trace } = await get<TraceDetail>("/v1/traces/t1");
  expect(trace.cost_usd).toBeCloseTo(total, 12);
  expect(trace.cost_source).toBe("computed");
  const series = (model: string) =>
    metric(`obs_cost_total{service="shop",env="test",model="${model}",provider="",agent=""}`);
  expect(await series(CALL.model)).toBeCloseTo(0.5 + 3 * COST, 12);
  expect(await series("text-embedding-3-small")).toBeCloseTo(0.000_02, 12);
  // The statistics tell the two apart, in total and by model.
  const { total: all, groups } = await get<Stats>("/v1/stats?group_by=model");
  expect(all.window.cost_usd).toBeCloseTo(total, 9);
  expect(all.window.computed_cost_usd).toBeCloseTo(total - 0.5, 9);
  expect(all.series.computed_cost_usd.at(-1)).toBeCloseTo(total - 0.5, 9);
  const embedding = groups.find(({ value }) => value === "text-embedding-3-small")?.window;
  expect(embedding).toMatchObject({ cost_usd: 0.000_02, computed_cost_usd: 0.000_02 });
});

it("contract 9: cached tokens, cache writes and reasoning have their prices, also in the dialects of OTLP", async () => {
  const running = await startCollector();
  const { post, url, settled } = running;
  const claude = { model: "claude-sonnet-4-5-20250929", tokens_input: 10_000, tokens_output: 1000 };
  await post({ spans: [call("own", { ...claude, tokens_cached: 6000, tokens_cache_write: 2000 })] });
  const otlp = [
    {
      "gen_ai.operation.name": "chat",
      "gen_ai.response.model": claude.model,
      "gen_ai.usage.input_tokens": 10_000,
      "gen_ai.usage.output_tokens": 1000,
      "gen_ai.usage.cache_read.input_tokens": 6000,
      "gen_ai.usage.cache_creation.input_tokens": 2000,
    },
    {
      "openinference.span.kind": "LLM",
      "llm.model_name": claude.model,
      "llm.token_count.prompt": 10_000,
      "llm.token_count.completion": 1000,
      "llm.token_count.prompt_details.cache_read": 6000,
      "llm.token_count.prompt_details.cache_write": 2000,
    },
    {
      "ai.operationId": "ai.generateText.doGenerate",
      "ai.model.id": claude.model,
      "ai.usage.inputTokens": 10_000,
      "ai.usage.outputTokens": 1000,
      "ai.usage.cachedInputTokens": 6000,
      "ai.usage.inputTokenDetails.cacheWriteTokens": 2000,
    },
  ];
  const spans = otlp.map((attributes, index) => ({
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: `00f067aa0ba902b${index}`,
    name: "ai.generateText.doGenerate",
    startTimeUnixNano: "1700000000000000000",
    endTimeUnixNano: "1700000001000000000",
    attributes: Object.entries(attributes).map(([key, value]) => ({
      key,
      value: typeof value === "string" ? { stringValue: value } : { intValue: String(value) },
    })),
  }));
  await fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
  });
  await settled();
  // 2,000 × $3 + 6,000 × $0.30 + 2,000 × $3.75 + 1,000 × $15, per million.
  const expected = [0.006 + 0.0018 + 0.0075 + 0.015, "computed"];
  expect(await costsOf(running)).toEqual({ own: expected });
  const foreign = await costsOf(running, "0af7651916cd43dd8448eb211c80319c");
  expect(Object.values(foreign)).toEqual([expected, expected, expected]);
});

it("contract 9: computed costs outlive a restart and a change of prices, and export and import keep them", async () => {
  const directory = folder();
  const settings = { TRACE_STORE_PATH: directory };
  const spans = [
    call("computed", CALL),
    call("reported", { ...CALL, cost_usd: 0.5 }),
    call("large", { ...CALL, completion_text: "x".repeat(100_000) }),
    // A span without an id has a note of its own.
    span({ span_type: "llm", attributes: CALL }),
  ];
  const expected = [
    [0.5, "reported"],
    [COST, "computed"],
    [COST, "computed"],
    [COST, "computed"],
  ];
  const sorted = async (running: RunningCollector) =>
    Object.values(await costsOf(running)).sort((a, b) => Number(b[0]) - Number(a[0]));

  const first = await startCollector(settings);
  await first.post({ spans });
  await first.settled();
  expect(await sorted(first)).toEqual(expected);
  await first.collector.stop();

  const unpriced = { PRICING_ENABLED: "false" };
  const second = await startCollector({ ...settings, ...unpriced });
  expect(await sorted(second)).toEqual(expected);
  const { trace } = await second.get<TraceDetail>("/v1/traces/t1");
  expect(trace.cost_usd).toBeCloseTo(0.5 + 3 * COST, 12);
  // A span that arrives later brings the others back into memory.
  await second.post({ spans: [call("late", CALL)] });
  await second.settled();
  expect(await costsOf(second)).toMatchObject({ computed: [COST, "computed"], late: [undefined, undefined] });
  await second.post({ spans: [call("late", { ...CALL, cost_usd: 0.25 })] });
  await second.settled();

  const file = await (await fetch(`${second.url}/v1/export`)).text();
  expect(file).toContain("obspan.computed_cost_usd");
  for (const target of [{}, { TRACE_STORE_PATH: folder() }]) {
    const third = await startCollector({ ...target, ...unpriced });
    await fetch(`${third.url}/v1/import`, {
      method: "POST",
      headers: { "Content-Type": "application/jsonl" },
      body: file,
    });
    expect(await sorted(third)).toEqual([[0.5, "reported"], [0.25, "reported"], ...expected.slice(1)]);
    const again = await (await fetch(`${third.url}/v1/export`)).text();
    expect(again).toBe(file);
  }
});

it("contract 9: a collector that receives a span from another one keeps the cost that the other computed", async () => {
  const directory = folder();
  const file = join(directory, "prices.json");
  writeFileSync(file, JSON.stringify({ default: { "*": { input_per_1m: 7000, output_per_1m: 0 } } }));
  const second = await startCollector();
  const receiver = await startOtlpReceiver();
  for (const endpoint of [second.url, receiver.url]) {
    const first = await startCollector({
      PRICING_FILE: file,
      EXPORTER_OTLP_ENDPOINT: endpoint,
      EXPORTER_BATCH_SIZE: "1",
    });
    await first.post({ spans: [call("s", CALL), call("r", { ...CALL, cost_usd: 0.5 })] });
    await first.settled();
    expect(await costsOf(first)).toEqual({ s: [7, "computed"], r: [0.5, "reported"] });
    await first.collector.stop();
  }
  await second.settled();
  expect(Object.values(await costsOf(second))).toEqual(
    expect.arrayContaining([
      [7, "computed"],
      [0.5, "reported"],
    ]),
  );
  const [computed, reported] = receiver.spans().map(({ attributes }) => plainAttributes(attributes));
  expect(computed).toMatchObject({ "obspan.computed_cost_usd": 7 });
  expect(computed).not.toHaveProperty(["gen_ai.usage.cost"]);
  expect(reported).not.toHaveProperty(["obspan.computed_cost_usd"]);
});

it("contract 9: a file of another sender is priced when it is imported, and prices are off with pricing.enabled", async () => {
  const line = JSON.stringify({
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: [
              {
                traceId: "0af7651916cd43dd8448eb211c80319c",
                spanId: "00f067aa0ba902b7",
                name: "chat",
                startTimeUnixNano: "1700000000000000000",
                endTimeUnixNano: "1700000001000000000",
                attributes: [
                  { key: "gen_ai.operation.name", value: { stringValue: "chat" } },
                  { key: "gen_ai.request.model", value: { stringValue: "gpt-5-mini" } },
                  { key: "gen_ai.usage.input_tokens", value: { intValue: "1000" } },
                  { key: "gen_ai.usage.output_tokens", value: { intValue: "100" } },
                ],
              },
            ],
          },
        ],
      },
    ],
  });
  const costs = [];
  for (const enabled of ["true", "false"]) {
    const running = await startCollector({ PRICING_ENABLED: enabled });
    const headers = { "Content-Type": "application/jsonl" };
    await fetch(`${running.url}/v1/import`, { method: "POST", headers, body: line });
    costs.push(...Object.values(await costsOf(running, "0af7651916cd43dd8448eb211c80319c")));
  }
  expect(costs).toEqual([
    [COST, "computed"],
    [undefined, undefined],
  ]);
});

it("contract 9: prices of a file replace the list, and a file that cannot be used stops the start", async () => {
  const directory = folder();
  const file = join(directory, "prices.json");
  const prices = {
    "our-*": { input_per_1m: 10, output_per_1m: 20, cached_input_per_1m: 1, cache_write_per_1m: 100 },
  };
  writeFileSync(file, JSON.stringify({ default: prices }));
  const running = await startCollector({ PRICING_FILE: file });
  const tokens = { tokens_input: 1000, tokens_output: 0, tokens_cached: 500, tokens_cache_write: 100 };
  await running.post({ spans: [call("ours", { model: "our-model", ...tokens }), call("listed", CALL)] });
  await running.settled();
  expect(await costsOf(running)).toEqual({
    ours: [0.004 + 0.0005 + 0.01, "computed"],
    listed: [undefined, undefined],
  });

  for (const [content, problem] of [
    ["{", /must be JSON/],
    ['{"other": {}}', /must be JSON: \{"default"/],
    ['{"default": {"secret-model": {"input_per_1m": 1}}}', /"secret-model" must have output_per_1m/],
    [
      '{"default": {"m": {"input_per_1m": 1, "output_per_1m": "sk-secret"}}}',
      /^pricing\.file = .*must have output_per_1m in USD per million tokens, 0 or more$/,
    ],
    [pricesOf(10_001, (n) => `model-${n}`), /at most 10000 models, not 10001$/],
    [pricesOf(1001, (n) => `*${n}*`), /at most 1000 globs with fewer than 6 characters in a row, not 1001$/],
    [" ".repeat(4 * 1024 * 1024 + 1), /\(larger than 4194304 bytes\)$/],
  ] as const) {
    writeFileSync(file, content);
    await expect(startCollector({ PRICING_FILE: file })).rejects.toThrow(problem);
  }
  await expect(startCollector({ PRICING_FILE: directory })).rejects.toThrow(/\(not a file\)/);
  await expect(startCollector({ PRICING_FILE: join(directory, "absent.json") })).rejects.toThrow(/ENOENT/);
});

it("contract 9: another collector's cost that cannot be used is left out and counted", async () => {
  const running = await startCollector();
  const response = await running.post({
    spans: [call("s", { model: "unknown" }, { computed_cost_usd: "much" })],
  });
  expect(response.status === 202 ? 202 : await errorOf(response)).toBe(202);
  await running.settled();
  expect(await costsOf(running)).toEqual({ s: [undefined, undefined] });
  expect(await running.metric('obs_invalid_values_total{field="computed_cost_usd"}')).toBe(1);
});
