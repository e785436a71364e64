import type { Span } from "@obspan/sdk/wire";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { ApiError } from "../../src/api-schema/errors.js";
import type { NormalizedSpan, TraceSummary } from "../../src/api-schema/trace.js";
import type { Evictions, TraceStore } from "../../src/interfaces.js";
import type { Clock } from "../../src/runtime/clock.js";
import {
  aModelCall,
  anEvaluation,
  aSpan,
  FakeClock,
  fromBody,
  pipelineSpans,
  type BatchOptions,
} from "./span-batches.js";
import { readStored } from "../../src/span/stored-span.js";
import { TimeSlice } from "../../src/runtime/time-slice.js";
import { readHeld, spansOf as spansOfTrace } from "./read-trace.js";
import { describeTraceQueries } from "./trace-store-queries.js";

/** What every trace store is made with. */
export interface TraceStoreContractOptions {
  readonly maxTraces: number;
  readonly maxSpansPerTrace: number;
  readonly ttlSeconds: number;
  readonly maxBytes: number;
  readonly clock: Clock;
}

/** What a trace store does, whatever it keeps its spans in. */
export function describeTraceStore(
  name: string,
  factory: (options: TraceStoreContractOptions) => TraceStore | Promise<TraceStore>,
): void {
  describe(name, () => {
    let clock: FakeClock;
    let store: TraceStore;

    const open = async (options: Partial<TraceStoreContractOptions> = {}): Promise<void> => {
      store = await factory({
        maxTraces: 100,
        maxSpansPerTrace: 500,
        ttlSeconds: 0,
        maxBytes: 2 ** 26,
        clock,
        ...options,
      });
    };
    const append = (spans: Span | Span[], options?: BatchOptions): Promise<Evictions> =>
      store.append(pipelineSpans(Array.isArray(spans) ? spans : [spans], options));
    const summaryOf = async (traceId = "trace", tenant = ""): Promise<TraceSummary> => {
      const trace = await store.get({ tenant, traceId });
      if (trace === undefined) throw new Error(`No trace ${traceId}.`);
      return trace.summary;
    };
    const spansOf = async (traceId = "trace", tenant = ""): Promise<NormalizedSpan[]> =>
      await spansOfTrace(await store.get({ tenant, traceId }));
    const spanOf = async (
      spanId: string,
      traceId = "trace",
      tenant = "",
    ): Promise<NormalizedSpan | undefined> =>
      await readHeld(await store.getSpan({ tenant, traceId }, spanId));
    const idsOf = async (query: Parameters<TraceStore["list"]>[0] = {}): Promise<string[]> =>
      (await store.list({ limit: 1000, ...query })).traces.map((trace) => trace.trace_id);

    beforeEach(async () => {
      clock = new FakeClock();
      await open();
    });

    describe("keeping spans", () => {
      it("answers a span with the defaults filled in", async () => {
        await append(
          { name: "call", trace_id: "trace", span_id: "a", duration_ms: 5 },
          { service: "shop", env: "test", version: "1.2", receivedAtMs: Date.UTC(2026, 0, 1) },
        );
        expect(await spansOf()).toEqual([
          {
            trace_id: "trace",
            span_id: "a",
            parent_span_id: null,
            name: "call",
            span_type: "span",
            status: "OK",
            start_time: "2025-12-31T23:59:59.995Z",
            end_time: "2026-01-01T00:00:00.000Z",
            duration_ms: 5,
            service: "shop",
            env: "test",
            version: "1.2",
            attributes: {},
            events: [],
          },
        ]);
      });

      it("answers the same for a span that has no bytes of its own", async () => {
        const span = aModelCall({ span_id: "a", attributes: { prompt_text: 'Grüße "🎉"\n' } });
        await append(span);
        await append({ ...span, trace_id: "redacted" }, { withoutJson: true });
        const [plain] = await spansOf();
        const [redacted] = await spansOf("redacted");
        expect(redacted).toEqual({ ...plain, trace_id: "redacted" });
      });

      it("keeps the id that was made for a span, also where the span came with one that cannot be used", async () => {
        const unusable = { name: "two", trace_id: "trace", span_id: 7 } as unknown as Span;
        const batch = [{ name: "one", trace_id: "trace" }, unusable];
        for (const withoutJson of [false, true]) {
          const made = [`made-1-${withoutJson}`, `made-2-${withoutJson}`];
          await append(batch, { generatedSpanIds: made, withoutJson });
          for (const id of made) {
            expect(await spanOf(id)).toMatchObject({ span_id: id });
          }
        }
        expect((await summaryOf()).span_count).toBe(4);
      });

      it("answers spans in order of start to the nanosecond, ties by arrival", async () => {
        await append([
          aSpan({ span_id: "c", start_time: "2026-01-01T00:00:00.000000002Z" }),
          aSpan({ span_id: "a", start_time: "2026-01-01T00:00:00.000000001Z" }),
          anEvaluation("relevance", 1, { span_id: "d", start_time: "2026-01-01T00:00:00.000000002Z" }),
          aSpan({ span_id: "e", start_time: "2026-01-01T00:00:00.000000002Z" }),
          aSpan({ span_id: "f", start_time: "2026-01-01T00:00:01Z" }),
          aSpan({ span_id: "b", start_time: "2026-01-01T00:00:00.000000001Z" }),
        ]);
        expect((await spansOf()).map((span) => span.span_id)).toEqual(["a", "b", "c", "d", "e", "f"]);
      });

      it("takes __proto__ and constructor for data: as tenant, trace id, span id and attribute", async () => {
        for (const id of ["__proto__", "constructor", "toString"]) {
          const body = `{"spans":[{"name":"n","trace_id":"${id}","span_id":"${id}","attributes":{"${id}":"kept","model":"${id}","agent":"${id}"}}]}`;
          await store.append(fromBody(Buffer.from(body), { tenant: id, service: id, env: id }));
          const span = await spanOf(id, id, id);
          expect(Object.entries(span?.attributes ?? {})).toContainEqual([id, "kept"]);
          expect(await idsOf({ service: id, env: id, model: id, agent: id })).toEqual([id]);
          expect((await store.facets({ model: id })).model).toEqual([{ value: id, count: 1 }]);
        }
        expect(await store.get({ tenant: "", traceId: "hasOwnProperty" })).toBeUndefined();
        expect(await spanOf("valueOf", "__proto__", "__proto__")).toBeUndefined();
      });

      it("takes equal ids of two tenants for two traces", async () => {
        await append(aSpan({ span_id: "x", name: "first" }), { tenant: "a" });
        await append(aSpan({ span_id: "x", name: "second" }), { tenant: "b" });
        expect((await spansOf("trace", "a")).map((span) => span.name)).toEqual(["first"]);
        expect((await spansOf("trace", "b")).map((span) => span.name)).toEqual(["second"]);
        expect(await idsOf({ trace_id: "trace" })).toEqual(["trace", "trace"]);
        expect(await store.remove({ tenant: "a", traceId: "trace" })).toBe(true);
        expect(await spansOf("trace", "b")).toHaveLength(1);
      });

      it("keeps a text of many megabytes whole", async () => {
        const text = "0123456789abcdef".repeat(2 ** 18);
        await append([aSpan(), aSpan({ span_id: "large", attributes: { prompt_text: text } }), aSpan()]);
        const span = await spanOf("large");
        expect(span?.attributes["prompt_text"] === text).toBe(true);
        expect(await spansOf()).toHaveLength(3);
      });

      it("goes on with a trace as it was while the store changes", async () => {
        await open({ maxTraces: 1 });
        await append(
          [1, 2, 3].map((n) => aSpan({ name: `n${n}`, attributes: { prompt_text: "x".repeat(500) } })),
        );
        const trace = await store.get({ tenant: "", traceId: "trace" });
        const names: string[] = [];
        for (const span of trace?.spans ?? []) {
          names.push((await readStored(span, new TimeSlice(clock))).name);
          for (let i = 0; i < 50; i++) {
            await append(aSpan({ trace_id: `other ${i}`, attributes: { prompt_text: "y".repeat(500) } }));
          }
        }
        expect(names).toEqual(["n1", "n2", "n3"]);
        expect(await spansOfTrace(trace)).toHaveLength(3);
        expect(await store.get({ tenant: "", traceId: "trace" })).toBeUndefined();
      });
    });

    describe("bounds", () => {
      it("spec 4.9 rule 2: beyond max_traces the oldest traces go first, in the order of their first span", async () => {
        await open({ maxTraces: 3 });
        for (const id of ["a", "b", "c"]) await append(aSpan({ trace_id: id }));
        await append(aSpan({ trace_id: "a" }));
        expect(await append(aSpan({ trace_id: "d" }))).toEqual({ max_traces: 1 });
        expect(await idsOf()).toEqual(["d", "c", "b"]);
        expect(await append([aSpan({ trace_id: "e" }), aSpan({ trace_id: "f" })])).toEqual({ max_traces: 2 });
        expect(await idsOf()).toEqual(["f", "e", "d"]);
        expect(store.usage()).toMatchObject({ traces: 3, spans: 3, evicted: { max_traces: 3 } });
      });

      it("spec 4.9 rule 2: the order stays exact after traces were deleted", async () => {
        await open({ maxTraces: 4 });
        for (const id of ["a", "b", "c", "d"]) await append(aSpan({ trace_id: id }));
        await store.remove({ tenant: "", traceId: "a" });
        await store.remove({ tenant: "", traceId: "c" });
        await append([aSpan({ trace_id: "a" }), aSpan({ trace_id: "e" })]);
        expect(await idsOf()).toEqual(["e", "a", "d", "b"]);
        await append(aSpan({ trace_id: "f" }));
        expect(await idsOf()).toEqual(["f", "e", "a", "d"]);
        await append([aSpan({ trace_id: "g" }), aSpan({ trace_id: "h" })]);
        expect(await idsOf()).toEqual(["h", "g", "f", "e"]);
      });

      it("spec 4.9 rule 2: of 501 spans the oldest is dropped, by arrival and not by start", async () => {
        const spans = Array.from({ length: 501 }, (_, index) =>
          aModelCall({
            span_id: `s${index}`,
            parent_span_id: "elsewhere",
            start_time: new Date(Date.UTC(2026, 0, 1) + 1000 - index).toISOString(),
          }),
        );
        expect(await append(spans.slice(0, 500))).toEqual({});
        expect(await append(spans.slice(500))).toEqual({ span_cap: 1 });
        const kept = (await spansOf()).map((span) => span.span_id);
        expect(kept).toHaveLength(500);
        expect(kept).not.toContain("s0");
        expect(kept).toContain("s500");
        expect(await spanOf("s0")).toBeUndefined();
        expect(store.usage()).toMatchObject({
          traces: 1,
          spans: 500,
          evicted: { span_cap: 1, max_traces: 0 },
        });
      });

      it("counts tokens, cost and calls of dropped spans, and as spans only what is kept", async () => {
        await open({ maxSpansPerTrace: 2 });
        await append([
          aModelCall({ duration_ms: 9000, attributes: { model: "first", ttft_ms: 12 } }),
          aSpan({
            span_type: "tool",
            parent_span_id: "x",
            status: "ERROR",
            attributes: { error_type: "429" },
          }),
          ...[1, 2, 3].map((ttft_ms) =>
            aModelCall({ parent_span_id: "x", start_time: "2026-01-01T00:00:05Z", attributes: { ttft_ms } }),
          ),
        ]);
        expect(await summaryOf()).toMatchObject({
          span_count: 2,
          dropped_spans: 3,
          llm_calls: 4,
          tool_calls: 1,
          error_count: 1,
          error_type: "rate_limit",
          tokens_input: 400,
          tokens_output: 40,
          cost_usd: expect.closeTo(0.04, 10) as number,
          models: ["first", "small"],
          ttft_ms: 12,
          start_time: "2026-01-01T00:00:00.000Z",
          duration_ms: 9000,
        });
      });

      it("still names a trace after a root that the cap dropped, running or ended", async () => {
        await open({ maxSpansPerTrace: 2 });
        const root = aSpan({
          span_id: "root",
          name: "agent run",
          attributes: { input_text: "question", agent: "a" },
        });
        const child = (): Span => aSpan({ parent_span_id: "root", start_time: "2026-01-01T00:00:01Z" });
        await append([{ ...root, status: "RUNNING" }, child(), child(), child()]);
        expect(await summaryOf()).toMatchObject({
          root_name: "agent run",
          status: "RUNNING",
          running: true,
          input_preview: "question",
          agent: "a",
        });
        await append({
          ...root,
          status: "ERROR",
          attributes: { input_text: "question", output_text: "answer" },
        });
        expect(await summaryOf()).toMatchObject({
          status: "ERROR",
          running: false,
          output_preview: "answer",
        });
        await append([child(), child()]);
        expect(await summaryOf()).toMatchObject({ root_name: "agent run", status: "ERROR", error_count: 1 });
        expect(await spansOf()).toHaveLength(2);
      });

      it("keeps the last 100 evaluations of a trace, apart from the span cap", async () => {
        await open({ maxSpansPerTrace: 2 });
        const evaluations = Array.from({ length: 101 }, (_, n) =>
          anEvaluation("relevance", n / 200, { span_id: `e${n}` }),
        );
        await append([aSpan({ span_id: "a" }), aSpan({ span_id: "b" })]);
        expect(await append(evaluations)).toEqual({ span_cap: 1 });
        const kept = (await spansOf()).map((span) => span.span_id);
        expect(kept).toHaveLength(102);
        expect(kept).toEqual(expect.arrayContaining(["a", "b", "e1", "e100"]));
        expect(await summaryOf()).toMatchObject({
          span_count: 2,
          dropped_spans: 0,
          scores: [{ type: "relevance", score: 0.5, label: null }],
        });
      });

      it("spec 4.9 rule 2: a trace expires ttl_seconds after its last span", async () => {
        await open({ ttlSeconds: 60 });
        await append([aSpan({ trace_id: "a" }), aSpan({ trace_id: "b" })]);
        clock.advance(59_999);
        await append(aSpan({ trace_id: "a" }));
        expect(await idsOf()).toEqual(["b", "a"]);
        clock.advance(1);
        expect(await idsOf()).toEqual(["a"]);
        expect(await store.get({ tenant: "", traceId: "b" })).toBeUndefined();
        expect(await store.facets({})).toMatchObject({ total: 1 });
        clock.advance(59_999);
        expect(await append([])).toEqual({ ttl: 1 });
        expect(store.usage()).toMatchObject({ traces: 0, spans: 0, evicted: { ttl: 2 } });
      });

      it("spec 4.9 rule 2: with ttl_seconds 0 traces never expire", async () => {
        await append(aSpan());
        clock.advance(1e12);
        expect(await idsOf()).toEqual(["trace"]);
      });

      it("keeps to the monotonic clock when the wall clock jumps", async () => {
        await open({ ttlSeconds: 60 });
        await append(aSpan({ status: "RUNNING" }));
        clock.wallMs += 86_400_000;
        expect(await summaryOf()).toMatchObject({ status: "RUNNING" });
        clock.wallMs -= 2 * 86_400_000;
        clock.monotonicMs += 60_000;
        expect(await idsOf()).toEqual([]);
      });

      it("marks what comes for an evicted trace as partial, and drops its late evaluations", async () => {
        await open({ maxTraces: 1 });
        await append(aSpan({ trace_id: "a" }));
        await append(aSpan({ trace_id: "b" }));
        await append(anEvaluation("relevance", 1, { trace_id: "a" }));
        expect(await idsOf()).toEqual(["b"]);
        await append(aSpan({ trace_id: "a" }));
        expect(await summaryOf("a")).toMatchObject({ partial: true, span_count: 1 });
        await append(anEvaluation("relevance", 1, { trace_id: "a" }));
        expect((await summaryOf("a")).scores).toHaveLength(1);
        await append(aSpan({ trace_id: "c" }));
        expect(await summaryOf("c")).toMatchObject({ partial: false });
      });

      it("starts afresh after a trace was deleted or the store cleared", async () => {
        await append([aSpan({ trace_id: "a" }), aSpan({ trace_id: "b" })]);
        expect(await store.remove({ tenant: "", traceId: "a" })).toBe(true);
        expect(await store.remove({ tenant: "", traceId: "a" })).toBe(false);
        await append(aSpan({ trace_id: "a" }));
        expect(await summaryOf("a")).toMatchObject({ partial: false });
        expect(await store.clear()).toBe(2);
        expect(await store.clear()).toBe(0);
        expect(await idsOf()).toEqual([]);
        expect(store.usage()).toMatchObject({ traces: 0, spans: 0, evicted: { cleared: 3 } });
        await append([aSpan({ trace_id: "b" }), anEvaluation("relevance", 1, { trace_id: "a" })]);
        expect(await summaryOf("b")).toMatchObject({ partial: false });
        expect(await idsOf()).toEqual(["a", "b"]);
      });
    });

    describe("spans that come again", () => {
      const twice = async (first: Span, second: Span): Promise<TraceSummary> => {
        await append(first);
        await append(second);
        return summaryOf();
      };

      it("lets the end replace the running span", async () => {
        const call = aModelCall({ span_id: "a" });
        expect(await twice({ ...call, status: "RUNNING" }, call)).toMatchObject({
          span_count: 1,
          running: false,
          status: "OK",
          llm_calls: 1,
          tokens_input: 100,
        });
        expect(await spansOf()).toMatchObject([{ status: "OK", duration_ms: 10 }]);
      });

      it("never lets a running span replace an end that came first", async () => {
        const call = aModelCall({ span_id: "a" });
        expect(await twice(call, { ...call, status: "RUNNING" })).toMatchObject({
          running: false,
          llm_calls: 1,
        });
        expect(await spansOf()).toMatchObject([{ status: "OK" }]);
      });

      it("lets a running span replace a running one, and an end an end, with the totals of the last", async () => {
        const call = aModelCall({ span_id: "a", attributes: { model: "old" } });
        await twice({ ...call, status: "RUNNING" }, { ...call, status: "RUNNING", name: "later" });
        expect(await spansOf()).toMatchObject([{ name: "later", status: "RUNNING", duration_ms: null }]);
        const failed = {
          ...call,
          status: "ERROR",
          attributes: { model: "new", tokens_input: 7, error_type: "timeout" },
        };
        expect(await twice(call, failed)).toMatchObject({
          span_count: 1,
          llm_calls: 1,
          tokens_input: 7,
          tokens_output: 0,
          cost_usd: 0,
          models: ["new"],
          error_count: 1,
          error_type: "timeout",
        });
      });

      it("keeps the place by arrival of the span that it replaces", async () => {
        await open({ maxSpansPerTrace: 2 });
        await append([
          aSpan({ span_id: "a" }),
          aSpan({ span_id: "b" }),
          aSpan({ span_id: "a", name: "again" }),
        ]);
        await append(aSpan({ span_id: "c" }));
        expect((await spansOf()).map((span) => span.span_id)).toEqual(["b", "c"]);
      });

      it("counts no usage of a running span", async () => {
        await append([
          aModelCall({ status: "RUNNING" }),
          aSpan({ span_type: "tool", status: "RUNNING", parent_span_id: "x" }),
        ]);
        expect(await summaryOf()).toMatchObject({
          span_count: 2,
          llm_calls: 0,
          tool_calls: 0,
          tokens_input: 0,
          cost_usd: 0,
          running: true,
          status: "RUNNING",
        });
      });

      it("shows a running span that is silent for 30 minutes as ABANDONED", async () => {
        await append([aSpan({ span_id: "root", status: "RUNNING" }), aSpan({ parent_span_id: "root" })]);
        clock.advance(30 * 60_000 - 1);
        expect(await summaryOf()).toMatchObject({ status: "RUNNING", running: true });
        clock.advance(1);
        expect(await summaryOf()).toMatchObject({ status: "ABANDONED", running: false });
        expect((await spansOf()).map((span) => span.status)).toEqual(["ABANDONED", "OK"]);
        expect(await spanOf("root")).toMatchObject({
          status: "ABANDONED",
        });
        expect(await idsOf({ status: "ABANDONED" })).toEqual(["trace"]);
        await append(aSpan({ span_id: "other", status: "RUNNING", parent_span_id: "root" }));
        expect(await summaryOf()).toMatchObject({ status: "RUNNING", running: true });
        await append([aSpan({ span_id: "root" }), aSpan({ span_id: "other", parent_span_id: "root" })]);
        expect(await summaryOf()).toMatchObject({ status: "OK", running: false });
      });
    });

    describe("summaries", () => {
      it("counts an llm span inside an llm span once, whichever comes first", async () => {
        const wrapper = aModelCall({ span_id: "wrapper", attributes: { tokens_input: 500 } });
        const inner = aModelCall({ span_id: "inner", parent_span_id: "wrapper" });
        for (const [id, order] of [
          ["outer first", [wrapper, inner]],
          ["inner first", [inner, wrapper]],
        ] as const) {
          for (const span of order) await append({ ...span, trace_id: id });
          expect(await summaryOf(id)).toMatchObject({
            llm_calls: 1,
            tokens_input: 100,
            tokens_output: 10,
            cost_usd: 0.01,
            span_count: 2,
          });
        }
      });

      it("knows a wrapper for one after its child was dropped by the cap", async () => {
        await open({ maxSpansPerTrace: 2 });
        await append([
          aModelCall({ span_id: "inner", parent_span_id: "wrapper" }),
          aModelCall({ span_id: "wrapper" }),
          aSpan({ parent_span_id: "wrapper" }),
        ]);
        expect(await summaryOf()).toMatchObject({ llm_calls: 1, tokens_input: 100, dropped_spans: 1 });
        await append(aModelCall({ span_id: "wrapper", attributes: { tokens_input: 999 } }));
        expect(await summaryOf()).toMatchObject({ llm_calls: 1, tokens_input: 100 });
      });

      it("counts a wrapper again when what was inside it turns out to be no model call", async () => {
        const inner = aModelCall({
          span_id: "inner",
          parent_span_id: "outer",
          attributes: { tokens_input: 0 },
        });
        await append([aModelCall({ span_id: "outer" }), inner]);
        expect(await summaryOf()).toMatchObject({ llm_calls: 1, tokens_input: 0 });
        await append({ ...inner, span_type: "tool" });
        expect(await summaryOf()).toMatchObject({ llm_calls: 1, tool_calls: 1, tokens_input: 100 });
      });

      it("counts each call of a long trace once after any replacements", async () => {
        const id = fc.integer({ min: 0, max: 80 }).map((n) => `span-${n}`);
        const calls = fc.record({
          span_id: id,
          parent_span_id: fc.option(id),
          span_type: fc.constantFrom("llm", "llm", "tool"),
        });
        const batches = fc.array(fc.array(calls, { minLength: 1, maxLength: 60 }), { maxLength: 8 });
        await fc.assert(
          fc.asyncProperty(batches, async (sequence) => {
            await open();
            const kept = new Map<string, { id: string; parent: string | null; type: string }>();
            for (const batch of sequence) {
              await append(batch.map((span) => aModelCall(span)));
              for (const { span_id, parent_span_id, span_type } of batch)
                kept.set(span_id, { id: span_id, parent: parent_span_id, type: span_type });
              const llm = [...kept.values()].filter(({ type }) => type === "llm");
              const isWrapper = (span: { id: string }): boolean =>
                llm.some((child) => child.parent === span.id && child.id !== span.id);
              const counted = llm.filter((span) => !isWrapper(span)).length;
              expect(await summaryOf()).toMatchObject({ span_count: kept.size, llm_calls: counted });
            }
          }),
          { seed: 20260101, numRuns: 50 },
        );
      });

      it("counts no wrapper of a long trace after the cap dropped its calls", async () => {
        await open({ maxSpansPerTrace: 40 });
        await append(Array.from({ length: 40 }, () => aModelCall({ parent_span_id: "wrapper" })));
        await append(aModelCall({ span_id: "wrapper", attributes: { tokens_input: 9999 } }));
        await append(Array.from({ length: 39 }, () => aSpan()));
        expect(await summaryOf()).toMatchObject({ llm_calls: 40, tokens_input: 4000, dropped_spans: 40 });
      });

      it("leaves out what the pipeline knows for a wrapper, and evaluations", async () => {
        await append(aModelCall(), { countsUsage: false });
        await append(
          anEvaluation("relevance", 0.5, {
            status: "ERROR",
            duration_ms: 99_000,
            attributes: { tokens_input: 5, cost_usd: 1, model: "judge", agent: "judge" },
          }),
        );
        expect(await summaryOf()).toMatchObject({
          llm_calls: 0,
          tokens_input: 0,
          cost_usd: 0,
          error_count: 0,
          status: "OK",
          span_count: 1,
          models: ["small"],
          agent: null,
          duration_ms: 10,
        });
      });

      it("lists the first 20 models and scores of a trace, however many it has", async () => {
        for (let index = 0; index < 30; index++) {
          await append(aModelCall({ attributes: { model: `model ${index}` } }));
          await append(anEvaluation(`type-${index}`, 0.5));
        }
        const { models, scores } = await summaryOf();
        expect(models).toHaveLength(20);
        expect(models[0]).toBe("model 0");
        expect(scores).toHaveLength(20);
      });

      it("counts tokens on a span that is no model call as they were sent, and no call", async () => {
        await append(aSpan({ span_type: "task", attributes: { tokens_input: 3, cost_usd: 2 } }));
        expect(await summaryOf()).toMatchObject({ llm_calls: 0, tokens_input: 3, cost_usd: 2 });
      });

      it("is named after the span without a parent, and after the earliest one until it comes", async () => {
        const at = (second: number): string => `2026-01-01T00:00:0${second}.000000001Z`;
        await append(
          [
            aSpan({ name: "late", parent_span_id: "root", start_time: at(5) }),
            aSpan({ name: "early", parent_span_id: "root", start_time: at(2), status: "ERROR" }),
          ],
          { service: "worker" },
        );
        expect(await summaryOf()).toMatchObject({ root_name: "early", service: "worker", status: "ERROR" });
        await append(aSpan({ name: "root", span_id: "root", start_time: at(1), duration_ms: 5000.25 }), {
          service: "web",
          env: "test",
          version: "2",
        });
        expect(await summaryOf()).toMatchObject({
          root_name: "root",
          service: "web",
          env: "test",
          version: "2",
          status: "OK",
          error_count: 1,
          error_type: "internal",
          start_time: at(1),
          duration_ms: 5000.25,
        });
      });

      it("counts an error once, where it began", async () => {
        await append([
          aSpan({
            span_id: "root",
            status: "ERROR",
            error_propagated: true,
            attributes: { error_type: "timeout" },
          }),
          aSpan({ parent_span_id: "root", status: "ERROR", attributes: { error_type: "timeout" } }),
        ]);
        expect(await summaryOf()).toMatchObject({ error_count: 1, status: "ERROR", error_type: "timeout" });
      });

      it("shows the first 200 characters of the root's text, or of the first and last model call's", async () => {
        await append([
          aModelCall({
            parent_span_id: "root",
            start_time: "2026-01-01T00:00:02Z",
            attributes: { completion_text: "second" },
          }),
          aModelCall({
            parent_span_id: "root",
            start_time: "2026-01-01T00:00:01Z",
            attributes: {
              prompt_messages: [
                { role: "user", parts: [{ type: "text", content: "old" }] },
                { role: "user", parts: [{ type: "text", content: "🎉".repeat(300) }, { type: "blob" }] },
                { role: "assistant", parts: [{ type: "text", content: "no" }] },
              ],
              completion_text: "first",
            },
          }),
        ]);
        expect(await summaryOf()).toMatchObject({
          input_preview: "🎉".repeat(200),
          output_preview: "second",
        });
        await append(aSpan({ span_id: "root", attributes: { input_text: "asked", output_text: "told" } }));
        expect(await summaryOf()).toMatchObject({ input_preview: "asked", output_preview: "told" });
      });

      it("shows the previews of a text of megabytes", async () => {
        await append(
          aModelCall({ attributes: { prompt_text: "p".repeat(2e6), completion_text: "c".repeat(2e6) } }),
        );
        expect(await summaryOf()).toMatchObject({
          input_preview: "p".repeat(200),
          output_preview: "c".repeat(200),
        });
      });

      it("shows the latest score of each type", async () => {
        await append([
          aSpan(),
          anEvaluation("relevance", 0.2),
          anEvaluation("__proto__", 1, { attributes: { evaluation_label: "fine" } }),
          anEvaluation("relevance", 0.8),
          anEvaluation("toxicity", 7),
          aSpan({ span_type: "evaluation", status: "ERROR", attributes: { evaluation_type: "relevance" } }),
        ]);
        expect((await summaryOf()).scores).toEqual([
          { type: "relevance", score: 0.8, label: null },
          { type: "__proto__", score: 1, label: "fine" },
        ]);
      });

      it("shows a trace of nothing but evaluations", async () => {
        await append(anEvaluation("relevance", 0.5));
        expect(await summaryOf()).toMatchObject({
          root_name: "evaluation.relevance",
          span_count: 0,
          duration_ms: 10,
        });
        expect(await idsOf({ service: "shop" })).toEqual(["trace"]);
      });
    });

    describe("lists", () => {
      const fill = async (count: number): Promise<void> => {
        for (let n = 1; n <= count; n++) await append(aSpan({ trace_id: `t${n}` }));
      };

      it("spec 4.3: lists the newest 20 unless told otherwise", async () => {
        await fill(25);
        const page = await store.list({});
        expect(page.traces.map((trace) => trace.trace_id)).toEqual(
          Array.from({ length: 20 }, (_, index) => `t${25 - index}`),
        );
        expect(page.nextCursor).not.toBeNull();
        expect((await store.list({ limit: 25 })).nextCursor).toBeNull();
      });

      it("spec 4.3: looks up one trace by trace_id", async () => {
        await fill(3);
        expect(await idsOf({ trace_id: "t2" })).toEqual(["t2"]);
        expect(await idsOf({ trace_id: "t2", service: "other" })).toEqual([]);
        expect(await idsOf({ trace_id: "t9" })).toEqual([]);
      });

      it("goes through all pages while traces come and go, none twice and none left out", async () => {
        await open({ maxTraces: 10 });
        await fill(10);
        const first = await store.list({ limit: 3 });
        expect(first.traces.map((trace) => trace.trace_id)).toEqual(["t10", "t9", "t8"]);
        await append([aSpan({ trace_id: "new" }), aSpan({ trace_id: "t7" })]);
        await store.remove({ tenant: "", traceId: "t8" });
        await store.remove({ tenant: "", traceId: "t5" });
        const second = await store.list({ limit: 3, cursor: first.nextCursor ?? "" });
        expect(second.traces.map((trace) => trace.trace_id)).toEqual(["t7", "t6", "t4"]);
        const third = await store.list({ limit: 3, cursor: second.nextCursor ?? "" });
        expect(third.traces.map((trace) => trace.trace_id)).toEqual(["t3", "t2"]);
        expect(third.nextCursor).toBeNull();
      });

      it("refuses a cursor that it has not given", async () => {
        await fill(3);
        const { nextCursor } = await store.list({ limit: 1 });
        for (const cursor of [
          "",
          "x",
          "%%%",
          `${nextCursor}A`,
          "MTIz",
          Buffer.from("a.1").toString("base64url"),
        ]) {
          const refused = store.list({ cursor });
          await expect(refused).rejects.toBeInstanceOf(ApiError);
          await expect(refused).rejects.toMatchObject({ code: "invalid_query", status: 400 });
        }
      });

      it("spec 4.3: filters over the whole store, not over a page", async () => {
        await append(aModelCall({ trace_id: "rare", attributes: { model: "large", agent: "planner" } }), {
          service: "billing",
          env: "test",
        });
        await append(aSpan({ trace_id: "failed", status: "ERROR" }));
        await fill(60);
        for (const filter of [
          { service: "billing" },
          { env: "test" },
          { agent: "planner" },
          { model: "large" },
          { service: "billing", env: "test", agent: "planner", model: "large", status: "OK", q: "SPAN" },
        ]) {
          expect((await store.list({ ...filter, limit: 1 })).traces).toMatchObject([{ trace_id: "rare" }]);
        }
        expect(await idsOf({ status: "ERROR" })).toEqual(["failed"]);
        expect(await idsOf({ service: "billing", model: "small" })).toEqual([]);
        expect(await idsOf({ service: "" })).toEqual([]);
      });

      it("finds a trace by any service, agent and model that its spans name", async () => {
        await append(aModelCall({ attributes: { agent: "one", model: "m1" } }), { service: "web" });
        await append(aModelCall({ attributes: { agent: "two", model: "m2" } }), {
          service: "worker",
          env: "test",
        });
        for (const filter of [
          { service: "worker", agent: "one" },
          { agent: "two", model: "m1" },
          { env: "test" },
        ]) {
          expect(await idsOf(filter)).toEqual(["trace"]);
        }
      });
    });

    describe("text search", () => {
      const finds = async (q: string): Promise<boolean> => (await idsOf({ q })).length > 0;

      it("finds text in names and in strings at any depth, in any letter case", async () => {
        await append(
          aSpan({
            name: "Plan Trip",
            attributes: {
              prompt_messages: [{ role: "user", parts: [{ type: "text", content: "To LISBON, please" }] }],
              session_id: "s-42",
              "secret key": true,
            },
          }),
        );
        for (const q of ["plan trip", "PLAN", "lisbon, P", "S-42", "n t"])
          expect(await finds(q), q).toBe(true);
        for (const q of [
          "paris",
          "session_id",
          "secret key",
          "parts",
          "trace_id",
          "production",
          "lisbon  please",
        ]) {
          expect(await finds(q), q).toBe(false);
        }
      });

      it("finds text that JSON writes with escapes", async () => {
        const body = String.raw`{"spans":[{"name":"n","trace_id":"t","attributes":{"a":"say \"hi\"\nto \u0041da\/Bob \\ end","b":"gr\u00fc\u00dfe \ud83c\udf89","c":"tab\there"}}]}`;
        await store.append(fromBody(Buffer.from(body), { generatedSpanIds: ["made"] }));
        for (const q of [
          '"HI"',
          'hi"\nto',
          "to ada/bob",
          "ADA",
          "\\ END",
          "grüße",
          "GRÜSSE 🎉",
          "tab\there",
          "\n",
        ]) {
          expect(await finds(q), q).toBe(true);
        }
        for (const q of ["\\n", "u0041", '\\"', "nto", "made"]) expect(await finds(q), q).toBe(false);
      });

      it("finds escaped and unescaped slashes and quotes without \\u escapes beside them", async () => {
        const body = String.raw`{"spans":[{"name":"n","trace_id":"t","attributes":{"a":"https:\/\/host\/path","b":"c:\\dir","c":"a/b"}}]}`;
        await store.append(fromBody(Buffer.from(body), { generatedSpanIds: ["made"] }));
        for (const q of ["https://HOST/path", "c:\\DIR", "a/b", "/"]) expect(await finds(q), q).toBe(true);
        for (const q of ["\\/", "c:\\\\dir", "a\\b"]) expect(await finds(q), q).toBe(false);
      });

      it("folds the case of letters beyond ASCII", async () => {
        await append(aSpan({ attributes: { prompt_text: "Straße ΟΔΟΣ ÉCOLE 東京 Ёлка 300\u212A" } }));
        for (const q of ["STRASSE", "οδος", "οδοσ é", "école", "東京", "ёЛКА", "300k"]) {
          expect(await finds(q), q).toBe(true);
        }
        expect(await finds("京東")).toBe(false);
      });

      it("finds letters with marks however they are put together, there and in what is asked for", async () => {
        const words = ["größe", "Việt Nam", "각도", "Škoda"];
        for (const form of ["NFC", "NFD"] as const) {
          await append(
            aSpan({ trace_id: form, attributes: { prompt_text: words.join(", ").normalize(form) } }),
          );
        }
        for (const word of [...words, "GRÖẞE", "ŠKODA"])
          for (const form of ["NFC", "NFD"] as const)
            expect(await idsOf({ q: word.normalize(form) }), `${word} in ${form}`).toEqual(["NFD", "NFC"]);
        expect(await finds("große")).toBe(false);
      });

      it("sees a text that came, went or was replaced since it was searched for", async () => {
        await append(aSpan({ span_id: "a", name: "needle" }));
        await append(aSpan({ trace_id: "other", name: "hay" }));
        expect(await idsOf({ q: "needle" })).toEqual(["trace"]);
        await append(aSpan({ span_id: "a", name: "hay" }));
        expect(await idsOf({ q: "needle" })).toEqual([]);
        await append(aSpan({ trace_id: "other", name: "Needle" }));
        expect(await idsOf({ q: "needle" })).toEqual(["other"]);
        expect((await store.facets({ q: "needle" })).total).toBe(1);
        expect((await store.histogram({ q: "needle" })).total).toBe(1);
        // More texts than are remembered, and then the first again.
        for (let n = 0; n < 40; n++) expect(await idsOf({ q: `hay ${n}` })).toEqual([]);
        expect(await idsOf({ q: "hay" })).toEqual(["other", "trace"]);
      });

      it("lists the newest matches first and goes on by cursor", async () => {
        for (let n = 0; n < 30; n++) {
          await append(aSpan({ trace_id: `t${n}`, name: n % 3 === 0 ? "needle" : "hay" }));
        }
        const first = await store.list({ q: "needle", limit: 4 });
        const second = await store.list({ q: "needle", limit: 10, cursor: first.nextCursor ?? "" });
        expect([...first.traces, ...second.traces].map((trace) => trace.trace_id)).toEqual(
          [27, 24, 21, 18, 15, 12, 9, 6, 3, 0].map((n) => `t${n}`),
        );
      });

      it("does not list a trace that goes while it is searched", async () => {
        const impatient = new FakeClock();
        impatient.monotonic = () => (impatient.monotonicMs += 3);
        await open({ clock: impatient });
        await append([...Array.from({ length: 20 }, () => aSpan()), aSpan({ name: "needle" })]);
        const search = store.list({ q: "needle" });
        await store.remove({ tenant: "", traceId: "trace" });
        expect((await search).traces).toEqual([]);
      });

      it("stays right while traces come and go between its slices", async () => {
        const impatient = new FakeClock();
        impatient.monotonic = () => (impatient.monotonicMs += 3);
        await open({ clock: impatient, maxTraces: 40 });
        const fillers = (from: number, to: number): Span[] =>
          Array.from({ length: to - from }, (_, n) =>
            aSpan({ trace_id: `t${from + n}`, attributes: { prompt_text: `needle ${from + n}` } }),
          );
        await append(fillers(0, 40));
        const search = store.list({ q: "needle", limit: 1000 });
        await append(fillers(40, 50));
        for (const n of [30, 35, 36, 37, 38, 39]) await store.remove({ tenant: "", traceId: `t${n}` });
        const found = (await search).traces;
        const ids = found.map((trace) => trace.trace_id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).not.toContain("t30");
        // Those that were there all the time; what was evicted or deleted before its turn may be missing, not more.
        expect(ids).toEqual(expect.arrayContaining([34, 33, 32, 31, 29, 20, 11, 10].map((n) => `t${n}`)));
        expect(ids).not.toContain("t9");
      });
    });

    describe("facets", () => {
      it("counts each value once a trace, over the traces that the filter chooses", async () => {
        await append([
          aModelCall({ trace_id: "a" }),
          aModelCall({ trace_id: "a" }),
          anEvaluation("x", 1, { trace_id: "a" }),
        ]);
        await append(aSpan({ trace_id: "a", span_type: "tool", parent_span_id: "p" }), { service: "worker" });
        await append(
          aModelCall({ trace_id: "b", attributes: { model: "large", agent: "planner" }, status: "ERROR" }),
        );
        expect(await store.facets({})).toEqual({
          total: 2,
          cost_usd: expect.closeTo(0.03, 10) as number,
          service: [
            { value: "shop", count: 2 },
            { value: "worker", count: 1 },
          ],
          env: [{ value: "production", count: 2 }],
          agent: [{ value: "planner", count: 1 }],
          model: [
            { value: "large", count: 1 },
            { value: "small", count: 1 },
          ],
          status: [
            { value: "ERROR", count: 1 },
            { value: "OK", count: 1 },
          ],
          span_type: [
            { value: "llm", count: 2 },
            { value: "evaluation", count: 1 },
            { value: "tool", count: 1 },
          ],
          tenant: [],
          evaluation_type: [{ value: "x", count: 1 }],
        });
        expect(await store.facets({ model: "large" })).toMatchObject({
          total: 1,
          service: [{ value: "shop", count: 1 }],
        });
        expect(await store.facets({ q: "nowhere" })).toMatchObject({ total: 0, service: [] });
      });

      it("keeps values apart that would be the same written one after the other", async () => {
        await append([
          aModelCall({ trace_id: "a", attributes: { model: "x", agent: "yz" } }),
          aModelCall({ trace_id: "b", attributes: { model: "xy", agent: "z" } }),
        ]);
        expect(await idsOf({ model: "x" })).toEqual(["a"]);
        expect(await idsOf({ model: "xy" })).toEqual(["b"]);
      });

      it("shows at most 200 values, the most frequent first", async () => {
        await open({ maxTraces: 1000 });
        for (let n = 0; n < 250; n++)
          await append(aModelCall({ trace_id: `t${n}`, attributes: { model: `m${n}` } }));
        await append(aModelCall({ trace_id: "again", attributes: { model: "m249" } }));
        const { model } = await store.facets({});
        expect(model).toHaveLength(200);
        expect(model[0]).toEqual({ value: "m249", count: 2 });
      });

      it("orders by how many traces have a value, ties by name, whichever came first", async () => {
        await open({ maxTraces: 2000 });
        const counts = new Map<string, number>();
        for (let n = 0; n < 900; n++) {
          const name = `agent ${(n * 7919) % 450}`;
          const times = n < 450 ? 1 : n % 3;
          counts.set(name, (counts.get(name) ?? 0) + times);
          for (let time = 0; time < times; time++)
            await append(aModelCall({ trace_id: `t${n}.${time}`, attributes: { agent: name } }));
        }
        const { agent } = await store.facets({});
        const ordered = [...counts]
          .map(([value, count]) => ({ value, count }))
          .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
        expect(agent).toEqual(ordered.slice(0, 200));
      });
    });

    describeTraceQueries(() => ({ store, clock, append }));

    it("starts and stops twice, and stops before it starts", async () => {
      await store.stop();
      await store.start();
      await store.start();
      await store.stop();
      await store.stop();
      await append(aSpan());
      expect(await idsOf()).toEqual(["trace"]);
    });
  });
}
