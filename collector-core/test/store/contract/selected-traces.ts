import { describe, expect, it } from "vitest";
import { keysOf, receivedOf } from "../read-trace.js";
import { anEvaluation, aSpan, pipelineSpans } from "../span-batches.js";
import { createHarness, type CreateStore } from "./harness.js";

/** What an export takes. */
export function describeSelectedTraces(createStore: CreateStore, isShared: boolean): void {
  describe("what an export takes", () => {
    const harness = createHarness(createStore);
    const { append } = harness;

    it("is every trace that the filters choose, in the order in which they came", async () => {
      await append([aSpan({ trace_id: "a" }), aSpan({ trace_id: "b", name: "needle" })], { tenant: "acme" });
      await append(aSpan({ trace_id: "c", name: "needle" }));
      expect(await keysOf(harness.store.select({}))).toEqual([
        { tenant: "acme", traceId: "a" },
        { tenant: "acme", traceId: "b" },
        { tenant: "", traceId: "c" },
      ]);
      expect((await keysOf(harness.store.select({ q: "NEEDLE" }))).map(({ traceId }) => traceId)).toEqual([
        "b",
        "c",
      ]);
      expect(await keysOf(harness.store.select({ service: "other" }))).toEqual([]);
    });

    it("is the spans of a trace as they came, in order of arrival, evaluations among them", async () => {
      await append([
        aSpan({ span_id: "late", start_time: "2026-01-01T00:00:05Z" }),
        anEvaluation("relevance", 1, { span_id: "judged", start_time: "2026-01-01T00:00:09Z" }),
        aSpan({ span_id: "early", start_time: "2026-01-01T00:00:01Z", status: "RUNNING" }),
      ]);
      harness.clock.advance(3_600_000);
      const trace = await harness.store.get({ tenant: "", traceId: "trace" });
      const received = await receivedOf(trace);
      expect(received.map(({ span }) => span.span_id)).toEqual(["late", "judged", "early"]);
      // Abandoned is how it is shown, not what it said.
      expect(received.map(({ facts }) => facts.status)).toEqual(["OK", "OK", "RUNNING"]);
      expect(received[0]?.context).toMatchObject({ service: "shop", env: "production", tenant: "" });
    });

    it.skipIf(isShared)("comes back whole: a trace out of a file is not late", async () => {
      const key = { tenant: "", traceId: "trace" };
      const spans = pipelineSpans([aSpan(), anEvaluation("relevance", 1)]);
      await harness.store.append(spans);
      for (let index = 0; index < 101; index++) await append(aSpan({ trace_id: `other ${index}` }));
      expect((await harness.store.summaries([key]))[0]).toBeUndefined();
      await harness.store.append(spans, { isImport: true });
      expect((await harness.store.summaries([key]))[0]).toMatchObject({
        partial: false,
        scores: [{ type: "relevance" }],
      });
    });
  });
}
