import { describe, expect, it, vi } from "vitest";
import type { ImportResult } from "../../src/api-schema/import.js";
import type { StoreInfo } from "../../src/api-schema/store.js";
import type { TraceDetail, TraceList, TraceSummary } from "../../src/api-schema/trace.js";
import { writeMeta } from "../../src/store/sqlite/file/meta.js";
import { openTraceFile } from "../../src/store/sqlite/open-trace-file.js";
import { sharedCollector, span, startCollector, type RunningCollector } from "../running-collector.js";
import { temporaryDirectory } from "../store/sqlite/temporary-directory.js";

type Settings = Record<string, string>;

/** Room for three spans a trace. */
const SMALL = { TRACE_STORE_MAX_SPANS_PER_TRACE: "3" };

const exported = async ({ url }: RunningCollector): Promise<string> =>
  await (await fetch(`${url}/v1/export`)).text();

async function importInto({ url }: RunningCollector, file: string): Promise<ImportResult> {
  const response = await fetch(`${url}/v1/import`, {
    method: "POST",
    headers: { "Content-Type": "application/jsonl" },
    body: file,
  });
  expect(response.status).toBe(200);
  return (await response.json()) as ImportResult;
}

async function summaryOf({ get }: RunningCollector): Promise<TraceSummary> {
  const { traces } = await get<TraceList>("/v1/traces");
  expect(traces).toHaveLength(1);
  return traces[0] as TraceSummary;
}

const clear = async ({ url }: RunningCollector): Promise<unknown> =>
  await fetch(`${url}/v1/traces`, { method: "DELETE" });

/** A trace that lost its root, calls of a model and of a tool, and the inner call of a wrapper. */
async function withDroppedSpans(running: RunningCollector): Promise<RunningCollector> {
  const start = Date.UTC(2026, 0, 1);
  const call = {
    span_type: "llm",
    attributes: {
      model: "gpt-5",
      provider: "openai",
      prompt_name: "greet",
      prompt_version: 2,
      tokens_input: 100,
      tokens_output: 10,
      cost_usd: 0.125,
      ttft_ms: 12,
    },
  };
  const spans = [
    span({
      span_id: "root",
      name: "agent run",
      span_type: "agent",
      start_time: start,
      duration_ms: 9000.000_001,
      status: "ERROR",
      attributes: {
        agent: "support",
        session_id: "session",
        user_id: "ada",
        error_type: "429",
        input_text: "the question",
        output_text: "the answer",
      },
    }),
    span({ span_id: "call", parent_span_id: "root", start_time: start + 1, ...call }),
    span({
      span_id: "tool",
      parent_span_id: "root",
      span_type: "tool",
      status: "ERROR",
      start_time: start + 2,
      attributes: { tool_name: "search", error_type: "TimeoutError" },
    }),
    span({ span_id: "wrapper", parent_span_id: "root", start_time: start + 3, ...call }),
    span({ span_id: "inner", parent_span_id: "wrapper", start_time: start + 4, ...call }),
    span({ span_id: "running", parent_span_id: "root", start_time: start + 5, duration_ms: 1 }),
    span({ span_id: "last", parent_span_id: "root", start_time: start + 6 }),
  ];
  // The inner call arrives first, so that the cap drops it before its wrapper.
  const order = ["root", "call", "tool", "inner", "wrapper", "running", "last"];
  for (const id of order) {
    const batch = {
      service: "shop",
      env: "test",
      version: "1.2",
      spans: spans.filter((each) => each["span_id"] === id),
    };
    expect((await running.post(batch)).status).toBe(202);
    await running.settled();
  }
  return running;
}

