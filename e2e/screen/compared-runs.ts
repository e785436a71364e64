import type { Attributes, Span } from "@obspan/sdk/wire";

/** Two runs of a support agent: the second one with another prompt, a timeout and a retry. */
export interface ComparedRunOptions {
  readonly traceId: string;
  /** Epoch milliseconds. */
  readonly startMs: number;
  readonly version: "a" | "b";
}

interface Step {
  readonly name: string;
  readonly type: string;
  readonly parent?: string;
  readonly at: number;
  readonly ms: number;
  readonly attributes?: Attributes;
  readonly error?: string;
}

const text = (content: string): Attributes[string] => content;
const call = (
  input: number,
  output: number,
  cost: number,
  said: string,
  more: Attributes = {},
): Attributes => ({
  model: "claude-sonnet-5",
  provider: "anthropic",
  tokens_input: input,
  tokens_output: output,
  tokens_cached: Math.round(input * 0.9),
  cost_usd: cost,
  ttft_ms: 540,
  completion_messages: [{ role: "assistant", parts: [{ type: "text", content: said }] }],
  ...more,
});
const message = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });
const tool = (name: string, description: string) => ({
  type: "function",
  name,
  description,
  parameters: { type: "object", properties: { order_id: { type: "string" } } },
});

const SYSTEM =
  "You work for the support of an online shop. You see the order, the customer and the carrier’s answers. " +
  "Solve the ticket with the tools that you have. Never promise a date that no tool gave you. ";
const TOOLS = [
  tool("get_order", "Reads an order."),
  tool("get_shipping_status", "Asks the carrier where a parcel is."),
  tool("search_help_center", "Searches the articles for customers."),
];

