import type { Exchange } from "../replay/exchange.js";
import { writtenExchange } from "../replay/written-exchange.js";

/** The exchange for a request with any body: the libraries write their own. */
export function anyBody(exchange: Exchange): Exchange {
  return { ...exchange, request: { ...exchange.request, body: null } };
}

let answers = 0;

const USAGE = {
  prompt_tokens: 30,
  completion_tokens: 12,
  total_tokens: 42,
  prompt_tokens_details: { cached_tokens: 20 },
  completion_tokens_details: { reasoning_tokens: 6 },
};

/** A tool call of the model: its id, the tool and the arguments. */
export type CalledTool = readonly [id: string, name: string, args: Readonly<Record<string, unknown>>];

/** A response of a chat model: a text, or calls of tools. */
export function chatAnswer(answer: string | readonly CalledTool[], isStream = false): Exchange {
  const tool_calls =
    typeof answer === "string"
      ? undefined
      : answer.map(([id, name, args], index) => ({
          ...(isStream && { index }),
          id,
          type: "function",
          function: { name, arguments: JSON.stringify(args) },
        }));
  const content = typeof answer === "string" ? answer : null;
  const finish_reason = tool_calls === undefined ? "stop" : "tool_calls";
  // LangGraph replaces a message by another with the same id.
  const base = { id: `chatcmpl-${++answers}`, created: 1_700_000_000, model: "gpt-5-mini-2025-08-07" };
  const message = { role: "assistant", content, ...(tool_calls && { tool_calls }) };
  const chunk = (delta: unknown, finish: string | null = null) => ({
    ...base,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  return anyBody(
    writtenExchange({
      request: {},
      ...(isStream
        ? {
            chunks: [
              chunk({ role: "assistant", content: "" }),
              ...(content === null
                ? [chunk({ tool_calls })]
                : content.split(/(?= )/).map((text) => chunk({ content: text }))),
              chunk({}, finish_reason),
              { ...base, object: "chat.completion.chunk", choices: [], usage: USAGE },
            ],
          }
        : {
            body: {
              ...base,
              object: "chat.completion",
              choices: [{ index: 0, message, finish_reason }],
              usage: USAGE,
            },
          }),
    }),
  );
}

/** The tokens of {@link chatAnswer}, as a span has them. */
export const CHAT_TOKENS = { tokens_input: 30, tokens_output: 12, tokens_cached: 20, tokens_reasoning: 6 };

/** An error of the provider. */
export function chatError(status: number, message: string): Exchange {
  return anyBody(
    writtenExchange({ request: {}, status, body: { error: { message, type: "server_error" } } }),
  );
}

const ANTHROPIC_USAGE = { input_tokens: 12, cache_creation_input_tokens: 8, cache_read_input_tokens: 100 };

/** The tokens of {@link anthropicAnswer}, as a span has them. */
export const ANTHROPIC_TOKENS = {
  tokens_input: 120,
  tokens_output: 9,
  tokens_cached: 100,
  tokens_cache_write: 8,
};

/** A response of Anthropic's messages API. */
export function anthropicAnswer(text: string, isStream = false): Exchange {
  const message = { id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-4-5-20250929" };
  const events = [
    {
      type: "message_start",
      message: {
        ...message,
        content: [],
        stop_reason: null,
        usage: { ...ANTHROPIC_USAGE, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...text.split(/(?= )/).map((letter) => ({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text: letter },
    })),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } },
    { type: "message_stop" },
  ];
  const body = {
    ...message,
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    usage: { ...ANTHROPIC_USAGE, output_tokens: 9 },
  };
  const exchange = anyBody(writtenExchange({ path: "/v1/messages", request: {}, body }));
  if (!isStream) return exchange;
  const sse = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  const headers = { "content-type": "text/event-stream" };
  return { ...exchange, response: { ...exchange.response, headers, body: null, sse } };
}

/** A response of OpenAI's responses API. */
export function responsesAnswer(answer: string | readonly CalledTool[], isStream = false): Exchange {
  const id = `resp_${++answers}`;
  const output =
    typeof answer === "string"
      ? [
          {
            id: `msg_${answers}`,
            type: "message",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: answer, annotations: [] }],
          },
        ]
      : answer.map(([call_id, name, args]) => ({
          id: `fc_${call_id}`,
          type: "function_call",
          status: "completed",
          call_id,
          name,
          arguments: JSON.stringify(args),
        }));
  const response = {
    id,
    object: "response",
    status: "completed",
    model: "gpt-5-mini-2025-08-07",
    instructions: "Be short.",
    tools: [{ type: "function", name: "weather", parameters: {} }],
    output,
    usage: {
      input_tokens: 30,
      output_tokens: 12,
      total_tokens: 42,
      input_tokens_details: { cached_tokens: 20 },
      output_tokens_details: { reasoning_tokens: 6 },
    },
  };
  const chunks = [
    { type: "response.created", response: { ...response, status: "in_progress", output: [], usage: null } },
    ...output.flatMap((item, output_index) => [
      { type: "response.output_item.added", output_index, item },
      ...("content" in item
        ? [
            {
              type: "response.output_text.delta",
              output_index,
              content_index: 0,
              item_id: item.id,
              delta: answer,
            },
          ]
        : []),
      { type: "response.output_item.done", output_index, item },
    ]),
    { type: "response.completed", response },
  ];
  return anyBody(
    writtenExchange({ api: "responses", request: {}, ...(isStream ? { chunks } : { body: response }) }),
  );
}

/** An error of the responses API. */
export function responsesError(status: number, message: string): Exchange {
  const body = { error: { message, type: "server_error" } };
  return anyBody(writtenExchange({ api: "responses", request: {}, status, body }));
}
