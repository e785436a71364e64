import { describe, expect, it } from "vitest";
import type { EvaluationList, EvaluationSummary } from "../../src/api-schema/evaluations.js";
import type { TraceDetail } from "../../src/api-schema/trace.js";
import { span, startCollector } from "../running-collector.js";

/** Names that every object of JavaScript inherits; a sender may use them as any other text. */
const NAMES = ["constructor", "__proto__", "toString", "valueOf"];

function otlpSpan(input: string, more: object = {}): object {
  const texts = { "gen_ai.operation.name": "chat", "gen_ai.input.messages": input };
  const attributes = Object.entries(texts).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const ids = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
  return { resourceSpans: [{ scopeSpans: [{ spans: [{ ...ids, name: "chat", attributes, ...more }] }] }] };
}

describe.each(NAMES)("a text that is %s", (name) => {
  it.each([
    ["the type of a part", JSON.stringify([{ role: "user", content: [{ type: name, x: 1 }] }])],
    ["the type of the only part", JSON.stringify([{ role: "user", content: { type: name, x: 1 } }])],
  ])("over OTLP is %s like any other", async (_what, input) => {
    const { url, get, settled } = await startCollector();
    const response = await fetch(`${url}/v1/traces`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(otlpSpan(input)),
    });
    expect(response.status).toBe(200);
    await settled();
    const { spans }: TraceDetail = await get("/v1/traces/0af7651916cd43dd8448eb211c80319c");
    expect(spans[0]?.attributes["prompt_messages"]).toEqual([
      { role: "user", parts: [{ type: name, x: 1 }] },
    ]);
  });

  it("over OTLP is the role of a message like any other", async () => {
    const { url, get, settled } = await startCollector();
    const event = { name, attributes: [{ key: "content", value: { stringValue: "event" } }] };
    const body = otlpSpan(JSON.stringify([{ role: name, content: "Hi" }]), { events: [event] });
    await fetch(`${url}/v1/traces`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    await settled();
    const { spans }: TraceDetail = await get("/v1/traces/0af7651916cd43dd8448eb211c80319c");
    expect(spans[0]?.attributes["prompt_messages"]).toEqual([
      { role: name, parts: [{ type: "text", content: "Hi" }] },
    ]);
    expect(spans[0]?.events.map((each) => each.name)).toEqual([name]);
  });

  it("is an evaluation type like any other unknown one", async () => {
    const { post, get, settled } = await startCollector();
    const attributes = { evaluation_type: name, evaluation_score: 0.1 };
    await post({ spans: [span({ span_type: "evaluation", attributes })] });
    await settled();
    const { evaluations }: EvaluationList = await get("/v1/evaluations");
    expect(evaluations).toMatchObject([{ type: name, direction: "maximize", past_threshold: true }]);
    const { types }: EvaluationSummary = await get("/v1/evaluations/summary");
    expect(types).toMatchObject([{ type: name, direction: "maximize", threshold: 0.7, past_threshold: 1 }]);
  });
});
