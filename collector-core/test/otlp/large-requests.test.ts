import { describe, expect, it } from "vitest";
import type { Span } from "@obspan/sdk/wire";
import { readJsonRequest } from "../../src/otlp/read-json.js";
import { resolveLinks, type LinkMemory } from "../../src/otlp/request-links.js";
import { applicationsOf, mapInSteps, spansFromOtlp } from "../../src/otlp/spans-from-otlp.js";
import { runAtOnce } from "../../src/runtime/steps.js";
import { SHORTEST_SCANNED } from "../../src/span/json-bounds.js";
import { map, mapAll } from "./map-request.js";
import { otlpRequest, type TestSpan } from "./otlp-request.js";

/** A call whose attribute is a text of so many messages. */
function callOf(messages: number): TestSpan {
  const list = new Array<object>(messages).fill({ role: "user", content: "?" });
  return { attributes: { "gen_ai.operation.name": "chat", "gen_ai.input.messages": JSON.stringify(list) } };
}

/** A call with an attribute for each of so many messages. */
function indexedCall(messages: number): TestSpan {
  const keys = Array.from({ length: messages }, (_, index) => `gen_ai.prompt.${index}.content`);
  return { attributes: Object.fromEntries(keys.map((key) => [key, "?"])) };
}

/** What became of them: a number of messages, or the text. */
function inputOf({ attributes }: { attributes?: unknown }): number | "text" | undefined {
  const { prompt_messages: messages, ...rest } = attributes as Record<string, unknown>;
  if (Array.isArray(messages)) return messages.length;
  return typeof rest["gen_ai.input.messages"] === "string" ? "text" : undefined;
}

describe("a large OTLP request", () => {
  it("parses conversations of up to ten thousand messages", () => {
    expect(mapAll(Array.from({ length: 8 }, () => callOf(10_000))).map(inputOf)).toEqual(
      new Array(8).fill(10_000),
    );
  });

  it("keeps a conversation of 220,000 messages as text", () => {
    const call = callOf(220_000);
    const span = map(call);
    expect(inputOf(span)).toBe("text");
    const { attributes } = span as { attributes: Record<string, unknown> };
    expect(attributes["gen_ai.input.messages"]).toBe(call.attributes?.["gen_ai.input.messages"]);
  });

  it("shares the bound on rare keys among its texts, however short each one is", () => {
    const numbers = Array.from({ length: 25_000 }, (_, index) => `"${String(index)}":0`).join(",");
    const messages = `[{"role":"user","content":"?",${numbers}}]`;
    expect(messages.length).toBeLessThan(SHORTEST_SCANNED);
    const span = { attributes: { "gen_ai.operation.name": "chat", "gen_ai.input.messages": messages } };
    const inputs = mapAll(new Array<TestSpan>(20).fill(span)).map(inputOf);
    const parsed = inputs.filter((input) => input === 1).length;
    // One text is not scanned, five have 150,000 rare keys.
    expect(parsed).toBeGreaterThan(1);
    expect(parsed).toBeLessThanOrEqual(7);
    expect(inputs.slice(parsed)).toEqual(new Array(20 - parsed).fill("text"));
  });

  it("shares the bound on objects among the texts of one span, however short each one is", () => {
    const list = JSON.stringify(new Array<object>(4000).fill({ role: "user", content: "?" }));
    const attributes = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`llm.input_messages.${String(index)}.message.content`, list]),
    );
    const span = map({ attributes: { "openinference.span.kind": "LLM", ...attributes } });
    const messages = (span.attributes as { prompt_messages: { parts: object[] }[] }).prompt_messages;
    const parsed = messages.filter(({ parts }) => parts.length === 4000).length;
    expect(parsed).toBeGreaterThan(5);
    expect(parsed).toBeLessThanOrEqual(13);
    expect(messages.slice(parsed).every(({ parts }) => parts.length === 1)).toBe(true);
  });

  it.each([
    ["many spans", Array.from({ length: 5000 }, () => ({}))],
    ["a span of many events", [{ events: Array.from({ length: 50_000 }, () => ({ name: "e" })) }]],
    ["spans of many attributes", Array.from({ length: 20 }, () => indexedCall(1000))],
    ["spans of long conversations", Array.from({ length: 20 }, () => callOf(2000))],
  ])("is mapped in many steps with the same result as at once: %s", (_what, spans) => {
    const request = readJsonRequest(otlpRequest(spans));
    let steps = 1;
    const work = mapInSteps(request, runAtOnce(applicationsOf(request)));
    let step = work.next();
    for (; step.done !== true; step = work.next()) steps++;
    expect(steps).toBeGreaterThanOrEqual(20);
    expect(step.value).toEqual(spansFromOtlp(readJsonRequest(otlpRequest(spans))));
  });

  it("can be mapped concurrently with another one, each within its own bounds", () => {
    const read = (spans: readonly TestSpan[]) => {
      const request = readJsonRequest(otlpRequest(spans));
      return mapInSteps(request, runAtOnce(applicationsOf(request)));
    };
    const works = [read([callOf(10_000), callOf(10_000)]), read([callOf(220_000), callOf(10_000)])];
    const results = works.map((work) => work.next());
    for (let left = true; left;) {
      left = false;
      for (const [index, work] of works.entries()) {
        if (results[index]?.done === true) continue;
        results[index] = work.next();
        left = true;
      }
    }
    const inputs = results.map((result) =>
      result.done === true ? result.value.applications.flatMap(({ spans }) => spans.map(inputOf)) : undefined,
    );
    expect(inputs).toEqual([
      [10_000, 10_000],
      ["text", 10_000],
    ]);
  });

  it("looks at the links of many spans in steps of a thousand or so", () => {
    let lookups = 0;
    const memory: LinkMemory = {
      remember: () => undefined,
      has() {
        lookups++;
        return false;
      },
    };
    const spans = chainOf(20_000, () => "llm");
    let most = 0;
    const work = resolveLinks(spans, memory);
    for (let step = work.next(); step.done !== true; step = work.next()) {
      most = Math.max(most, lookups);
      lookups = 0;
    }
    expect(Math.max(most, lookups)).toBeLessThanOrEqual(1001);
  });

  it("follows a chain of parents in steps, and finds the call at its other end", () => {
    const spans = chainOf(30_000, (index) => (index === 0 || index === 29_999 ? "llm" : "task"));
    const work = resolveLinks(spans.toReversed());
    let steps = 1;
    let step = work.next();
    for (; step.done !== true; step = work.next()) steps++;
    // Thirty for each of: the spans by id, all spans, the parents of the last one, what is remembered of those.
    expect(steps).toBeGreaterThan(110);
    expect(step.value(spans[0] as Span)).toMatchObject({ span_type: "task" });
    expect(step.value(spans[29_999] as Span)).toBe(spans[29_999]);
  });
});

/** Spans of one trace, each the parent of the next. */
function chainOf(count: number, typeOf: (index: number) => string): Span[] {
  return Array.from({ length: count }, (_, index) => ({
    name: "span",
    trace_id: "t",
    span_id: `s${String(index)}`,
    parent_span_id: index === 0 ? null : `s${String(index - 1)}`,
    span_type: typeOf(index),
    status: "OK",
  }));
}
