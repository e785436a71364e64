import { describe, expect, it } from "vitest";
import { anthropicMessage } from "../../../src/integrations/wire/anthropic.js";
import { recordedExchanges } from "../../replay/exchange.js";
import { expectedTokens } from "../../replay/expected-tokens.js";
import { readExchange, toolCallCount } from "./read-fixture.js";
import { messagesIn, streamed } from "./streamed.js";

const EXCHANGES = recordedExchanges().filter(({ api }) => api === "messages");

it("has recordings", () => expect(EXCHANGES.length).toBeGreaterThanOrEqual(13));

describe.each(EXCHANGES)("$id", (exchange) => {
  it("is read with the model, the provider's numbers and the tool calls", () => {
    const { attributes, failure } = readExchange(anthropicMessage, exchange);
    expect(attributes["model"] ?? null).toBe(exchange.expect.model);
    for (const [key, count] of Object.entries(expectedTokens(exchange)))
      expect(attributes[key] ?? null, key).toBe(count);
    expect(toolCallCount(attributes)).toBe(exchange.expect.tool_calls);
    expect(failure !== undefined).toBe(exchange.expect.error);
    expect(attributes).toMatchObject({ prompt_messages: expect.any(Array) });
  });
});

describe.each(EXCHANGES.filter(({ response }) => response.sse !== null))("$id", (exchange) => {
  it("is read the same wherever the stream is cut", () => {
    const whole = readExchange(anthropicMessage, exchange, 1_000_000);
    expect(whole).toMatchObject({ hasFirstToken: true, isComplete: true });
    for (const size of [1, 7, 100]) expect(readExchange(anthropicMessage, exchange, size)).toEqual(whole);
  });
});

interface SentMessage {
  readonly content: readonly { readonly type: string; readonly [key: string]: unknown }[];
  readonly usage: object;
  readonly stop_reason: string;
}

/** The events of a stream that carry the same message. */
function eventsOf(message: SentMessage): unknown[] {
  const { content, usage, stop_reason } = message;
  const start = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  return [
    { type: "message_start", message: start },
    ...content.flatMap((block, index) => {
      const [key, delta, piece, empty] =
        block.type === "tool_use"
          ? (["input", "input_json_delta", "partial_json", {}] as const)
          : ([block.type, `${block.type}_delta`, block.type, ""] as const);
      const value = key === "input" ? JSON.stringify(block[key]) : String(block[key]);
      const middle = Math.ceil(value.length / 2);
      return [
        { type: "content_block_start", index, content_block: { ...block, [key]: empty } },
        { type: "ping" },
        ...[value.slice(0, middle), value.slice(middle)].map((text) => ({
          type: "content_block_delta",
          index,
          delta: { type: delta, [piece]: text },
        })),
        { type: "content_block_stop", index },
      ];
    }),
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
}

it.each(EXCHANGES.filter(({ response, expect: { error } }) => response.sse === null && !error))(
  "$id gives the same attributes as its stream",
  ({ response }) => {
    const message = response.body as SentMessage;
    expect(streamed(anthropicMessage, eventsOf(message))).toEqual(anthropicMessage.readResponse(message));
  },
);

describe("a request", () => {
  it("is read with its instructions, every kind of block and its parameters", () => {
    const source = { type: "base64", media_type: "image/png", data: "QUJD" };
    const attributes = anthropicMessage.readRequest({
      model: "claude-sonnet-5",
      max_tokens: 100,
      temperature: 0.5,
      stop_sequences: ["END"],
      thinking: { type: "enabled", budget_tokens: 2000 },
      output_config: { effort: "high", format: { type: "json_schema", schema: {} } },
      tool_choice: { type: "tool", name: "search", disable_parallel_tool_use: true },
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image", source },
            { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
            {
              type: "document",
              title: "Notes",
              source: { type: "text", media_type: "text/plain", data: "N" },
            },
            { type: "document", title: "Paper", source: { type: "file", file_id: "file_1" } },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "abc" },
            { type: "redacted_thinking", data: "secret" },
            { type: "tool_use", id: "t1", name: "search", input: { q: "a" } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: '{"hits":2}' }] },
            { type: "tool_result", tool_use_id: "t2", content: "No.", is_error: true },
          ],
        },
      ],
      tools: [
        { name: "search", description: "Searches", input_schema: { type: "object" } },
        { type: "web_search_20250305", name: "web_search", max_uses: 5 },
        { type: "mcp_toolset", mcp_server_name: "files", authorization_token: "secret" },
      ],
    });
    expect(attributes).toEqual({
      model: "claude-sonnet-5",
      max_tokens: 100,
      temperature: 0.5,
      stop: ["END"],
      thinking: "enabled",
      thinking_budget: 2000,
      reasoning_effort: "high",
      response_format: "json_schema",
      tool_choice: "search",
      parallel_tool_calls: false,
      prompt_text: "What is this?\nN",
      prompt_messages: [
        { role: "system", parts: [{ type: "text", content: "Be brief." }] },
        {
          role: "user",
          parts: [
            { type: "text", content: "What is this?" },
            { type: "blob", modality: "image", mime_type: "image/png", content: "QUJD" },
            { type: "uri", modality: "image", mime_type: "image/*", uri: "https://example.com/a.png" },
            { type: "text", content: "N" },
            { type: "uri", modality: "file", mime_type: "*/*", uri: "file_1", file_name: "Paper" },
          ],
        },
        {
          role: "assistant",
          parts: [
            { type: "reasoning", content: "Hm." },
            { type: "redacted_thinking" },
            { type: "tool_call", id: "t1", name: "search", arguments: { q: "a" } },
          ],
        },
        {
          role: "tool",
          parts: [
            { type: "tool_call_response", id: "t1", response: { hits: 2 } },
            { type: "tool_call_response", id: "t2", response: "No.", is_error: true },
          ],
        },
      ],
      tool_definitions: [
        { type: "function", name: "search", description: "Searches", parameters: { type: "object" } },
        { type: "web_search_20250305", name: "web_search" },
        { type: "mcp_toolset", name: "files" },
      ],
    });
  });
});

