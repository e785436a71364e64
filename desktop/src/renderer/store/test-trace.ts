import { otlpLine } from "./otlp-line.js";

/** A small example trace of an agent. */

interface Step {
  readonly id: string;
  readonly parent?: string;
  readonly name: string;
  readonly type: string;
  /** Offset from the start of the trace, in milliseconds. */
  readonly from: number;
  readonly ms: number;
  readonly attributes: Record<string, unknown>;
}

const SYSTEM = "You help customers of a small homeware shop. Look things up before you answer. Be brief.";
const QUESTION = "Where is my order 48190? It was due on Tuesday.";
const ANSWER =
  "Your order **48190** is at the depot in Lyon since 09:14 and arrives **tomorrow before noon**. " +
  "As it is two days late, I have refunded the shipping of €4.90.";

const system = text("system", SYSTEM);
const question = text("user", QUESTION);
const orderCall = call("call_1", "get_order", { order_id: "48190" });
const shippingCall = call("call_2", "get_shipping_status", { tracking: "FR-2207-5561" });
const refundCall = call("call_3", "refund_shipping", { order_id: "48190", amount_eur: 4.9 });
const order = { order_id: "48190", state: "shipped", due: "Tuesday", tracking: "FR-2207-5561" };
const shipping = {
  carrier: "Colis Express",
  at: "Lyon",
  since: "09:14",
  expected: "tomorrow, 08:00 to 12:00",
};
const refund = { refund_id: "re_5120", state: "created" };

const STEPS: readonly Step[] = [
  {
    id: "root",
    name: "support.resolve_ticket",
    type: "agent",
    from: 0,
    ms: 5240,
    attributes: {
      agent: "support-agent",
      input_text: QUESTION,
      output_text: ANSWER,
      session_id: "test-session",
    },
  },
  chat("plan", 40, 1310, [system, question], assistant(orderCall, shippingCall), [1240, 96, 412, 0.00516]),
  tool("order", "get_order", 1370, 180, orderCall, order),
  tool("shipping", "get_shipping_status", 1375, 640, shippingCall, shipping),
  {
    id: "policy",
    parent: "root",
    name: "search_policies",
    type: "retrieval",
    from: 2030,
    ms: 95,
    attributes: {
      input_text: "late delivery refund",
      output_text: "Late by two days or more: shipping is refunded.",
    },
  },
  chat(
    "decide",
    2140,
    1020,
    [
      system,
      question,
      assistant(orderCall, shippingCall),
      result("call_1", order),
      result("call_2", shipping),
    ],
    assistant(refundCall),
    [1612, 74, 388, 0.00595],
  ),
  tool("refund", "refund_shipping", 3180, 310, refundCall, refund),
  chat(
    "answer",
    3510,
    1690,
    [system, question, assistant(orderCall, shippingCall, refundCall), result("call_3", refund)],
    text("assistant", ANSWER),
    [1804, 188, 431, 0.00823],
  ),
];

/**
 * The trace as a line of a trace file; it ends now. The collector keeps what it imports, and does not count it in metrics:
 * a test costs nothing.
 *
 * @param nowMs - in epoch milliseconds.
 * @param newId - returns a random id of as many bytes, in hexadecimal digits.
 */
export function buildTestTrace(nowMs: number, newId: (bytes: number) => string): string {
  const traceId = newId(16);
  const ids = new Map(STEPS.map(({ id }) => [id, newId(8)]));
  const startMs = nowMs - Math.max(...STEPS.map(({ from, ms }) => from + ms));
  const spans = STEPS.map(({ id, parent, name, type, from, ms, attributes }) => ({
    traceId,
    spanId: ids.get(id) ?? "",
    parentSpanId: ids.get(parent ?? ""),
    name,
    startMs: startMs + from,
    endMs: startMs + from + ms,
    attributes: { ...attributes, "obspan.span_type": type },
  }));
  return otlpLine({ "service.name": "test", "deployment.environment.name": "development" }, spans);
}

function chat(
  id: string,
  from: number,
  ms: number,
  prompt: readonly unknown[],
  completion: unknown,
  [tokensInput, tokensOutput, ttftMs, costUsd]: readonly [number, number, number, number],
): Step {
  const attributes = {
    agent: "support-agent",
    provider: "anthropic",
    model: "claude-sonnet-5",
    temperature: 0.2,
    prompt_messages: prompt,
    completion_messages: [completion],
    tokens_input: tokensInput,
    tokens_output: tokensOutput,
    cost_usd: costUsd,
    ttft_ms: ttftMs,
  };
  return { id, parent: "root", name: "chat claude-sonnet-5", type: "llm", from, ms, attributes };
}

function tool(id: string, name: string, from: number, ms: number, part: ToolCall, response: unknown): Step {
  const attributes = {
    agent: "support-agent",
    tool_name: name,
    tool_call_id: part.id,
    input_text: JSON.stringify(part.arguments),
    output_text: JSON.stringify(response),
  };
  return { id, parent: "root", name, type: "tool", from, ms, attributes };
}

interface ToolCall {
  readonly type: "tool_call";
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

function text(role: string, content: string) {
  return { role, parts: [{ type: "text", content }] };
}

function call(id: string, name: string, args: unknown): ToolCall {
  return { type: "tool_call", id, name, arguments: args };
}

function assistant(...parts: readonly ToolCall[]) {
  return { role: "assistant", parts };
}

function result(id: string, response: unknown) {
  return { role: "tool", parts: [{ type: "tool_call_response", id, response }] };
}
