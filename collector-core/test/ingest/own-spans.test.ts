import { describe, expect, it } from "vitest";
import type { TraceDetail, TraceList } from "../../src/api-schema/trace.js";
import { map } from "../otlp/map-request.js";
import { otlpRequest, spanId, TRACE } from "../otlp/otlp-request.js";
import { startCollector, type RunningCollector } from "../running-collector.js";

const OWN = { "obspan.span_type": "span" };
const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

/** Returns the nesting of a value; 0 for a primitive. Not recursive, because the value may be deeper than the stack. */
function depthOf(value: unknown): number {
  let depth = 0;
  for (let level = [value]; ; depth++) {
    const objects = level.filter((item) => typeof item === "object" && item !== null);
    if (objects.length === 0) return depth;
    level = objects.flatMap((item) => Object.values(item) as unknown[]);
  }
}

async function postOtlp({ url, settled }: RunningCollector, ...spans: Parameters<typeof otlpRequest>[0]) {
  const response = await fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(otlpRequest(spans)),
  });
  await settled();
  return response;
}

describe("validates a span with Obspan attributes like any other", () => {
  it("contract 1: uses the ids of OTLP if its own are too long", async () => {
    const collector = await startCollector();
    const long = "x".repeat(1_000_000);
    const attributes = {
      ...OWN,
      "obspan.trace_id": long,
      "obspan.span_id": long,
      "obspan.parent_span_id": long,
    };
    expect((await postOtlp(collector, { id: "1", parent: "2", attributes })).status).toBe(200);
    const { traces } = await collector.get<TraceList>("/v1/traces");
    expect(traces.map(({ trace_id: id }) => id)).toEqual([TRACE]);
    const { spans } = await collector.get<TraceDetail>(`/v1/traces/${TRACE}`);
    expect(spans).toMatchObject([{ trace_id: TRACE, span_id: spanId("1"), parent_span_id: spanId("2") }]);
  });

  it("contract 1: accepts a trace id of 128 characters and sets a name if that of OTLP is empty", () => {
    const traceId = "\u{1f680}".repeat(128);
    expect(map({ name: "", attributes: { ...OWN, "obspan.trace_id": traceId } })).toMatchObject({
      trace_id: traceId,
      name: "unknown",
    });
  });

  it.each([29, 100, 5000, 100_000])("keeps JSON nested %i levels deep as text", async (levels) => {
    const collector = await startCollector();
    const text = nested(levels);
    const attributes = { ...OWN, deep: text, flat: "[[1]]", "obspan.json_keys": ["deep", "flat"] };
    const event = { name: "e", attributes: { deep: text, "obspan.json_keys": ["deep"] } };
    expect((await postOtlp(collector, { attributes, events: [event] }, { id: "2" })).status).toBe(200);
    const { spans } = await collector.get<TraceDetail>(`/v1/traces/${TRACE}?full=1`);
    expect(spans).toHaveLength(2);
    expect(spans[0]?.attributes).toEqual({ deep: text, flat: [[1]] });
    expect(spans[0]?.events[0]?.attributes).toEqual({ deep: text });
    const exported = await (await fetch(`${collector.url}/v1/export`)).text();
    expect(exported.split('"spanId"')).toHaveLength(3);
    const { received, accepted } = {
      received: await collector.metric("obs_spans_received_total"),
      accepted: await collector.metric("obs_spans_accepted_total"),
    };
    expect({ received, accepted }).toEqual({ received: 2, accepted: 2 });
  });

  it("parses null and JSON of the maximum depth of an export", () => {
    const attributes = { ...OWN, deep: nested(28), nothing: "null", "obspan.json_keys": ["deep", "nothing"] };
    const mapped = map({ attributes });
    expect(depthOf(mapped.attributes?.["deep"])).toBe(28);
    expect(mapped.attributes?.["nothing"]).toBeNull();
  });
});

describe("contract 1: values assembled from JSON texts never exceed the maximum depth of a batch", () => {
  const texts = (levels: number): string[] => [
    JSON.stringify([{ role: "user", content: JSON.parse(nested(levels)) as unknown }]),
    JSON.stringify([{ role: "user", parts: [{ type: "tool_call", name: "a", arguments: nested(levels) }] }]),
    JSON.stringify({ messages: [{ role: "user", content: nested(levels) }] }),
    nested(levels),
    `{"a":${nested(levels)}}`,
  ];
  const keys = [
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.system_instructions",
    "gen_ai.tool.definitions",
    "ai.response.toolCalls",
    "ai.response.providerMetadata",
    "input.value",
    "langfuse.observation.usage_details",
    "llm.input_messages.0.message.content",
    "llm.tools.0.tool.json_schema",
    "gen_ai.prompt.0.tool_calls.0.arguments",
    "events",
  ];

  it.each([20, 28, 40, 3000])("%i levels in every attribute that is parsed as JSON", (levels) => {
    for (const key of keys) {
      for (const text of texts(levels)) {
        const operation = { "gen_ai.operation.name": "chat" };
        const { attributes } = map({ attributes: { ...operation, [key]: text } });
        expect(depthOf(attributes), key).toBeLessThanOrEqual(29);
      }
    }
  });

  const messagesAs = (count: number): unknown[] => {
    const messages = new Array<unknown>(count).fill({ role: "user", content: "hi" });
    return [messages, [messages], { choices: messages.map((message) => ({ message })) }];
  };

  it("parses a span of 10,000 messages", () => {
    for (const value of messagesAs(10_000)) {
      const { attributes } = map({
        attributes: { "gen_ai.operation.name": "chat", "gen_ai.input.messages": JSON.stringify(value) },
      });
      expect(JSON.stringify(attributes).split('"hi"')).toHaveLength(10_001);
    }
  });

  it("keeps 125,000 messages as text, because parsing them would block the event loop", () => {
    for (const value of messagesAs(125_000)) {
      const text = JSON.stringify(value);
      const { attributes } = map({
        attributes: { "gen_ai.operation.name": "chat", "gen_ai.input.messages": text },
      });
      expect(Object.values(attributes ?? {})).toContain(text);
    }
  });
});