describe.each<[string, () => Settings]>([
  ["in memory", () => ({})],
  ["on disk", () => ({ TRACE_STORE_PATH: temporaryDirectory() })],
])("contract 3: a trace that lost spans, exported and imported %s", (_, storage) => {
  const start = async (settings: Settings = {}): Promise<RunningCollector> =>
    await startCollector({ ...storage(), ...settings });

  it("shows the same, with the totals of the dropped spans", async () => {
    const running = await withDroppedSpans(await start(SMALL));
    const before = await summaryOf(running);
    expect(before).toMatchObject({
      dropped_spans: 4,
      span_count: 3,
      root_name: "agent run",
      agent: "support",
      service: "shop",
      version: "1.2",
      status: "ERROR",
      error_type: "rate_limit",
      error_count: 2,
      llm_calls: 2,
      tool_calls: 1,
      tokens_input: 200,
      cost_usd: 0.25,
      ttft_ms: 12,
      duration_ms: 9000.000_001,
      session_id: "session",
      user_id: "ada",
      models: ["gpt-5"],
      providers: ["openai"],
      tools: ["search"],
      prompts: ["greet@2"],
      input_preview: "the question",
      output_preview: "the answer",
    });
    const file = await exported(running);
    await clear(running);
    expect(await importInto(running, file)).toMatchObject({ spans: 3, traces: 1, problems: [] });
    expect(await summaryOf(running)).toEqual(before);
    expect(await exported(running)).toBe(file);

    // A process that has never seen the dropped spans.
    const other = await start();
    await importInto(other, file);
    expect(await summaryOf(other)).toEqual(before);
    expect(await exported(other)).toBe(file);
  });

  it("counts dropped spans once if a file is imported twice, or while the trace is still stored", async () => {
    const running = await withDroppedSpans(await start(SMALL));
    const before = await summaryOf(running);
    const file = await exported(running);
    await importInto(running, file);
    expect(await summaryOf(running)).toEqual(before);
    await clear(running);
    await importInto(running, file);
    await importInto(running, file + file);
    expect(await summaryOf(running)).toEqual(before);
  });

  it("counts what a smaller collector drops in addition", async () => {
    const file = await exported(await withDroppedSpans(await start(SMALL)));
    const smaller = await start({ TRACE_STORE_MAX_SPANS_PER_TRACE: "1" });
    await importInto(smaller, file);
    expect(await summaryOf(smaller)).toMatchObject({
      span_count: 1,
      dropped_spans: 6,
      tokens_input: 200,
      llm_calls: 2,
    });
  });

  it("stays partial", async () => {
    const running = await start({ LIMITS_MAX_TRACES: "1" });
    const send = async (traceId: string, spanId: string): Promise<void> => {
      await running.post({ spans: [span({ trace_id: traceId, span_id: spanId })] });
      await running.settled();
    };
    await send("t1", "evicted");
    await send("t2", "a");
    await send("t1", "late");
    const before = await summaryOf(running);
    expect(before).toMatchObject({ trace_id: "t1", partial: true, dropped_spans: 0 });
    const other = await start();
    await importInto(other, await exported(running));
    expect(await summaryOf(other)).toEqual(before);
  });

  it("is imported into the tenant of its line", async () => {
    const settings = { ...SMALL, MULTI_TENANT_ENABLED: "true" };
    const running = await start(settings);
    const spans = (count: number): unknown[] =>
      Array.from({ length: count }, (_, n) => span({ span_id: `s${n}`, attributes: { tokens_input: 1 } }));
    await running.post({ spans: spans(5) }, { "X-Tenant-ID": "acme" });
    await running.post({ spans: spans(9) }, { "X-Tenant-ID": "globex" });
    await running.settled();
    const other = await start(settings);
    await importInto(other, await exported(running));
    const { traces } = await other.get<TraceList>("/v1/traces");
    const shown = traces.map(({ tenant, dropped_spans, tokens_input }) => ({
      tenant,
      dropped_spans,
      tokens_input,
    }));
    expect(shown).toEqual([
      { tenant: "globex", dropped_spans: 6, tokens_input: 9 },
      { tenant: "acme", dropped_spans: 2, tokens_input: 5 },
    ]);
  });

  it("is redacted on import, also in the texts of its dropped root", async () => {
    const secret = "ada@example.com";
    const source = await start(SMALL);
    const root = { session_id: secret, user_id: secret, agent: secret, input_text: `mail ${secret}` };
    await source.post({
      spans: [
        span({ span_id: "root", name: `run of ${secret}`, attributes: root }),
        ...Array.from({ length: 5 }, (_, n) => span({ span_id: `s${n}`, parent_span_id: "root" })),
      ],
    });
    await source.settled();
    const file = await exported(source);
    expect(file).toContain(secret);
    const careful = await start({ REDACTION_ENABLED: "true" });
    await importInto(careful, file);
    const summary = await summaryOf(careful);
    expect(summary).toMatchObject({
      dropped_spans: 3,
      input_preview: expect.stringContaining("mail ") as string,
    });
    expect(summary.input_preview).not.toContain(secret);
    expect(summary.user_id).not.toContain(secret);
    expect(await exported(careful)).not.toContain(`mail ${secret}`);
  });

  it("is redacted on import in every text that is redacted in a span", async () => {
    const secret = "alice@example.com";
    const source = await start(SMALL);
    await source.post({
      spans: [
        span({ span_id: "root", span_type: `of ${secret}`, status: `was ${secret}` }),
        span({ span_id: "c", parent_span_id: "root", span_type: "llm", attributes: { model: secret } }),
        ...Array.from({ length: 5 }, (_, n) => span({ span_id: `s${n}`, parent_span_id: "root" })),
      ],
    });
    await source.settled();
    const file = await exported(source);
    const careful = await start({ REDACTION_ENABLED: "true" });
    await importInto(careful, file);
    const after = await exported(careful);
    for (const text of [`of ${secret}`, `was ${secret}`]) {
      expect(file).toContain(text);
      expect(after).not.toContain(text);
    }
    // The model of a span is a label, and not redacted.
    expect(await summaryOf(careful)).toMatchObject({ dropped_spans: 4, models: [secret] });
  });

  it("keeps attributes of the app with the names of the marks", async () => {
    const source = await start();
    const attributes = { "obspan.trace": '{"partial":true}', "obspan.wrapper": true };
    await source.post({ spans: [span({ span_id: "s", attributes })] });
    await source.settled();
    const other = await start();
    await importInto(other, await exported(source));
    expect(await other.get<TraceDetail>("/v1/traces/t1")).toMatchObject({
      trace: { partial: false, dropped_spans: 0 },
      spans: [{ attributes }],
    });
  });
});

