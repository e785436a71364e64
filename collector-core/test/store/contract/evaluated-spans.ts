import { describe, expect, it } from "vitest";
import type { SpanReference, TraceStore } from "../../../src/interfaces.js";
import { aModelCall, anEvaluation, aSpan } from "../span-batches.js";
import { createHarness, type CreateStore } from "./harness.js";

const of = (spanId: string | null, traceId = "trace", tenant = ""): SpanReference => ({
  tenant,
  traceId,
  spanId,
});

/** What a store tells of the spans that evaluations score. */
export function describeEvaluatedSpans(createStore: CreateStore): void {
  describe("evaluated spans", () => {
    const harness = createHarness(createStore);
    const { append } = harness;

    /** The store while its traces receive spans, and the one that was opened again. */
    async function eachStore(check: (store: TraceStore) => Promise<void>): Promise<void> {
      await check(harness.store);
      if (harness.reopen !== undefined) await check(await harness.reopen());
    }

    it("have their model and agent, however many are asked for, in the order of the question", async () => {
      await append([
        aSpan({ span_id: "root", attributes: { agent: "support" } }),
        aModelCall({ span_id: "call", parent_span_id: "root", attributes: { model: "large" } }),
        aModelCall({ trace_id: "other", span_id: "call", attributes: { model: "m".repeat(300), agent: 7 } }),
        aSpan({ span_id: "plain" }),
      ]);
      await append(aModelCall({ span_id: "call", attributes: { model: "theirs" } }), { tenant: "b" });
      await append(
        { name: "n", trace_id: "made", attributes: { agent: "a" } },
        { generatedSpanIds: ["made"] },
      );
      await eachStore(async (store) => {
        const references = [
          of("call", "other"),
          of("call"),
          of("root"),
          of(null),
          of("plain"),
          of("call", "trace", "b"),
          of("made", "made"),
          of("unknown"),
          of("call", "unknown"),
          of(null, "unknown"),
          of("call"),
        ];
        expect(await store.labelsOf(references)).toEqual([
          { model: "m".repeat(256), agent: null },
          { model: "large", agent: null },
          { model: null, agent: "support" },
          { model: "large", agent: "support" },
          { model: null, agent: null },
          { model: "theirs", agent: null },
          { model: null, agent: "a" },
          undefined,
          undefined,
          undefined,
          { model: "large", agent: null },
        ]);
        expect(await store.labelsOf([])).toEqual([]);
      });
    });

    it("have the beginning of their output", async () => {
      const large = "x".repeat(100_000);
      const messages = [
        { role: "assistant", parts: [{ type: "tool_call", name: "find", arguments: { large } }] },
      ];
      await append([
        aModelCall({ span_id: "text", attributes: { prompt_text: large, completion_text: "Tomorrow." } }),
        aModelCall({ span_id: "tool", attributes: { completion_messages: messages } }),
        aModelCall({ span_id: "small", attributes: { output_text: "y".repeat(1000) } }),
        aSpan({ span_id: "none" }),
        anEvaluation("tone", 1, { span_id: "score", attributes: { completion_text: "of a score" } }),
      ]);
      await eachStore(async (store) => {
        const found = await store.outputPreviews(
          ["none", "small", "tool", "text", "score", "unknown", null].map((spanId) => of(spanId)),
        );
        expect(found).toEqual([
          null,
          "y".repeat(300),
          `find({"large":"${"x".repeat(300)}`.slice(0, 300),
          "Tomorrow.",
          "of a score",
          undefined,
          undefined,
        ]);
      });
    });

    it("are not found any more when their trace is deleted", async () => {
      await append([aModelCall({ span_id: "a" }), aModelCall({ trace_id: "other", span_id: "a" })]);
      await harness.store.remove(of(null));
      expect(await harness.store.labelsOf([of("a"), of(null)])).toEqual([undefined, undefined]);
      expect(await harness.store.outputPreviews([of("a")])).toEqual([undefined]);
      expect(await harness.store.labelsOf([of("a", "other")])).not.toEqual([undefined]);
    });
  });
}
