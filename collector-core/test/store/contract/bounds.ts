import type { Span } from "@obspan/sdk/wire";
import { describe, expect, it } from "vitest";
import { aModelCall, anEvaluation, aSpan } from "../span-batches.js";
import { createHarness, type CreateStore } from "./harness.js";

/** How a store stays within its bounds (spec 4.9 rule 2). */
export function describeBounds(createStore: CreateStore, isShared: boolean): void {
  describe("bounds", () => {
    const harness = createHarness(createStore);
    const { open, append, evictedBy, usage, summaryOf, spansOf, spanOf, idsOf } = harness;

    it.skipIf(isShared)(
      "spec 4.9 rule 2: beyond max_traces the oldest traces go first, in the order of their first span",
      async () => {
        await open({ maxTraces: 3 });
        for (const id of ["a", "b", "c"]) await append(aSpan({ trace_id: id }));
        await append(aSpan({ trace_id: "a" }));
        expect(await evictedBy(aSpan({ trace_id: "d" }))).toEqual({ max_traces: 1 });
        expect(await idsOf()).toEqual(["d", "c", "b"]);
        expect(await evictedBy([aSpan({ trace_id: "e" }), aSpan({ trace_id: "f" })])).toEqual({
          max_traces: 2,
        });
        expect(await idsOf()).toEqual(["f", "e", "d"]);
        expect(await usage()).toMatchObject({ traces: 3, spans: 3, evicted: { max_traces: 3 } });
      },
    );

    it.skipIf(isShared)("spec 4.9 rule 2: the order stays exact after traces were deleted", async () => {
      await open({ maxTraces: 4 });
      for (const id of ["a", "b", "c", "d"]) await append(aSpan({ trace_id: id }));
      await harness.store.remove({ tenant: "", traceId: "a" });
      await harness.store.remove({ tenant: "", traceId: "c" });
      await append([aSpan({ trace_id: "a" }), aSpan({ trace_id: "e" })]);
      expect(await idsOf()).toEqual(["e", "a", "d", "b"]);
      await append(aSpan({ trace_id: "f" }));
      expect(await idsOf()).toEqual(["f", "e", "a", "d"]);
      await append([aSpan({ trace_id: "g" }), aSpan({ trace_id: "h" })]);
      expect(await idsOf()).toEqual(["h", "g", "f", "e"]);
    });

    it.skipIf(isShared)(
      "spec 4.9 rule 2: of 501 spans the oldest is dropped, by arrival and not by start",
      async () => {
        const spans = Array.from({ length: 501 }, (_, index) =>
          aModelCall({
            span_id: `s${index}`,
            parent_span_id: "elsewhere",
            start_time: new Date(Date.UTC(2026, 0, 1) + 1000 - index).toISOString(),
          }),
        );
        expect(await evictedBy(spans.slice(0, 500))).toEqual({});
        expect(await evictedBy(spans.slice(500))).toEqual({ span_cap: 1 });
        const kept = (await spansOf()).map((span) => span.span_id);
        expect(kept).toHaveLength(500);
        expect(kept).not.toContain("s0");
        expect(kept).toContain("s500");
        expect(await spanOf("s0")).toBeUndefined();
        expect(await usage()).toMatchObject({
          traces: 1,
          spans: 500,
          evicted: { span_cap: 1, max_traces: 0 },
        });
      },
    );

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

    it.skipIf(isShared)("keeps the last 100 evaluations of a trace, apart from the span cap", async () => {
      await open({ maxSpansPerTrace: 2 });
      const evaluations = Array.from({ length: 101 }, (_, n) =>
        anEvaluation("relevance", n / 200, { span_id: `e${n}` }),
      );
      await append([aSpan({ span_id: "a" }), aSpan({ span_id: "b" })]);
      expect(await evictedBy(evaluations)).toEqual({ span_cap: 1 });
      const kept = (await spansOf()).map((span) => span.span_id);
      expect(kept).toHaveLength(102);
      expect(kept).toEqual(expect.arrayContaining(["a", "b", "e1", "e100"]));
      expect(await summaryOf()).toMatchObject({
        span_count: 2,
        dropped_spans: 0,
        scores: [{ type: "relevance", score: 0.5, label: null }],
      });
    });

    it.skipIf(isShared)("spec 4.9 rule 2: a trace expires ttl_seconds after its last span", async () => {
      await open({ ttlSeconds: 60 });
      await append([aSpan({ trace_id: "a" }), aSpan({ trace_id: "b" })]);
      harness.clock.advance(59_999);
      await append(aSpan({ trace_id: "a" }));
      expect(await idsOf()).toEqual(["b", "a"]);
      harness.clock.advance(1);
      expect(await idsOf()).toEqual(["a"]);
      expect(await harness.store.get({ tenant: "", traceId: "b" })).toBeUndefined();
      expect(await harness.store.facets({})).toMatchObject({ total: 1 });
      harness.clock.advance(59_999);
      expect(await idsOf()).toEqual([]);
      expect(await usage()).toMatchObject({ traces: 0, spans: 0, evicted: { ttl: 2 } });
    });

    it("spec 4.9 rule 2: with ttl_seconds 0 traces never expire", async () => {
      await append(aSpan());
      harness.clock.advance(1e12);
      expect(await idsOf()).toEqual(["trace"]);
    });

    it.skipIf(isShared)("keeps to the monotonic clock when the wall clock jumps", async () => {
      await open({ ttlSeconds: 60 });
      await append(aSpan({ status: "RUNNING" }));
      harness.clock.wallMs += 86_400_000;
      expect(await summaryOf()).toMatchObject({ status: "RUNNING" });
      harness.clock.wallMs -= 2 * 86_400_000;
      harness.clock.monotonicMs += 60_000;
      expect(await idsOf()).toEqual([]);
    });

    it.skipIf(isShared)(
      "marks what comes for an evicted trace as partial, and drops its late evaluations",
      async () => {
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
      },
    );

    it("starts afresh after a trace was deleted or the store cleared", async () => {
      await append([aSpan({ trace_id: "a" }), aSpan({ trace_id: "b" })]);
      expect(await harness.store.remove({ tenant: "", traceId: "a" })).toBe(true);
      expect(await harness.store.remove({ tenant: "", traceId: "a" })).toBe(false);
      await append(aSpan({ trace_id: "a" }));
      expect(await summaryOf("a")).toMatchObject({ partial: false });
      expect(await harness.store.clear()).toBe(2);
      expect(await harness.store.clear()).toBe(0);
      expect(await idsOf()).toEqual([]);
      expect(await usage()).toMatchObject({ traces: 0, spans: 0, evicted: { cleared: 3 } });
      await append([aSpan({ trace_id: "b" }), anEvaluation("relevance", 1, { trace_id: "a" })]);
      expect(await summaryOf("b")).toMatchObject({ partial: false });
      expect(await idsOf()).toEqual(["a", "b"]);
    });
  });
}
