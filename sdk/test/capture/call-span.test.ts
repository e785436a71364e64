import { describe, expect, it } from "vitest";
import { recordingSdk } from "../fresh-sdk.js";

describe("evaluation metadata", () => {
  it("is not sent while evaluationEnabled is false", async () => {
    const { llm, takeSpans } = await recordingSdk({
      evaluationTypes: ["relevance"],
      evaluationSampleRate: 1,
    });
    llm({ evaluationTypes: ["toxicity"] }, () => 1)();
    expect(Object.keys(takeSpans()[0]?.attributes ?? {})).toEqual(["completion_text"]);
  });

  it("spec 2.5: llm spans carry the configured types and rate, or those of the wrapper; other spans carry none", async () => {
    const { llm, tool, observe, takeSpans } = await recordingSdk({
      evaluationEnabled: true,
      evaluationTypes: ["relevance", "toxicity"],
      evaluationSampleRate: 0.5,
      captureCompletion: false,
    });
    llm(() => 1)();
    llm({ evaluationTypes: ["correctness"], evaluationSampleRate: 1 }, () => 1)();
    observe({ name: "block", spanType: "llm" }, () => 1);
    tool("t", () => 1)();
    const configured = { evaluation_types: ["relevance", "toxicity"], evaluation_sample_rate: 0.5 };
    expect(takeSpans().map(({ attributes }) => attributes)).toEqual([
      configured,
      { evaluation_types: ["correctness"], evaluation_sample_rate: 1 },
      configured,
      { tool_name: "t" },
    ]);
  });
});

describe("live: true", () => {
  it("sends the start of a span, and its end under the same id", async () => {
    const { startSpan, takeSpans, stats } = await recordingSdk({ live: true });
    const span = startSpan({ name: "work", spanType: "task", attributes: { step: 1 } });
    expect(takeSpans()).toEqual([
      {
        name: "work",
        span_type: "task",
        trace_id: span.traceId,
        span_id: span.spanId,
        start_time: expect.any(Number),
        status: "RUNNING",
        attributes: { step: 1 },
      },
    ]);
    span.setAttribute("step", 2);
    span.end();
    expect(takeSpans()).toEqual([
      expect.objectContaining({
        span_id: span.spanId,
        status: "OK",
        attributes: { step: 2 },
        duration_ms: expect.any(Number),
      }),
    ]);
    expect(stats()).toMatchObject({ enqueued: 2, acked: 2 });
  });

  it("sends a span only once, as ended, if it ends before its start was sent", async () => {
    const { llm, takeSpans, stats } = await recordingSdk({ live: true });
    llm((prompt: string) => prompt)("Hi");
    expect(takeSpans()).toEqual([
      expect.objectContaining({ status: "OK", attributes: { prompt_text: "Hi", completion_text: "Hi" } }),
    ]);
    expect(stats()).toMatchObject({ enqueued: 1, acked: 1, pending: 0 });
  });
});
