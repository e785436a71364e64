import { describe, expect, it } from "vitest";
import type { CallContext } from "../../src/api-schema/context.js";
import { countTurns, everLater } from "../runtime/loop-turns.js";
import { errorOf, span, startCollector } from "../running-collector.js";

const BASE_MS = Date.UTC(2026, 0, 1);
const text = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });

function call(id: string, seconds: number, input: object[], attributes: object = {}) {
  return span({
    trace_id: "t",
    span_id: id,
    parent_span_id: "root",
    span_type: "llm",
    name: id,
    start_time: new Date(BASE_MS + seconds * 1000).toISOString(),
    duration_ms: 500,
    attributes: {
      model: "claude-sonnet-4-5",
      provider: "anthropic",
      prompt_messages: input,
      tokens_input: 9000,
      ...attributes,
    },
  });
}

const root = span({
  trace_id: "t",
  span_id: "root",
  span_type: "agent",
  name: "support",
  start_time: new Date(BASE_MS).toISOString(),
  duration_ms: 60_000,
});
/** Longer than what the trace is shown with. */
const RULES = "Answer only from the events that the carrier gives.\n".repeat(400);

describe("contract 9: GET /v1/traces/{id}/context/{span_id}", () => {
  it("answers parts, calls and the broken cache from whole texts, with prices and window of the model", async () => {
    const { get, post, settled } = await startCollector();
    const input = (time: string) => [
      text("system", `${RULES}Current time: ${time}\n${RULES}`),
      text("user", "?"),
    ];
    await post({
      spans: [
        root,
        call("a", 1, input("14:36"), { tokens_cached: 0, tokens_cache_write: 9000 }),
        call("b", 10, input("14:37"), { tokens_cached: 0, tokens_cache_write: 9000 }),
      ],
    });
    await settled();
    const context = await get<CallContext>("/v1/traces/t/context/b");
    expect(context).toMatchObject({
      agent: "support",
      call: 2,
      calls_total: 2,
      window_tokens: 200_000,
      tokens: 9000,
      compared_with: "a",
      cache_break: { cause: "timestamp", part: "system", price_per_1m_usd: 2.7 },
    });
    expect(context.parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(9000);
    expect(context.calls.map(({ name, cause }) => [name, cause])).toEqual([
      ["a", null],
      ["b", "timestamp"],
    ]);
    expect(await get<CallContext>("/v1/context?trace_id=t&span_id=b")).toEqual(context);
  });

  it("refuses a span that is no model call, and names a span that is missing", async () => {
    const { url, post, settled } = await startCollector();
    await post({ spans: [root] });
    await settled();
    const refused = await errorOf(await fetch(`${url}/v1/traces/t/context/root`));
    expect(refused).toMatchObject({ code: "invalid_query", details: { key: "span_id" } });
    expect(await errorOf(await fetch(`${url}/v1/traces/t/context/none`))).toMatchObject({
      code: "trace_not_found",
    });
    expect(await errorOf(await fetch(`${url}/v1/traces/none/context/a`))).toMatchObject({
      code: "trace_not_found",
    });
  });

  it("reads calls of many messages and long texts in slices", async () => {
    const { get, post, settled } = await startCollector();
    const messages = Array.from({ length: 20_000 }, (_, index) => text("user", `message ${index}`));
    await post({ spans: [root, call("a", 1, messages)] });
    await post({ spans: [call("b", 2, [text("system", "x y ".repeat(500_000)), ...messages])] });
    await settled();
    const turns = countTurns();
    const context = await get<CallContext>("/v1/traces/t/context/b");
    expect(turns.end()).toBeGreaterThan(20);
    expect(context.parts.map(({ kind }) => kind)).toEqual(["system", "user"]);
    expect(context.parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(9000);
  });

  it("searches many short texts for many documents in slices", async () => {
    const { get, post, settled } = await startCollector({}, { clock: everLater() });
    const documents = Array.from({ length: 190 }, (_, index) => `${"x".repeat(90)}${index}`);
    const found = { trace_id: "t", span_id: "found", span_type: "retrieval", name: "search" };
    const parts = Array.from({ length: 200 }, (_, index) => ({ type: "text", content: `Part ${index}` }));
    await post({
      spans: [
        root,
        span({ ...found, start_time: BASE_MS, attributes: { output_text: JSON.stringify(documents) } }),
        call(
          "a",
          1,
          Array.from({ length: 200 }, () => ({ role: "user", parts })),
        ),
      ],
    });
    await settled();
    const turns = countTurns();
    const context = await get<CallContext>("/v1/traces/t/context/a");
    expect(turns.end()).toBeGreaterThan(270);
    expect(context.parts.map(({ kind }) => kind)).toEqual(["user"]);
  });
});
