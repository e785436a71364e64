import type { Attributes, JsonValue, Span } from "@obspan/sdk/wire";

/** A support run as a real agent sends it: every call sends the conversation so far. */
export function agentRun(traceId: string, startMs: number): Span[] {
  const span = (
    name: string,
    type: string,
    parent: string | null,
    offsetMs: number,
    durationMs: number,
    attributes: Attributes,
    fields: Partial<Span> = {},
  ): Span => ({
    name,
    span_type: type,
    trace_id: traceId,
    span_id: `${traceId}-${name}-${offsetMs}`,
    parent_span_id: parent,
    start_time: startMs + offsetMs,
    duration_ms: durationMs,
    attributes,
    ...fields,
  });
  const root = span("support.resolve_ticket", "agent", null, 0, 14_820, {
    agent: "support-agent",
    input_text: QUESTION,
    output_text: REPLY,
    session_id: "sess_4821",
    user_id: "u_1093",
  });
  const id = root.span_id ?? "";
  const handOff = span("refunds-agent", "agent", id, 10_530, 2410, {
    agent: "refunds-agent",
    input_text: "late_delivery, 4 days",
  });
  const refunds = handOff.span_id ?? "";
  const tool = (name: string, callId: string, values: JsonValue, answer?: JsonValue): Attributes => ({
    tool_name: name,
    tool_call_id: callId,
    input_text: JSON.stringify(values),
    ...(answer === undefined ? {} : { output_text: JSON.stringify(answer) }),
  });
  const planned = [SYSTEM, text("user", QUESTION)];
  const called = [
    ...planned,
    calling("I look up the order and where the parcel is now.", ORDER_CALL, SHIPPING_CALL),
    result("call_1", ORDER),
    result("call_2", SHIPPING),
  ];
  const decided = [...called, text("assistant", DECISION)];
  return [
    root,
    span("load_context", "task", id, 10, 306, {}),
    span("classify_intent", "llm", id, 320, 862, model("gpt-5-mini", 412, 18, 0.0003)),
    span("search_help_center", "retrieval", id, 1190, 706, {}),
    span("plan_resolution", "llm", id, 1920, 2710, {
      ...model("claude-sonnet-5", 4980, 388, 0.0094),
      prompt_messages: planned,
      completion_messages: [
        calling("I look up the order and where the parcel is now.", ORDER_CALL, SHIPPING_CALL),
      ],
    }),
    span("get_order", "tool", id, 4640, 248, tool("get_order", "call_1", ORDER_CALL.arguments, ORDER)),
    span(
      "get_shipping_status",
      "tool",
      id,
      4650,
      3010,
      {
        ...tool("get_shipping_status", "call_2", SHIPPING_CALL.arguments),
        error_type: "timeout",
        error_message: "carrier-api gave no answer in 3,000 ms",
      },
      { status: "ERROR" },
    ),
    span("get_shipping_status", "tool", id, 7712, 716, {
      tool_name: "get_shipping_status",
      input_text: JSON.stringify(SHIPPING_CALL.arguments),
      output_text: JSON.stringify(SHIPPING),
    }),
    span("decide_next_step", "llm", id, 8430, 2080, {
      ...model("claude-sonnet-5", 5236, 322, 0.0102),
      prompt_messages: called,
      completion_messages: [text("assistant", DECISION)],
    }),
    handOff,
    span("check_policy", "llm", refunds, 10_540, 1080, {
      ...model("gemini-3-flash", 2310, 96, 0.0013),
      completion_messages: [
        calling("Late by 4 days: credit of 10 %, at most €20. Order total €52.00, so €5.20.", CREDIT_CALL),
      ],
    }),
    span(
      "add_delivery_credit",
      "tool",
      refunds,
      11_630,
      1270,
      tool("add_delivery_credit", "call_3", CREDIT_CALL.arguments, { credit_id: "cr_71fa" }),
    ),
    span("compose_reply", "llm", id, 12_960, 1830, {
      ...model("claude-sonnet-5", 5890, 388, 0.0097),
      prompt_messages: decided,
      completion_messages: [text("assistant", REPLY)],
    }),
  ];
}

const QUESTION = "Where is my order 48190? It was due on Tuesday and nobody answers the phone.";
const DECISION =
  "The parcel is at the depot in Lyon and four days late. Our policy gives a delivery credit from three days on, so I hand that part over and then answer.";
const REPLY =
  "I am sorry that your order is late and that you could not reach us. It is at the depot in Lyon since 09:14 and goes out for delivery **tomorrow, Sunday 22 November**.\n\nFor the delay I have added **€5.20** of credit to your account; it is taken off your next order by itself.";

const text = (role: string, content: string): JsonValue => ({ role, parts: [{ type: "text", content }] });
const SYSTEM = text(
  "system",
  "You are the support agent of a furniture shop. Solve the ticket with the tools that you have. Never promise a date that no tool gave you. Hand refunds and credits to the refunds agent.",
);

const call = (id: string, name: string, values: JsonValue) => ({
  type: "tool_call",
  id,
  name,
  arguments: values,
});
const ORDER_CALL = call("call_1", "get_order", { order_id: "48190" });
const SHIPPING_CALL = call("call_2", "get_shipping_status", { tracking: "6C19820047351" });
const CREDIT_CALL = call("call_3", "add_delivery_credit", { order_id: "48190", amount_cents: 520 });
const ORDER = { status: "shipped", carrier: "Colissimo", tracking: "6C19820047351" };
const SHIPPING = { state: "AT_DEPOT", depot: "Lyon", since: "2026-11-21T09:14:00+01:00" };

const calling = (said: string, ...calls: JsonValue[]): JsonValue => ({
  role: "assistant",
  parts: [{ type: "text", content: said }, ...calls],
});
const result = (id: string, response: JsonValue): JsonValue => ({
  role: "tool",
  parts: [{ type: "tool_call_response", id, response }],
});

const model = (name: string, input: number, output: number, cost: number): Attributes => ({
  model: name,
  provider: name.startsWith("claude") ? "anthropic" : "openai",
  tokens_input: input,
  tokens_output: output,
  ttft_ms: 400,
  cost_usd: cost,
});