/** Makes the store fill its tables from the stored spans when it opens the file. */
function markForRebuild(directory: string): void {
  const file = openTraceFile(directory, { createdAtMs: Date.now(), onEvent: () => undefined });
  writeMeta(file.db, "rebuild", 1);
  file.close();
}

describe("contract 3: a trace that lost spans, on disk", () => {
  it("shows the same after a restart, an import and another restart", async () => {
    const settings = { ...SMALL, TRACE_STORE_PATH: temporaryDirectory() };
    const first = await withDroppedSpans(await startCollector(settings));
    const before = await summaryOf(first);
    const file = await exported(first);
    await first.collector.stop();

    const second = await startCollector(settings);
    expect(await summaryOf(second)).toEqual(before);
    expect(await exported(second)).toBe(file);
    await clear(second);
    await importInto(second, file);
    expect(await summaryOf(second)).toEqual(before);
    await second.collector.stop();

    const third = await startCollector(settings);
    expect(await summaryOf(third)).toEqual(before);
    expect(await exported(third)).toBe(file);
    await importInto(third, file);
    expect(await summaryOf(third)).toEqual(before);
  });

  it("shows the same if its summary is rebuilt from the imported spans", async () => {
    const directory = temporaryDirectory();
    const source = await withDroppedSpans(await startCollector(SMALL));
    const before = await summaryOf(source);
    const file = await exported(source);
    const settings = { ...SMALL, TRACE_STORE_PATH: directory };
    const first = await startCollector(settings);
    await importInto(first, file);
    await importInto(first, file);
    await first.collector.stop();

    markForRebuild(directory);
    const second = await startCollector(settings);
    expect(second.lines).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining("Rebuilding") as string }),
    );
    await vi.waitUntil(
      async () => {
        const { rebuild_progress: progress } = await second.get<StoreInfo>("/v1/store");
        return progress === null;
      },
      { timeout: 30_000 },
    );
    expect(await summaryOf(second)).toEqual(before);
    expect(await exported(second)).toBe(file);
  });
});

