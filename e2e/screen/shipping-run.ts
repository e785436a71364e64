import type { Span } from "@obspan/sdk/wire";

const text = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });
const RULES = Array.from({ length: 60 }, (_, n) => `Rule ${n}: answer only from what the carrier says.`).join(
  "\n",
);
const EVENTS = JSON.stringify(
  Array.from({ length: 60 }, (_, n) => ({ at: `2026-11-21T08:${10 + n}`, status: `left depot ${n}` })),
);

/** An agent whose third call has another time in its system prompt, and twice the same result. */
export function shippingRun(traceId: string, startMs: number): Span[] {
  const system = (minute: number) =>
    text("system", `Be brief.\nCurrent time: Sat 21 Nov 2026, 14:${minute}\n${RULES}`);
  const track = (id: string) => [
    {
      role: "assistant",
      parts: [{ type: "tool_call", id, name: "track_parcel", arguments: { parcel: "6C" } }],
    },
    { role: "tool", parts: [{ type: "tool_call_response", id, response: EVENTS }] },
  ];
  const question = text("user", "Where is my parcel?");
  const tool = {
    type: "function",
    name: "track_parcel",
    description: "The events of a parcel.",
    parameters: { type: "object", properties: { parcel: { type: "string" } } },
  };
  const calls = [
    { name: "choose_lookup", input: [system(36), question], tokens: 2100, cached: 0, written: 2100 },
    {
      name: "read_events",
      input: [system(36), question, ...track("c1")],
      tokens: 4700,
      cached: 2050,
      written: 2650,
    },
    {
      name: "summarise",
      input: [system(37), question, ...track("c1"), ...track("c2")],
      tokens: 7300,
      cached: 400,
      written: 6900,
    },
  ];
  const base = { trace_id: traceId, parent_span_id: "root", status: "OK" as const };
  return [
    {
      trace_id: traceId,
      span_id: "root",
      name: "shipping-agent",
      span_type: "agent",
      start_time: startMs,
      duration_ms: 9000,
      attributes: { agent: "shipping-agent" },
    },
    ...calls.map(({ name, input, tokens, cached, written }, index): Span => ({
      ...base,
      span_id: name,
      name,
      span_type: "llm",
      start_time: startMs + 100 + index * 3000,
      duration_ms: 1500,
      attributes: {
        model: "claude-sonnet-4-5",
        provider: "anthropic",
        prompt_messages: input,
        completion_messages: [text("assistant", `answer of ${name}`)],
        tool_definitions: [tool],
        tokens_input: tokens,
        tokens_output: 40,
        tokens_cached: cached,
        tokens_cache_write: written,
        ttft_ms: 400 + index * 300,
      },
    })),
    {
      ...base,
      span_id: "tool",
      name: "track_parcel",
      span_type: "tool",
      start_time: startMs + 2000,
      duration_ms: 500,
      attributes: { tool_name: "track_parcel", tool_call_id: "c1", output_text: EVENTS },
    },
  ];
}
