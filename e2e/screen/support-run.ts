import type { Attributes, Message, Span } from "@obspan/sdk/wire";

/** The start and the identity of a run. */
export interface RunOptions {
  readonly traceId: string;
  /** Epoch milliseconds. */
  readonly startMs: number;
  readonly status?: "OK" | "ERROR" | "RUNNING";
  readonly question?: string;
}

/** The run of a support agent: context, retrieval, model calls with tools, one failed and retried tool call. */
export function supportRun({ traceId, startMs, status = "OK", question = QUESTION }: RunOptions): Span[] {
  let next = 0;
  const span = (
    name: string,
    type: string,
    parent: string | null,
    offsetMs: number,
    durationMs: number,
    attributes: Attributes = {},
    fields: Partial<Span> = {},
  ): Span => ({
    name,
    span_type: type,
    trace_id: traceId,
    span_id: `${traceId}-${next++}`,
    parent_span_id: parent,
    start_time: startMs + offsetMs,
    duration_ms: durationMs,
    attributes: { agent: "support-agent", ...attributes },
    ...fields,
  });
  const root = span("support.resolve_ticket", "agent", null, 0, 14_820, {
    input_text: question,
    output_text: "It is at the depot in Lyon and four days late.",
    session_id: "sess_4821",
    user_id: "u_1093",
  });
  const id = root.span_id ?? "";
  const context = span("load_context", "task", id, 0, 306);
  const search = span("search_help_center", "retrieval", id, 1180, 706);
  const handOff = span("refunds-agent", "agent", id, 10_430, 2410, { agent: "refunds-agent" });
  return [
    { ...root, status },
    context,
    span("get_customer", "tool", context.span_id ?? null, 10, 212, { tool_name: "get_customer" }),
    span("get_session_history", "tool", context.span_id ?? null, 14, 288, {
      tool_name: "get_session_history",
    }),
    span("classify_intent", "llm", id, 310, 862, model("gpt-5-mini", "openai", 412, 18, 260)),
    search,
    span("embed_query", "embedding", search.span_id ?? null, 1182, 141, {
      model: "text-embedding-3-small",
      provider: "openai",
      tokens_input: 14,
    }),
    span("pgvector.top_k", "tool", search.span_id ?? null, 1330, 210, { tool_name: "pgvector.top_k" }),
    span("plan_resolution", "llm", id, 1900, 2710, {
      ...model("claude-sonnet-5", "anthropic", 4980, 388, 608),
      prompt_messages: PROMPT,
      completion_messages: [ANSWER],
      finish_reason: "tool_use",
    }),
    span("get_order", "tool", id, 4620, 248, { tool_name: "get_order", input_text: '{"order_id":"48190"}' }),
    span(
      "get_shipping_status",
      "tool",
      id,
      4640,
      3010,
      {
        tool_name: "get_shipping_status",
        error_type: "TimeoutError",
        error_message: "no answer within 3,000 ms",
      },
      { status: "ERROR" },
    ),
    span("get_shipping_status", "tool", id, 7660, 716, {
      tool_name: "get_shipping_status",
      output_text: '{"state":"AT_DEPOT","depot":"Lyon","since":"2026-11-21T09:14:00+01:00"}',
    }),
    span("decide_next_step", "llm", id, 8400, 2080, {
      ...model("claude-sonnet-5", "anthropic", 5236, 322, 540),
      tokens_cached: 3840,
      prompt_messages: PROMPT,
      completion_messages: [REPLY],
      finish_reason: "stop",
    }),
    handOff,
    span(
      "check_policy",
      "llm",
      handOff.span_id ?? null,
      10_440,
      1080,
      model("gemini-3-flash", "google", 2310, 96, 180),
    ),
    span("add_delivery_credit", "tool", handOff.span_id ?? null, 11_540, 1270, {
      tool_name: "add_delivery_credit",
    }),
    span("compose_reply", "llm", id, 12_900, 1830, {
      ...model("claude-sonnet-5", "anthropic", 5064, 234, 410),
      prompt_messages: PROMPT,
      completion_messages: [REPLY],
    }),
  ];
}

const QUESTION = "Where is my order 48190? It was due on Tuesday and nobody answers the phone.";

function model(name: string, provider: string, input: number, output: number, ttftMs: number): Attributes {
  return {
    model: name,
    provider,
    tokens_input: input,
    tokens_output: output,
    ttft_ms: ttftMs,
    cost_usd: input * 0.000_002 + output * 0.000_01,
    stream: true,
  };
}

const PROMPT = [
  {
    role: "system",
    parts: [
      {
        type: "text",
        content:
          "You are the support agent of a furniture shop. Solve the ticket with the tools that you have. Never promise a date that no tool gave you. Hand refunds and credits to the refunds agent.",
      },
    ],
  },
  { role: "user", parts: [{ type: "text", content: QUESTION }] },
  {
    role: "assistant",
    parts: [
      { type: "tool_call", id: "call_1", name: "get_order", arguments: { order_id: "48190" } },
      {
        type: "tool_call",
        id: "call_2",
        name: "get_shipping_status",
        arguments: { tracking: "6C19820047351" },
      },
    ],
  },
  {
    role: "tool",
    parts: [
      { type: "tool_call_response", id: "call_1", response: { status: "shipped", carrier: "Colissimo" } },
      { type: "tool_call_response", id: "call_2", response: { state: "AT_DEPOT", depot: "Lyon" } },
    ],
  },
] satisfies Message[] as never;

const ANSWER = {
  role: "assistant",
  parts: [{ type: "tool_call", id: "call_1", name: "get_order", arguments: { order_id: "48190" } }],
  finish_reason: "tool_use",
} satisfies Message as never;

const REPLY = {
  role: "assistant",
  parts: [
    {
      type: "text",
      content:
        "The parcel is at the **depot in Lyon** and four days late.\n\n1. Delivery is planned for Monday.\n2. Our policy gives a delivery credit from three days on, so I hand that part over.",
    },
  ],
  finish_reason: "stop",
} satisfies Message as never;