/** The steps of a run. */
function stepsOf(version: "a" | "b"): Step[] {
  const isB = version === "b";
  const shift = isB ? 3770 : 0;
  const history = [
    message("user", "Where is my order 48190? It should have been here on Thursday."),
    message("assistant", "I look at the order and ask the carrier."),
  ];
  const found = isB
    ? "6 documents: late-orders, refunds, carriers, credits, returns, pick-up-points"
    : "4 documents: late-orders, refunds, carriers, credits";
  const status = isB
    ? { state: "AT_DEPOT", depot: "Lyon", since: "09:14" }
    : { state: "IN_TRANSIT", left_depot: "09:40", eta: "18:00" };
  const result = JSON.stringify(status);
  return [
    { name: "load_context", type: "task", at: 10, ms: isB ? 306 : 240 },
    {
      name: "classify_intent",
      type: "llm",
      at: 320,
      ms: isB ? 862 : 811,
      attributes: call(412, 18, 0.0001, "late delivery", { model: "gpt-5-mini", provider: "openai" }),
    },
    {
      name: "search_help_center",
      type: "retrieval",
      at: 1190,
      ms: isB ? 706 : 668,
      attributes: { input_text: text("late delivery credit"), output_text: text(found) },
    },
    {
      name: "plan_resolution",
      type: "llm",
      at: 1920,
      ms: isB ? 2710 : 2400,
      attributes: call(isB ? 4980 : 4280, 388, isB ? 0.0116 : 0.011, "First the order, then the carrier.", {
        prompt_messages: [message("system", SYSTEM), ...history.slice(0, 1), message("tool", found)],
      }),
    },
    {
      name: "get_order",
      type: "tool",
      at: 4640,
      ms: isB ? 248 : 262,
      attributes: {
        tool_name: "get_order",
        input_text: text('{"order_id":"48190"}'),
        output_text: text('{"state":"shipped"}'),
      },
    },
    ...(isB
      ? [
          {
            name: "get_shipping_status",
            type: "tool",
            at: 4650,
            ms: 3010,
            attributes: {
              tool_name: "get_shipping_status",
              input_text: text('{"order_id":"48190"}'),
              error_type: "timeout",
            },
            error: "timeout after 3,000 ms",
          },
        ]
      : []),
    {
      name: "get_shipping_status",
      type: "tool",
      at: isB ? 7670 : 4650,
      ms: isB ? 716 : 694,
      attributes: {
        tool_name: "get_shipping_status",
        input_text: text('{"order_id":"48190"}'),
        output_text: result,
      },
    },
    {
      name: "decide_next_step",
      type: "llm",
      at: 5350 + shift,
      ms: isB ? 2080 : 1980,
      attributes: call(
        isB ? 5450 : 4450,
        120,
        isB ? 0.0096 : 0.009,
        isB
          ? "The parcel is late. Add a credit, then answer the customer."
          : "The parcel is late. Add a credit, look into the questions, then answer the customer.",
      ),
    },
    {
      name: "refunds-agent",
      type: "agent",
      at: 7350 + shift,
      ms: isB ? 2410 : 2370,
      attributes: { agent: "refunds-agent" },
    },
    {
      name: "check_policy",
      type: "llm",
      parent: "refunds-agent",
      at: 7360 + shift,
      ms: isB ? 1080 : 1040,
      attributes: call(980, 24, 0.001, "€5.20 are allowed."),
    },
    {
      name: "add_delivery_credit",
      type: "tool",
      parent: "refunds-agent",
      at: 8450 + shift,
      ms: isB ? 1270 : 1300,
      attributes: {
        tool_name: "add_delivery_credit",
        input_text: text('{"amount":5.2}'),
        output_text: text('{"ok":true}'),
      },
    },
    ...(isB
      ? []
      : [
          {
            name: "lookup_faq",
            type: "tool",
            at: 9730,
            ms: 140,
            attributes: { tool_name: "lookup_faq", input_text: text('{"q":"late"}') },
          },
        ]),
    {
      name: "compose_reply",
      type: "llm",
      at: isB ? 12_950 : 9900,
      ms: isB ? 1830 : 1300,
      attributes: call(
        isB ? 5890 : 3986,
        isB ? 388 : 227,
        isB ? 0.0097 : 0.005,
        isB
          ? "I am sorry that your order is late and that you could not reach us. It is at the depot in Lyon since 09:14 and goes out for delivery tomorrow, Sunday 22 November.\n\nFor the delay I have added €5.20 of credit to your account; it is taken off your next order by itself."
          : "I am sorry that your order is late. It left the depot in Lyon this morning at 09:40 and the carrier expects to deliver it today before 18:00.\n\nFor the delay I have added €5.20 of credit to your account. See also our page about late deliveries.",
        {
          temperature: isB ? 0.7 : 0.2,
          max_tokens: 1024,
          prompt_name: "support.reply",
          prompt_version: isB ? "14" : "13",
          prompt_messages: [
            message(
              "system",
              `${SYSTEM}${
                isB
                  ? "Be concrete: tell the customer the day on which the parcel arrives. "
                  : "Quote the carrier’s own words for times. "
              }Hand refunds and credits to refunds-agent. Answer in the language of the customer.${
                isB ? `\n\n# Tone and form\n${"Write short sentences. Say what was done. ".repeat(8)}` : ""
              }`,
            ),
            ...history,
            message("tool", found),
            ...(isB ? [message("tool", "get_shipping_status failed: timeout after 3,000 ms")] : []),
            message("tool", result),
          ],
          tool_definitions: [
            ...TOOLS,
            tool(
              "add_delivery_credit",
              isB ? "Adds delivery credit to the customer’s account." : "Adds a credit to the order.",
            ),
            ...(isB ? [tool("add_note", "Writes a note into the CRM.")] : []),
          ],
        },
      ),
    },
  ];
}

/** The spans of a run. */
export function comparedRun({ traceId, startMs, version }: ComparedRunOptions): Span[] {
  const isB = version === "b";
  const id = (name: string): string => `${traceId}-${name}`;
  const steps = stepsOf(version).map(
    ({ name, type, parent, at, ms, attributes = {}, error }, index): Span => ({
      trace_id: traceId,
      span_id: type === "agent" ? id(name) : id(String(index)),
      parent_span_id: id(parent ?? "root"),
      name,
      span_type: type,
      start_time: startMs + at,
      duration_ms: ms,
      attributes: { ...attributes, ...(error === undefined ? {} : { error_message: error }) },
      ...(error === undefined ? {} : { status: "ERROR" }),
    }),
  );
  return [
    {
      trace_id: traceId,
      span_id: id("root"),
      name: "support.resolve_ticket",
      span_type: "agent",
      start_time: startMs,
      duration_ms: isB ? 14_820 : 11_240,
      attributes: {
        agent: "support-agent",
        input_text: "Where is my order 48190?",
        output_text: isB ? "It is at the depot in Lyon." : "It comes today.",
      },
    },
    ...steps,
    ...(["faithfulness", "hallucination"] as const).map((type): Span => ({
      trace_id: traceId,
      span_id: id(type),
      parent_span_id: id(String(stepsOf(version).length - 1)),
      name: `evaluation.${type}`,
      span_type: "evaluation",
      start_time: startMs + 15_000,
      duration_ms: 900,
      attributes: {
        evaluation_type: type,
        evaluation_score: SCORES[type][version],
        evaluated_span_id: id(String(stepsOf(version).length - 1)),
        evaluation_source: "judge",
        ...(type === "hallucination" && {
          evaluation_explanation: isB
            ? "“Tomorrow, Sunday 22 November” is in no tool result."
            : "All dates are in the carrier’s answer.",
        }),
      },
    })),
  ];
}

const SCORES = { faithfulness: { a: 0.93, b: 0.88 }, hallucination: { a: 0.08, b: 0.62 } } as const;
