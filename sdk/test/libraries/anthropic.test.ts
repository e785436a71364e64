import Anthropic, { type ClientOptions } from "@anthropic-ai/sdk";
import Anthropic0 from "@anthropic-ai/sdk-0";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { configure, llm, takeSpans } from "../../src/index.js";
import { wrapAnthropic } from "../../src/integrations/anthropic/index.js";
import type { Span } from "../../src/wire/index.js";
import { listenToConsole } from "../fresh-sdk.js";
import { recordedExchanges, type Exchange } from "../replay/exchange.js";
import { expectedTokens } from "../replay/expected-tokens.js";
import { startReplayServer, type Delivery, type ReplayServer } from "../replay/replay-server.js";
import { writtenExchange } from "../replay/written-exchange.js";

let server: ReplayServer;
beforeAll(async () => {
  configure({ service: "anthropic-test" });
  server = await startReplayServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.reset();
  takeSpans();
});

const EXCHANGES = recordedExchanges().filter(({ api }) => api === "messages");

/** Both majors have the same shape; the types of the newest are used for both. */
const MAJORS = [
  ["1", Anthropic],
  ["0", Anthropic0 as unknown as typeof Anthropic],
] as const;

const HELLO = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-5",
  content: [{ type: "text", text: "Hello" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 4, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 1 },
};
const REQUEST = {
  model: "claude-sonnet-5",
  max_tokens: 10,
  messages: [{ role: "user" as const, content: "Hi" }],
};
const EVENTS = [
  { type: "message_start", message: { ...HELLO, content: [], usage: { ...HELLO.usage, output_tokens: 1 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hel" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "lo" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: HELLO.usage },
  { type: "message_stop" },
];
const STREAMED = { ...REQUEST, stream: true as const };
const plain = (): Exchange => writtenExchange({ api: "messages", request: REQUEST, body: HELLO });
const streamed = (): Exchange => writtenExchange({ api: "messages", request: STREAMED, chunks: EVENTS });
const failing = (status: number, type: string): Exchange =>
  writtenExchange({
    api: "messages",
    request: REQUEST,
    status,
    body: { type: "error", error: { type, message: "No." } },
  });

const withPath = (exchange: Exchange, path: string): Exchange => ({
  ...exchange,
  request: { ...exchange.request, path },
});
/** The response for any body: clients rename fields of the recorded requests, such as `output_format`. */
const anyBody = (exchange: Exchange): Exchange => ({
  ...exchange,
  request: { ...exchange.request, body: null },
});

const NUMBERS = { tokens_input: 8, tokens_output: 2, tokens_cached: 3, tokens_cache_write: 1 };

async function readAll(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

function onlySpan(): Span & { attributes: Readonly<Record<string, unknown>> } {
  const spans = takeSpans();
  expect(spans.map(({ name }) => name)).toHaveLength(1);
  return { ...(spans[0] as Span), attributes: spans[0]?.attributes ?? {} };
}

describe.each(MAJORS)("wrapAnthropic with @anthropic-ai/sdk %s", (_major, Client) => {
  /** A client whose next request gets the response of an exchange. */
  function ready(exchange: Exchange, delivery: Delivery = {}, options: ClientOptions = {}): Anthropic {
    server.expect(exchange, delivery);
    return wrapAnthropic(
      new Client({ apiKey: "test-key", maxRetries: 0, timeout: 10_000, baseURL: server.url, ...options }),
    );
  }

  /** Makes a recorded call, and reads the complete response. */
  async function replay(recorded: Exchange, delivery?: Delivery): Promise<{ span: Span; error: unknown }> {
    const isBeta = recorded.request.path.includes("beta=true");
    const client = ready(isBeta ? anyBody(recorded) : recorded, delivery);
    // The newest client has no beta parameter.
    if (isBeta) server.expect(withPath(anyBody(recorded), "/v1/messages"), delivery);
    const { messages }: { messages: { create(request: never): PromiseLike<unknown> } } = isBeta
      ? client.beta
      : client;
    let error: unknown;
    try {
      const answer = await messages.create(recorded.request.body as never);
      if (recorded.expect.stream) await readAll(answer as AsyncIterable<unknown>);
    } catch (thrown) {
      error = thrown;
    }
    server.reset();
    return { span: onlySpan(), error };
  }

  it.each(EXCHANGES)("records $id with the provider's own numbers", async (exchange) => {
    const { span, error } = await replay(exchange);
    const { expect: expected, response } = exchange;
    expect(span).toMatchObject({ span_type: "llm", status: expected.error ? "ERROR" : "OK" });
    expect(span.attributes).toMatchObject({ provider: "anthropic", model: expected.model });
    for (const [key, count] of Object.entries(expectedTokens(exchange)))
      expect(span.attributes?.[key] ?? null, key).toBe(count);
    if (expected.error) expect(error).toBeInstanceOf(Client.APIError);
    if (expected.error) expect(span.attributes).toMatchObject({ status_code: response.status });
  });

  it.each(EXCHANGES.filter(({ response }) => response.sse !== null))(
    "records the same span of $id however the stream is cut",
    async (exchange) => {
      const lasting = ({ name, status, attributes = {} }: Span): unknown => ({
        name,
        status,
        attributes: Object.entries(attributes).filter(([key]) => key !== "ttft_ms"),
      });
      const { span: whole } = await replay(exchange, { split: "whole" });
      expect(whole.attributes).toHaveProperty("ttft_ms");
      for (const split of ["events", "event-pairs", "odd", "bytes"] as const)
        expect(lasting((await replay(exchange, { split })).span), split).toEqual(lasting(whole));
    },
  );

  it("records messages.stream(), its events and its final message", async () => {
    const stream = ready(streamed()).messages.stream(REQUEST);
    let text = "";
    stream.on("text", (piece) => (text += piece));
    expect((await stream.finalMessage()).content).toMatchObject([{ text: "Hello" }]);
    expect(text).toBe("Hello");
    expect(onlySpan()).toMatchObject({
      name: "chat claude-sonnet-5",
      status: "OK",
      attributes: { ...NUMBERS, stream: true, completion_text: "Hello", finish_reason: "end_turn" },
    });
  });

  it("keeps withResponse(), asResponse() and the plain promise", async () => {
    const { data, response } = await ready(plain()).messages.create(REQUEST).withResponse();
    expect([data.content, response.status]).toEqual([HELLO.content, 200]);
    expect(onlySpan().attributes).toMatchObject(NUMBERS);

    const raw = await ready(streamed()).messages.create(STREAMED).asResponse();
    expect(await raw.text()).toContain("message_stop");
    expect(onlySpan().attributes).toMatchObject({ ...NUMBERS, completion_text: "Hello" });
  });

  it("counts retries, and keeps the class of the error that remains", async () => {
    const headers = { "retry-after-ms": "1" };
    server.expect(failing(529, "overloaded_error"), { headers });
    await ready(plain(), {}, { maxRetries: 1 }).messages.create(REQUEST);
    expect(onlySpan()).toMatchObject({ status: "OK", attributes: { attempts: 2, ...NUMBERS } });

    const call = ready(failing(429, "rate_limit_error")).messages.create(REQUEST);
    await expect(call).rejects.toBeInstanceOf(Client.RateLimitError);
    expect(onlySpan()).toMatchObject({
      status: "ERROR",
      attributes: { error_type: "RateLimitError", status_code: 429 },
    });
  });

  it("records an error inside a stream with its type and the input tokens", async () => {
    const chunks = [
      ...EVENTS.slice(0, 3),
      { type: "error", error: { type: "overloaded_error", message: "Full" } },
    ];
    const stream = await ready(
      writtenExchange({ api: "messages", request: STREAMED, chunks }),
    ).messages.create(STREAMED);
    await expect(readAll(stream)).rejects.toBeInstanceOf(Client.APIError);
    const { status, attributes } = onlySpan();
    expect(status).toBe("ERROR");
    expect(attributes).toMatchObject({ completion_text: "Hel", tokens_input: 8 });
    expect(attributes["error_type"]).toContain("overloaded_error");
  });

  it("ends the span of a stream that the app aborts or leaves", async () => {
    const aborted = ready(streamed(), {
      beforePiece: (at) => (at < 3 ? undefined : new Promise(() => undefined)),
    });
    const stream = aborted.messages.stream(REQUEST);
    stream.on("text", () => stream.abort());
    await expect(stream.finalMessage()).rejects.toBeInstanceOf(Client.APIUserAbortError);
    expect(onlySpan().attributes).toMatchObject({ aborted: true, completion_text: "Hel", tokens_input: 8 });

    for await (const event of await ready(streamed()).messages.create(STREAMED))
      if (event.type === "content_block_delta") break;
    expect(onlySpan().attributes).toMatchObject({ aborted: true, completion_text: "Hel" });
  });

  it("does not record countTokens(), which calls no model", async () => {
    const path = "/v1/messages/count_tokens";
    const { messages, model } = REQUEST;
    const request = { messages, model };
    const client = ready(writtenExchange({ api: "messages", path, request, body: { input_tokens: 8 } }));
    expect((await client.messages.countTokens(request)).input_tokens).toBe(8);
    expect(takeSpans()).toEqual([]);
  });

  it("records the clients of withOptions(), and no call twice", async () => {
    const client = wrapAnthropic(ready(plain()).withOptions({ timeout: 1000 }));
    await llm("outer", () => client.messages.create(REQUEST))();
    const [inner, outer] = takeSpans();
    expect(inner).toMatchObject({
      name: "chat claude-sonnet-5",
      parent_span_id: outer?.span_id,
      attributes: NUMBERS,
    });
    expect(outer?.name).toBe("outer");
  });

  it("records the results of a batch when they are read first", async () => {
    const id = `msgbatch_${_major}`;
    const results = [
      {
        custom_id: "a",
        result: {
          type: "succeeded",
          message: { ...HELLO, usage: { ...HELLO.usage, service_tier: "batch" } },
        },
      },
      {
        custom_id: "b",
        result: {
          type: "errored",
          error: { type: "error", error: { type: "invalid_request_error", message: "No." } },
        },
      },
      { custom_id: "c", result: { type: "expired" } },
    ];
    const batch = {
      id,
      processing_status: "ended",
      results_url: `${server.url}/v1/messages/batches/${id}/results`,
    };
    const path = `/v1/messages/batches/${id}`;
    const get = (exchange: Exchange): Exchange => ({
      ...exchange,
      request: { ...exchange.request, method: "GET", body: null },
    });
    const lines = results.map((result) => JSON.stringify(result)).join("\n");
    const file = get(writtenExchange({ path: `${path}/results`, request: {} }));
    const jsonl = {
      ...file,
      response: { ...file.response, headers: { "content-type": "application/binary" }, sse: lines },
    };
    for (const isFirst of [true, false]) {
      const client = ready(get(writtenExchange({ path, request: {}, body: batch })));
      server.expect(jsonl);
      const read: unknown[] = [];
      for await (const result of await client.messages.batches.results(id)) read.push(result);
      expect(read).toEqual(results);
      expect(takeSpans()).toMatchObject(
        isFirst
          ? [
              {
                status: "OK",
                attributes: { ...NUMBERS, service_tier: "batch", batch_id: id, batch_custom_id: "a" },
              },
              { status: "ERROR", attributes: { error_type: "invalid_request_error", batch_custom_id: "b" } },
            ]
          : [],
      );
    }
  });
});

it("records every request and tool of a tool runner", async () => {
  const call = { type: "tool_use", id: "t1", name: "weather", input: { city: "Oslo" } };
  const body = { ...HELLO, content: [call], stop_reason: "tool_use" };
  server.expect(anyBody(writtenExchange({ api: "messages", request: {}, body })));
  server.expect(anyBody(writtenExchange({ api: "messages", request: {}, body: HELLO })));
  const client = wrapAnthropic(new Anthropic({ apiKey: "test-key", baseURL: server.url }));
  const weather = betaTool({
    name: "weather",
    description: "The weather of a city",
    inputSchema: { type: "object", properties: { city: { type: "string" } } },
    run: ({ city }) => `Rain in ${String(city)}`,
  });
  const answer = await client.beta.messages.toolRunner({ ...REQUEST, tools: [weather] });
  expect(answer.content).toMatchObject([{ text: "Hello" }]);
  expect(takeSpans()).toMatchObject([
    { span_type: "llm", attributes: { finish_reason: "tool_use" } },
    { span_type: "tool", attributes: { tool_name: "weather", output_text: "Rain in Oslo" } },
    { span_type: "llm", attributes: { completion_text: "Hello" } },
  ]);
});

it("warns once when it is given something that has no call to record", () => {
  const { warnings } = listenToConsole();
  for (const round of [1, 2]) {
    wrapAnthropic(Anthropic);
    wrapAnthropic(new OpenAI({ apiKey: `k${round}` }));
  }
  expect(warnings).toEqual([
    "[obspan] wrapAnthropic() records nothing: it expects a client such as new Anthropic(), and got the class Anthropic.",
    "[obspan] wrapAnthropic() records nothing: it expects a client such as new Anthropic(), and got an object of the class OpenAI.",
  ]);
});