describe("a stream", () => {
  const START = {
    type: "message_start",
    message: {
      id: "msg_1",
      model: "claude-sonnet-5",
      role: "assistant",
      content: [],
      usage: { input_tokens: 5, cache_read_input_tokens: 2, output_tokens: 1 },
    },
  };

  it("that is cut off has the text so far, the input tokens, and no count of output tokens", () => {
    const attributes = streamed(anthropicMessage, [
      START,
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hel" } },
    ]);
    expect(attributes).toMatchObject({ completion_text: "Hel", tokens_input: 7, tokens_cached: 2 });
    expect(attributes).not.toHaveProperty("tokens_output");
  });

  it("keeps tool arguments that are not valid JSON, because the stream was cut", () => {
    const attributes = streamed(anthropicMessage, [
      START,
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "t1", name: "f", input: {} },
      },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"a":' } },
    ]);
    expect(messagesIn(attributes)).toMatchObject([{ parts: [{ type: "tool_call", arguments: '{"a":' }] }]);
  });

  it("with an error event is a failure", () => {
    const accumulator = anthropicMessage.createAccumulator?.();
    accumulator?.add(START);
    accumulator?.add({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
    expect(anthropicMessage.readFailure?.(accumulator?.response())).toEqual({
      type: "overloaded_error",
      message: "Overloaded",
    });
  });

  it("has the calls and results of the provider's own tools, which are not tool calls of the app", () => {
    const attributes = streamed(anthropicMessage, [
      START,
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
      },
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "input_json_delta", partial_json: '{"query":"x"}' },
      },
      {
        type: "content_block_start",
        index: 1,
        content_block: {
          type: "web_search_tool_result",
          tool_use_id: "s1",
          content: [{ url: "https://a.b" }],
        },
      },
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn" },
        usage: {
          output_tokens: 30,
          server_tool_use: { web_search_requests: 1 },
          output_tokens_details: { thinking_tokens: 12 },
        },
      },
    ]);
    expect(attributes).toMatchObject({ tokens_output: 30, tokens_reasoning: 12, web_search_requests: 1 });
    expect(messagesIn(attributes)).toEqual([
      {
        role: "assistant",
        finish_reason: "end_turn",
        parts: [
          {
            type: "server_tool_call",
            id: "s1",
            name: "web_search",
            server_tool_call: { type: "server_tool_use", input: { query: "x" } },
          },
          {
            type: "server_tool_call_response",
            id: "s1",
            server_tool_call_response: { type: "web_search_tool_result", content: [{ url: "https://a.b" }] },
          },
        ],
      },
    ]);
  });
});
