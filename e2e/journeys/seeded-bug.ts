/** Runs of an app for refunds: good ones, and those after a change of one tool, among other runs with other errors. */

const START_MS = Date.now() - 3_600_000;
const SYSTEM = [
  "You are the refund agent of a shop. Read the order, check the policy, then refund what the customer paid.",
  ...Array.from(
    { length: 40 },
    (_, n) =>
      `Rule ${n + 1}: follow section ${n + 1} of the handbook, and never promise what the shop cannot do.`,
  ),
  "Amounts are in EUR. A refund above 500 EUR needs a person.",
].join("\n");
const TOOLS = ["get_order", "check_policy", "refund", "send_mail"].map((name) => ({
  type: "function",
  name,
  description: `The tool ${name} of the shop. ${"It takes the id of an order. ".repeat(4)}`,
  parameters: { type: "object", properties: { order_id: { type: "string" }, amount: { type: "number" } } },
}));

interface SeededRun {
  readonly traceId: string;
  readonly order: string;
  readonly minutes: number;
  /** The total of the order as the tool answers it. */
  readonly total: number;
  readonly refundError?: string;
}

/** A batch of one run. */
function refundRun(version: string, { traceId, order, minutes, total, refundError }: SeededRun): object {
  let at = START_MS + minutes * 60_000;
  const root = `${traceId.slice(0, 8)}00000000`;
  let count = 0;
  const span = (fields: Record<string, unknown>, ms: number): object => {
    const made = {
      trace_id: traceId,
      span_id: `${traceId.slice(0, 8)}${String(++count).padStart(8, "0")}`,
      parent_span_id: root,
      start_time: at,
      duration_ms: ms,
      ...fields,
    };
    at += ms;
    return made;
  };
  const messages: object[] = [
    { role: "system", parts: [{ type: "text", content: SYSTEM }] },
    {
      role: "user",
      parts: [{ type: "text", content: `Please refund my order ${order}, it arrived broken.` }],
    },
  ];
  const model = (parts: object[], tokens: number): object => {
    const made = span(
      {
        name: "chat gpt-5-mini",
        span_type: "llm",
        attributes: {
          model: "gpt-5-mini",
          provider: "openai",
          prompt_messages: [...messages],
          completion_messages: [{ role: "assistant", parts }],
          tool_definitions: TOOLS,
          tokens_input: tokens,
          tokens_output: 40,
          cost_usd: tokens * 2.5e-7,
        },
      },
      900,
    );
    messages.push({ role: "assistant", parts });
    return made;
  };
  const call = (id: string, name: string, args: object, result: object, error?: string): object => {
    messages.push({ role: "tool", parts: [{ type: "tool_call_response", id, response: error ?? result }] });
    return span(
      {
        name,
        span_type: "tool",
        ...(error !== undefined && { status: "ERROR" }),
        attributes: {
          tool_name: name,
          input_text: JSON.stringify(args),
          ...(error === undefined
            ? { output_text: JSON.stringify(result) }
            : { error_type: "invalid_request", error_message: error }),
        },
      },
      60,
    );
  };
  const wants = (id: string, name: string, args: object): object[] => [
    { type: "tool_call", id, name, arguments: args },
  ];
  const asked = { order_id: order };
  const refund = { order_id: order, amount: total };
  const spans = [
    model(wants("c1", "get_order", asked), 1300),
    call("c1", "get_order", asked, { order_id: order, status: "delivered", total, currency: "EUR" }),
    model(wants("c2", "check_policy", asked), 1380),
    call("c2", "check_policy", asked, { allowed: true, reason: "broken on arrival" }),
    ...Array.from({ length: refundError === undefined ? 1 : 3 }, (_, n) => [
      model(wants(`c${n + 3}`, "refund", refund), 1450 + 60 * n),
      call(`c${n + 3}`, "refund", refund, { refunded: true }, refundError),
    ]).flat(),
    model(
      [
        {
          type: "text",
          content:
            refundError === undefined
              ? `I have refunded ${total} EUR.`
              : "I am sorry, I cannot refund this order.",
        },
      ],
      1700,
    ),
  ];
  return {
    service: "shop",
    env: "production",
    version,
    spans: [
      {
        name: "refund-agent",
        trace_id: traceId,
        span_id: root,
        span_type: "agent",
        start_time: START_MS + minutes * 60_000,
        duration_ms: at - START_MS - minutes * 60_000,
        attributes: {
          agent: "refund-agent",
          input_text: `Please refund my order ${order}, it arrived broken.`,
          output_text:
            refundError === undefined
              ? `I have refunded ${total} EUR.`
              : "I am sorry, I cannot refund this order.",
        },
      },
      ...spans,
    ],
  };
}

/** Another app, with errors of its own. */
function searchRun(n: number): object {
  const traceId = `${n.toString(16).padStart(2, "0")}5ea4c000000000000000000000000000`.slice(0, 32);
  const start = START_MS + n * 90_000;
  const failed = n % 4 === 0;
  return {
    service: "search",
    env: "production",
    version: "9.1.0",
    spans: [
      {
        name: "search-agent",
        trace_id: traceId,
        span_id: "root",
        span_type: "agent",
        start_time: start,
        duration_ms: 700,
        attributes: { input_text: `Find shoes in size ${n}`, output_text: "Here are three pairs." },
      },
      {
        name: "chat gpt-5",
        trace_id: traceId,
        span_id: "call",
        parent_span_id: "root",
        span_type: "llm",
        start_time: start,
        duration_ms: 600,
        status: failed ? "ERROR" : "OK",
        attributes: {
          model: "gpt-5",
          tokens_input: 900,
          tokens_output: 50,
          ...(failed
            ? { error_type: "rate_limit", error_message: `Rate limit reached, try again in ${n} s` }
            : {}),
        },
      },
    ],
  };
}

/** The batches of all runs. Version 2.4.0 answers the total of an order in cents. */
export function seededBatches(): object[] {
  const good = [48190, 48201, 48233, 48240].map((order, n) =>
    refundRun("2.3.0", {
      traceId: `900d000${n}${"a".repeat(24)}`,
      order: String(order),
      minutes: 2 + n,
      total: 129.9 + n,
    }),
  );
  const bad = [48302, 48311, 48345].map((order, n) =>
    refundRun("2.4.0", {
      traceId: `bad0000${n}${"b".repeat(24)}`,
      order: String(order),
      minutes: 20 + n,
      total: 12_990 + 100 * n,
      refundError: `amount ${12_990 + 100 * n}.00 is above the limit of 500.00 for order ${order}`,
    }),
  );
  return [...good, ...bad, ...Array.from({ length: 16 }, (_, n) => searchRun(n))];
}
