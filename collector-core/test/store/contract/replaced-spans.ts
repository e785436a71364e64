import type { Span } from "@obspan/sdk/wire";
import { describe, expect, it } from "vitest";
import type { TraceSummary } from "../../../src/api-schema/trace.js";
import { aModelCall, aSpan } from "../span-batches.js";
import { createHarness, type CreateStore } from "./harness.js";

/** What becomes of spans that arrive again. */
export function describeReplacedSpans(createStore: CreateStore, isShared: boolean): void {
  describe("spans that come again", () => {
    const harness = createHarness(createStore);
    const { open, append, summaryOf, spansOf, spanOf, idsOf } = harness;

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

    it.skipIf(isShared)("keeps the place by arrival of the span that it replaces", async () => {
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
      harness.clock.advance(30 * 60_000 - 1);
      expect(await summaryOf()).toMatchObject({ status: "RUNNING", running: true });
      harness.clock.advance(1);
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
}
