import { describe, expect, it } from "vitest";
import { freshSdk, listenToConsole, recordingSdk } from "../fresh-sdk.js";

describe("score()", () => {
  it("contract 8: sends an evaluation span of the trace, with its source", async () => {
    const { score, takeSpans } = await recordingSdk();
    score({ traceId: "t1", spanId: "s1", type: "feedback", score: 0.75, label: "good", comment: "Thanks" });
    score({ traceId: "t1", type: "feedback", score: 0 });
    const [full, plain] = takeSpans();
    expect(full).toMatchObject({
      name: "evaluation.feedback",
      span_type: "evaluation",
      trace_id: "t1",
      parent_span_id: "s1",
      status: "OK",
      attributes: {
        evaluation_type: "feedback",
        evaluation_score: 0.75,
        evaluation_label: "good",
        evaluation_comment: "Thanks",
        evaluation_source: "user",
        evaluation_outcome: "completed",
        evaluated_span_id: "s1",
      },
    });
    expect(plain).not.toHaveProperty("parent_span_id");
    expect(plain?.attributes).not.toHaveProperty("evaluated_span_id");
  });

  it("scores the current span without a trace id", async () => {
    const { score, observe, takeSpans } = await recordingSdk();
    observe("answer", () => score({ type: "self_check", score: 1 }));
    const [scored, answer] = takeSpans();
    expect(scored).toMatchObject({ trace_id: answer?.trace_id, parent_span_id: answer?.span_id });
  });

  it.each([
    { type: "x", score: 0.5 },
    { traceId: "t", type: "", score: 0.5 },
    { traceId: "t", type: "x", score: 1.5 },
    { traceId: "t", type: "x", score: Number.NaN },
    { traceId: "t", type: "x", score: "1" as never },
  ])("%j is left out with a warning", async (unusable) => {
    const heard = listenToConsole();
    const { score, takeSpans } = await recordingSdk();
    score(unusable);
    expect([takeSpans(), heard.warnings.length]).toEqual([[], 1]);
  });
});

it("does not throw where nothing is recorded, whatever it is given", async () => {
  listenToConsole();
  const { score } = await freshSdk();
  const untyped = score as unknown as (given?: unknown) => void;
  for (const given of [undefined, null, 5, "good", {}]) expect(() => untyped(given)).not.toThrow();
});
