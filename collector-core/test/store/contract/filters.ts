import { describe, expect, it } from "vitest";
import type { TraceFilter } from "../../../src/api-schema/trace.js";
import { aModelCall, anEvaluation, aSpan } from "../span-batches.js";
import { createHarness, type CreateStore } from "./harness.js";

/** Every filter (contract 3). */
export function describeFilters(createStore: CreateStore): void {
  describe("filters", () => {
    const harness = createHarness(createStore);
    const { append, idsOf } = harness;

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
        await expect(harness.store.list({ since: time }), time).rejects.toMatchObject(error);
        await expect(harness.store.facets({ since: time })).rejects.toMatchObject(error);
        await expect(harness.store.histogram({ since: time })).rejects.toMatchObject(error);
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
      await append(aModelCall({ span_id: "s", status: "RUNNING" }));
      expect(await idsOf({ status: "RUNNING", model: "small" })).toEqual(["trace"]);
      harness.clock.advance(30 * 60_000);
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
}
