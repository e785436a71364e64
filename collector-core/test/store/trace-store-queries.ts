import type { Span } from "@obspan/sdk/wire";
import { describe, expect, it } from "vitest";
import type { TraceFilter, TraceQuery } from "../../src/api-schema/trace.js";
import type { Evictions, TraceStore } from "../../src/interfaces.js";
import { receivedOf } from "./read-trace.js";
import {
  aModelCall,
  anEvaluation,
  aSpan,
  pipelineSpans,
  type BatchOptions,
  type FakeClock,
} from "./span-batches.js";

/** The store of a test, and what fills it. */
export interface StoreUnderTest {
  readonly store: TraceStore;
  readonly clock: FakeClock;
  append(spans: Span | Span[], options?: BatchOptions): Promise<Evictions>;
}

/** The questions that a trace store answers (contract 3): every filter, every order, facets and the histogram. */
export function describeTraceQueries(underTest: () => StoreUnderTest): void {
  const append = (spans: Span | Span[], options?: BatchOptions): Promise<Evictions> =>
    underTest().append(spans, options);
  const idsOf = async (query: TraceQuery = {}): Promise<string[]> =>
    (await underTest().store.list({ limit: 1000, ...query })).traces.map((trace) => trace.trace_id);

  describe("filters", () => {
    it("contract 3: span_type finds traces with such a span, evaluations among them", async () => {
      await append([
        aSpan({ trace_id: "a", span_type: "retrieval" }),
        aSpan({ trace_id: "b" }),
        anEvaluation("relevance", 1, { trace_id: "b" }),
        aSpan({ trace_id: "c", span_type: "own kind" }),
      ]);
      expect(await idsOf({ span_type: "retrieval" })).toEqual(["a"]);
      expect(await idsOf({ span_type: "evaluation" })).toEqual(["b"]);
      expect(await idsOf({ span_type: "own kind" })).toEqual(["c"]);
      expect(await idsOf({ span_type: "llm" })).toEqual([]);
    });

    it("contract 3: min_duration_ms goes by the whole trace, and includes it", async () => {
      await append([
        aSpan({ trace_id: "short", duration_ms: 999 }),
        aSpan({ trace_id: "long", duration_ms: 400 }),
        aSpan({ trace_id: "long", start_time: "2026-01-01T00:00:00.600Z", duration_ms: 400 }),
      ]);
      expect(await idsOf({ min_duration_ms: 1000 })).toEqual(["long"]);
      expect(await idsOf({ min_duration_ms: 999.5 })).toEqual(["long"]);
      expect(await idsOf({ min_duration_ms: 999 })).toEqual(["long", "short"]);
    });

    it("contract 3: since includes its moment and until does not, to the nanosecond", async () => {
      await append([
        aSpan({ trace_id: "a", start_time: "2026-01-01T00:00:00.000000001Z" }),
        aSpan({ trace_id: "b", start_time: "2026-01-01T00:00:00.000000002Z" }),
        aSpan({ trace_id: "c", start_time: "2026-01-01T00:00:00.000000003Z" }),
      ]);
      const at = (nanos: number): string => `2026-01-01T01:00:00.00000000${nanos}+01:00`;
      expect(await idsOf({ since: at(2) })).toEqual(["c", "b"]);
      expect(await idsOf({ until: at(2) })).toEqual(["a"]);
      expect(await idsOf({ since: at(2), until: at(3) })).toEqual(["b"]);
      expect(await idsOf({ since: String(Date.UTC(2026, 0, 1)) })).toEqual(["c", "b", "a"]);
      expect(await idsOf({ since: String(Date.UTC(2026, 0, 1) + 0.5) })).toEqual([]);
    });

    it("goes by the earliest start also where it comes last", async () => {
      await append(aSpan({ start_time: "2026-01-01T00:00:10Z" }));
      expect(await idsOf({ until: "2026-01-01T00:00:05Z" })).toEqual([]);
      await append(aSpan({ start_time: "2026-01-01T00:00:01Z" }));
      expect(await idsOf({ until: "2026-01-01T00:00:05Z" })).toEqual(["trace"]);
    });

    it("refuses a time that it cannot read", async () => {
      for (const time of ["yesterday", "", "2026-13-01T00:00:00Z", "-5", "1e12", "2026-01-01"]) {
        const error = { code: "invalid_query", details: { field: "since" } };
        await expect(underTest().store.list({ since: time }), time).rejects.toMatchObject(error);
        await expect(underTest().store.facets({ since: time })).rejects.toMatchObject(error);
        await expect(underTest().store.histogram({ since: time })).rejects.toMatchObject(error);
      }
    });

    it("contract 3: has_evaluation tells traces that were judged, that were not, and by what", async () => {
      await append([
        aSpan({ trace_id: "none" }),
        aSpan({ trace_id: "judged" }),
        aSpan({ trace_id: "failed" }),
      ]);
      await append([
        anEvaluation("relevance", 0.5, { trace_id: "judged" }),
        anEvaluation("criteria:is it polite?", 0.5, { trace_id: "judged" }),
        aSpan({
          trace_id: "failed",
          span_type: "evaluation",
          status: "ERROR",
          attributes: { evaluation_type: "toxicity" },
        }),
      ]);
      expect(await idsOf({ has_evaluation: "true" })).toEqual(["failed", "judged"]);
      expect(await idsOf({ has_evaluation: "false" })).toEqual(["none"]);
      expect(await idsOf({ has_evaluation: "relevance" })).toEqual(["judged"]);
      expect(await idsOf({ has_evaluation: "criteria" })).toEqual(["judged"]);
      expect(await idsOf({ has_evaluation: "toxicity" })).toEqual(["failed"]);
      expect(await idsOf({ has_evaluation: "faithfulness" })).toEqual([]);
    });

    it("contract 3: root_name goes by the name that the summary shows", async () => {
      await append([
        aSpan({ trace_id: "a", parent_span_id: "later", name: "child", start_time: "2026-01-01T00:00:01Z" }),
      ]);
      expect(await idsOf({ root_name: "child" })).toEqual(["a"]);
      await append(aSpan({ trace_id: "a", span_id: "later", name: "run" }));
      expect(await idsOf({ root_name: "child" })).toEqual([]);
      expect(await idsOf({ root_name: "run" })).toEqual(["a"]);
    });

    it("sees what became of a trace since it was asked before", async () => {
      const { clock } = underTest();
      await append(aModelCall({ span_id: "s", status: "RUNNING" }));
      expect(await idsOf({ status: "RUNNING", model: "small" })).toEqual(["trace"]);
      clock.advance(30 * 60_000);
      expect(await idsOf({ status: "RUNNING" })).toEqual([]);
      expect(await idsOf({ status: "ABANDONED" })).toEqual(["trace"]);
      await append(aModelCall({ span_id: "s", status: "ERROR", attributes: { model: "large" } }));
      expect(await idsOf({ status: "ABANDONED" })).toEqual([]);
      expect(await idsOf({ status: "ERROR", model: "large" })).toEqual(["trace"]);
      expect(await idsOf({ model: "small" })).toEqual([]);
    });

    it("holds all filters at once", async () => {
      const wanted = aModelCall({
        trace_id: "wanted",
        name: "run",
        duration_ms: 2000,
        attributes: { agent: "planner", prompt_text: "needle" },
      });
      await append([wanted, anEvaluation("relevance", 1, { trace_id: "wanted", parent_span_id: "x" })], {
        tenant: "acme",
      });
      const filter: TraceFilter = {
        trace_id: "wanted",
        tenant: "acme",
        service: "shop",
        env: "production",
        agent: "planner",
        model: "small",
        status: "OK",
        span_type: "llm",
        root_name: "run",
        min_duration_ms: 1500,
        since: "2026-01-01T00:00:00Z",
        until: "2026-01-01T00:00:01Z",
        has_evaluation: "relevance",
        q: "NEEDLE",
      };
      expect(await idsOf(filter)).toEqual(["wanted"]);
      const others: TraceFilter = {
        trace_id: "other",
        tenant: "other",
        service: "other",
        env: "other",
        agent: "other",
        model: "other",
        status: "ERROR",
        span_type: "tool",
        root_name: "other",
        min_duration_ms: 2001,
        since: "2026-01-01T00:00:01Z",
        until: "2026-01-01T00:00:00Z",
        has_evaluation: "other",
        q: "other",
      };
      for (const key of Object.keys(others) as (keyof TraceFilter)[]) {
        expect(await idsOf({ ...filter, [key]: others[key] }), key).toEqual([]);
      }
    });
  });

  describe("orders", () => {
    const fill = async (durations: readonly number[]): Promise<void> => {
      for (const [index, duration_ms] of durations.entries()) {
        const cost_usd = 1 / (1 + duration_ms);
        await append(aModelCall({ trace_id: `t${index}`, duration_ms, attributes: { cost_usd } }));
      }
    };

    it("contract 3: slowest and costliest first, the newer first where they are equal", async () => {
      await fill([5, 50, 5, 500, 0]);
      expect(await idsOf({ order: "slowest" })).toEqual(["t3", "t1", "t2", "t0", "t4"]);
      expect(await idsOf({ order: "costliest" })).toEqual(["t4", "t2", "t0", "t1", "t3"]);
      expect(await idsOf({ order: "newest" })).toEqual(["t4", "t3", "t2", "t1", "t0"]);
    });

    it("orders what the filters choose", async () => {
      await fill([5, 50, 500]);
      await append(aSpan({ trace_id: "failed", status: "ERROR", duration_ms: 7 }));
      expect(await idsOf({ order: "slowest", status: "ERROR" })).toEqual(["failed"]);
      expect(await idsOf({ order: "slowest", min_duration_ms: 50 })).toEqual(["t2", "t1"]);
    });

    it("goes through all pages while traces come and go, none twice and none left out", async () => {
      const durations = Array.from({ length: 40 }, (_, index) => (index * 17) % 23);
      await fill(durations);
      const { store } = underTest();
      const whole = await idsOf({ order: "slowest" });
      const paged: string[] = [];
      let cursor: string | undefined;
      for (let page = 0; ; page++) {
        const { traces, nextCursor } = await store.list({
          order: "slowest",
          limit: 6,
          ...(cursor === undefined ? {} : { cursor }),
        });
        paged.push(...traces.map(({ trace_id }) => trace_id));
        if (nextCursor === null) break;
        cursor = nextCursor;
        // What comes is on none of the pages, wherever it would stand.
        await append([
          aSpan({ trace_id: `late ${page}`, duration_ms: 11 }),
          aSpan({ trace_id: `later ${page}`, duration_ms: 0 }),
        ]);
        if (page === 2) await store.remove({ tenant: "", traceId: whole.at(-1) ?? "" });
      }
      expect(paged).toEqual(whole.slice(0, -1));
    });

    it("has no next cursor where nothing more matches", async () => {
      await fill([1, 2, 3, 4]);
      const { store } = underTest();
      expect((await store.list({ order: "slowest", limit: 4 })).nextCursor).toBeNull();
      expect((await store.list({ order: "slowest", limit: 3 })).nextCursor).not.toBeNull();
      expect((await store.list({ order: "slowest", limit: 3, min_duration_ms: 2 })).nextCursor).toBeNull();
    });

    it("refuses a cursor of another order", async () => {
      await fill([1, 2, 3]);
      const { store } = underTest();
      const { nextCursor } = await store.list({ order: "slowest", limit: 1 });
      for (const order of ["newest", "costliest"] as const) {
        await expect(store.list({ order, cursor: nextCursor ?? "" })).rejects.toMatchObject({
          code: "invalid_query",
        });
      }
    });
  });

  describe("facets over all filters", () => {
    it("contract 3: counts evaluation types once a trace, and adds up the cost", async () => {
      await append([
        aModelCall({ trace_id: "a" }),
        anEvaluation("relevance", 1, { trace_id: "a" }),
        anEvaluation("relevance", 0, { trace_id: "a" }),
        aModelCall({ trace_id: "b" }),
        anEvaluation("relevance", 1, { trace_id: "b" }),
        anEvaluation("length:1-80", 1, { trace_id: "b" }),
      ]);
      const { store } = underTest();
      expect(await store.facets({})).toMatchObject({
        cost_usd: expect.closeTo(0.02, 10) as number,
        evaluation_type: [
          { value: "relevance", count: 2 },
          { value: "length", count: 1 },
        ],
      });
      expect(await store.facets({ has_evaluation: "length" })).toMatchObject({ total: 1, cost_usd: 0.01 });
    });
  });

  describe("what an export takes", () => {
    it("is every trace that the filters choose, in the order in which they came", async () => {
      await append([aSpan({ trace_id: "a" }), aSpan({ trace_id: "b", name: "needle" })], { tenant: "acme" });
      await append(aSpan({ trace_id: "c", name: "needle" }));
      const { store } = underTest();
      expect(await store.select({})).toEqual([
        { tenant: "acme", traceId: "a" },
        { tenant: "acme", traceId: "b" },
        { tenant: "", traceId: "c" },
      ]);
      expect((await store.select({ q: "NEEDLE" })).map(({ traceId }) => traceId)).toEqual(["b", "c"]);
      expect(await store.select({ service: "other" })).toEqual([]);
    });

    it("is the spans of a trace as they came, in order of arrival, evaluations among them", async () => {
      await append([
        aSpan({ span_id: "late", start_time: "2026-01-01T00:00:05Z" }),
        anEvaluation("relevance", 1, { span_id: "judged", start_time: "2026-01-01T00:00:09Z" }),
        aSpan({ span_id: "early", start_time: "2026-01-01T00:00:01Z", status: "RUNNING" }),
      ]);
      underTest().clock.advance(3_600_000);
      const trace = await underTest().store.get({ tenant: "", traceId: "trace" });
      const received = await receivedOf(trace);
      expect(received.map(({ span }) => span.span_id)).toEqual(["late", "judged", "early"]);
      // Abandoned is how it is shown, not what it said.
      expect(received.map(({ facts }) => facts.status)).toEqual(["OK", "OK", "RUNNING"]);
      expect(received[0]?.context).toMatchObject({ service: "shop", env: "production", tenant: "" });
    });

    it("comes back whole: a trace out of a file is not late", async () => {
      const { store } = underTest();
      const spans = pipelineSpans([aSpan(), anEvaluation("relevance", 1)]);
      await store.append(spans);
      for (let index = 0; index < 101; index++) await append(aSpan({ trace_id: `other ${index}` }));
      expect(await store.summary({ tenant: "", traceId: "trace" })).toBeUndefined();
      await store.append(spans, { isImport: true });
      expect(await store.summary({ tenant: "", traceId: "trace" })).toMatchObject({
        partial: false,
        scores: [{ type: "relevance" }],
      });
    });
  });

  describe("histogram", () => {
    const at = (second: number, fields: Partial<Span> = {}): Span =>
      aSpan({
        trace_id: `t${second} ${JSON.stringify(fields)}`,
        start_time: new Date(Date.UTC(2026, 0, 1, 12) + second * 1000).toISOString(),
        ...fields,
      });

    it("contract 3: counts traces by their start in buckets without a gap, errors apart", async () => {
      await append([at(0), at(1), at(1, { status: "ERROR" }), at(4.999)]);
      expect(await underTest().store.histogram({ buckets: 5 })).toEqual({
        total: 4,
        bucket_ms: 1000,
        buckets: [
          { start: "2026-01-01T12:00:00.000Z", traces: 1, errors: 0 },
          { start: "2026-01-01T12:00:01.000Z", traces: 2, errors: 1 },
          { start: "2026-01-01T12:00:02.000Z", traces: 0, errors: 0 },
          { start: "2026-01-01T12:00:03.000Z", traces: 0, errors: 0 },
          { start: "2026-01-01T12:00:04.000Z", traces: 1, errors: 0 },
        ],
      });
    });

    it("takes the filters, and reaches from since to until where they are given", async () => {
      await append([at(0), at(30), at(90, { status: "ERROR" })]);
      const { store } = underTest();
      const failed = await store.histogram({ status: "ERROR" });
      expect(failed).toMatchObject({ total: 1, buckets: [{ traces: 1, errors: 1 }] });
      const range = await store.histogram({
        since: "2026-01-01T12:00:20Z",
        until: "2026-01-01T12:01:20Z",
        buckets: 6,
      });
      expect(range.bucket_ms).toBe(10_000);
      expect(range.buckets.map(({ traces }) => traces)).toEqual([0, 1, 0, 0, 0, 0]);
      expect(range.buckets[0]?.start).toBe("2026-01-01T12:00:20.000Z");
    });

    it("keeps to the number of buckets, however long the time is", async () => {
      await append([at(0), at(61), at(7200), at(86_400 * 900)]);
      const { store } = underTest();
      for (const buckets of [1, 2, 7, 60, 500]) {
        const histogram = await store.histogram({ buckets });
        expect(histogram.buckets.length, String(buckets)).toBeLessThanOrEqual(buckets);
        expect(histogram.buckets.reduce((sum, { traces }) => sum + traces, 0)).toBe(4);
      }
    });

    it("has no bucket where there is no trace and no time was given", async () => {
      const { store } = underTest();
      expect(await store.histogram({})).toEqual({ total: 0, bucket_ms: null, buckets: [] });
      await append(at(0));
      const inverted = { since: "2026-01-02T00:00:00Z", until: "2026-01-01T00:00:00Z" };
      expect(await store.histogram(inverted)).toEqual({ total: 0, bucket_ms: null, buckets: [] });
    });
  });
}