describe("contract 3: a mark of lost spans in a file", () => {
  const VALID = {
    count: 2,
    tokens_input: 5,
    tokens_output: 6,
    cost_usd: 0.5,
    llm_calls: 1,
    tool_calls: 1,
    error_count: 2,
    models: ["m"],
    providers: [],
    tools: [],
    prompts: [],
    agent: "a",
    error_type: "timeout",
    start_time: "2026-01-01T00:00:00Z",
    duration_ms: 5,
  };

  const shared = sharedCollector(SMALL);

  /** The summary of a trace of one span with that mark in its file. */
  async function summaryWith(mark: unknown): Promise<TraceSummary> {
    const running = await shared();
    await clear(running);
    await running.post({ spans: Array.from({ length: 4 }, (_, n) => span({ span_id: `s${n}` })) });
    await running.settled();
    const line = JSON.parse(await exported(running)) as {
      resourceSpans: {
        scopeSpans: { spans: { attributes: { key: string; value: { stringValue: string } }[] }[] }[];
      }[];
    };
    const attribute = line.resourceSpans
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap(({ spans }) => spans)
      .flatMap(({ attributes }) => attributes)
      .find(({ key }) => key === "obspan.trace");
    if (attribute === undefined) throw new Error("The file has no mark.");
    attribute.value.stringValue = typeof mark === "string" ? mark : JSON.stringify(mark);
    await clear(running);
    expect(await importInto(running, JSON.stringify(line))).toMatchObject({ spans: 3, refused_lines: 0 });
    return await summaryOf(running);
  }

  it("is read if it is valid", async () => {
    expect(await summaryWith({ dropped: VALID, partial: true })).toMatchObject({
      partial: true,
      dropped_spans: 2,
      tokens_input: 5,
      error_count: 2,
      agent: "a",
    });
  });

  it.each<[string, unknown]>([
    ["no JSON", "{"],
    ["a list", []],
    ["no count", { dropped: { ...VALID, count: undefined } }],
    ["no dropped span", { dropped: { ...VALID, count: 0 } }],
    ["a negative count", { dropped: { ...VALID, count: -1 } }],
    ["an absurd count", { dropped: { ...VALID, count: 1e15 } }],
    ["more calls than spans", { dropped: { ...VALID, llm_calls: 2 } }],
    ["more errors than spans", { dropped: { ...VALID, error_count: 3 } }],
    ["a fraction of a token", { dropped: { ...VALID, tokens_input: 0.5 } }],
    ["tokens beyond a safe integer", { dropped: { ...VALID, tokens_output: 2 ** 53 } }],
    ["a negative cost", { dropped: { ...VALID, cost_usd: -1 } }],
    ["an infinite cost", JSON.stringify({ dropped: VALID }).replace("0.5", "1e999")],
    ["a text for a number", { dropped: { ...VALID, cost_usd: "1" } }],
    ["no time", { dropped: { ...VALID, start_time: "yesterday" } }],
    ["an end after the year 9999", { dropped: { ...VALID, duration_ms: 1e300 } }],
    ["another category", { dropped: { ...VALID, error_type: "mood" } }],
    ["a model that is no text", { dropped: { ...VALID, models: [{}] } }],
    ["a root without a name", { dropped: { ...VALID, root: { service: "s" } } }],
    ["deep nesting", `${"[".repeat(1000)}${"]".repeat(1000)}`],
  ])("is ignored as a whole with %s", async (_, mark) => {
    expect(await summaryWith(mark)).toMatchObject({
      partial: false,
      span_count: 3,
      dropped_spans: 0,
      tokens_input: 0,
      cost_usd: 0,
      error_count: 0,
    });
  });

  it("keeps a bounded number of labels of bounded length", async () => {
    const long = Array.from({ length: 5000 }, (_, n) => `${n}${"x".repeat(2000)}`);
    const labels = { models: long.slice(0, 50), tools: long.slice(0, 50) };
    const short = {
      models: long.map((text) => text.slice(0, 8)),
      tools: long.map((text) => text.slice(0, 8)),
    };
    const few = await summaryWith({ dropped: { ...VALID, ...labels } });
    for (const names of [few.models, few.tools]) {
      expect(names.length).toBeGreaterThan(0);
      expect(names.join("").length).toBeLessThanOrEqual(1000);
    }
    const many = await summaryWith({ dropped: { ...VALID, ...short } });
    expect([many.models.length, many.tools.length]).toEqual([20, 20]);
  });
});
