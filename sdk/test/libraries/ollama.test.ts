import { CohereClient } from "cohere-ai";
import defaultClient, { Ollama } from "ollama";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { configure, llm, takeSpans } from "../../src/index.js";
import { wrapOllama } from "../../src/integrations/ollama/index.js";
import { recordedExchange, recordedExchanges, type Exchange } from "../replay/exchange.js";
import { startReplayServer, type ReplayServer } from "../replay/replay-server.js";
import { checkSpan, partsOf, readAll, withoutTimes } from "./check-span.js";

let server: ReplayServer;
beforeAll(async () => {
  configure({ service: "ollama-test" });
  server = await startReplayServer();
});
afterAll(() => server.close());
afterEach(() => {
  server.reset();
  takeSpans();
});

const clientOf = (): Ollama => new Ollama({ host: server.url });

/** Makes the recorded call, and reads the complete response. */
async function call(client: Ollama, { request }: Exchange): Promise<unknown> {
  // The client changes the request that it gets.
  const answer: unknown = await client.chat(structuredClone(request.body) as never);
  return request.body?.["stream"] === true ? await readAll(answer) : answer;
}

/** An exchange that has no recording. */
function exchangeOf(path: string, chunks: readonly unknown[]): Exchange {
  const recorded = recordedExchange("ollama-chat-stream-ndjson");
  const text = chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join("");
  return {
    ...recorded,
    request: { method: "POST", path, body: null },
    response: { ...recorded.response, raw: { encoding: "utf8", text } },
  };
}

const EXCHANGES = recordedExchanges().filter(({ provider }) => provider === "ollama");

describe.each(EXCHANGES)("$id", (exchange) => {
  it("has one span with the provider's own numbers", async () => {
    server.expect(exchange);
    const answer = call(wrapOllama(clientOf()), exchange);
    if (exchange.expect.error) await expect(answer).rejects.toThrow("not found");
    else await answer;
    const spans = takeSpans();
    expect(spans).toHaveLength(1);
    checkSpan(spans[0], exchange, "ollama");
  });

  it("gives the app the same as without the wrapper", async () => {
    server.always(exchange);
    const [wrapped, plain] = await Promise.allSettled([
      call(wrapOllama(clientOf()), exchange),
      call(clientOf(), exchange),
    ]);
    expect(wrapped).toEqual(plain);
  });
});

it("has the same span however the stream is cut into pieces, without text that is lost", async () => {
  const exchange = recordedExchange("ollama-chat-stream-ndjson");
  const spans: unknown[] = [];
  for (const split of ["whole", "events", "odd", "bytes"] as const) {
    server.expect(exchange, { split });
    await call(wrapOllama(clientOf()), exchange);
    const [span] = takeSpans();
    expect(span?.name).toBe("chat llama3");
    expect(span?.attributes?.["completion_text"]).toMatch(/^Here's one:\n\nWhy did the Open/);
    expect(span?.attributes?.["prompt_text"]).toBe("Tell me a joke about OpenTelemetry");
    spans.push(withoutTimes(span));
  }
  for (const span of spans) expect(span).toEqual(spans[0]);
});

it("records thinking, tools and the messages of a chat", async () => {
  const message = { role: "assistant", content: "" };
  const called = { function: { name: "look", arguments: { x: 1 } } };
  const client = wrapOllama(clientOf());
  server.expect(
    exchangeOf("/api/chat", [
      { model: "qwen3", message: { ...message, thinking: "Hm" }, done: false },
      { model: "qwen3", message: { ...message, thinking: "m.", tool_calls: [called] }, done: false },
      { model: "qwen3", message, done: true, done_reason: "stop", prompt_eval_count: 9, eval_count: 4 },
    ]),
  );
  const stream = await client.chat({
    model: "qwen3",
    stream: true,
    options: { temperature: 0.1, num_predict: 50 },
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Look", images: ["AQID"] },
      { role: "assistant", content: "", tool_calls: [called] },
      { role: "tool", tool_name: "look", content: '{"ok":true}' },
    ],
    tools: [{ type: "function", function: { name: "look", parameters: { type: "object" } } }],
  });
  await readAll(stream);
  const [span] = takeSpans();
  expect(span?.attributes).toMatchObject({
    temperature: 0.1,
    max_tokens: 50,
    tokens_input: 9,
    tokens_output: 4,
    finish_reason: "stop",
    tool_definitions: [{ type: "function", name: "look", parameters: { type: "object" } }],
    prompt_messages: [
      { role: "system", parts: [{ type: "text", content: "Be brief." }] },
      {
        role: "user",
        parts: [
          { type: "text", content: "Look" },
          { type: "blob", modality: "image", mime_type: "image/*", content: "AQID" },
        ],
      },
      { role: "assistant", parts: [{ type: "tool_call", id: "", name: "look", arguments: { x: 1 } }] },
      { role: "tool", parts: [{ type: "tool_call_response", id: "look", response: { ok: true } }] },
    ],
  });
  expect(partsOf(span, "reasoning")).toEqual([{ type: "reasoning", content: "Hmm." }]);
  expect(partsOf(span, "tool_call")).toMatchObject([{ name: "look", arguments: { x: 1 } }]);
});

it("records generate and embed", async () => {
  const client = wrapOllama(clientOf());
  server.expect(
    exchangeOf("/api/generate", [
      { model: "llama3", response: "Hel", done: false },
      { model: "llama3", response: "lo", done: false },
      {
        model: "llama3",
        response: "",
        done: true,
        done_reason: "length",
        prompt_eval_count: 3,
        eval_count: 2,
      },
    ]),
  );
  await readAll(await client.generate({ model: "llama3", prompt: "Hi", system: "Be brief.", stream: true }));
  const embedded = {
    model: "nomic",
    embeddings: [
      [1, 2],
      [3, 4],
    ],
    prompt_eval_count: 6,
  };
  server.expect(exchangeOf("/api/embed", [embedded]));
  await client.embed({ model: "nomic", input: ["one", "two"] });
  expect(takeSpans()).toMatchObject([
    {
      name: "text_completion llama3",
      span_type: "llm",
      attributes: {
        prompt_text: "Hi",
        completion_text: "Hello",
        tokens_input: 3,
        tokens_output: 2,
        finish_reason: "length",
      },
    },
    {
      name: "embeddings nomic",
      span_type: "embedding",
      attributes: { input_text: "one\ntwo", tokens_input: 6, embedding_count: 2 },
    },
  ]);
});

describe("the end of a stream", () => {
  const exchange = recordedExchange("ollama-chat-stream-ndjson");
  const request = exchange.request.body as never;

  it("is the chunk that is done: a reader that stops there misses nothing", async () => {
    server.expect(exchange);
    const stream = await wrapOllama(clientOf()).chat(structuredClone(request));
    for await (const { done } of stream as AsyncIterable<{ done: boolean }>) if (done) break;
    const [span] = takeSpans();
    checkSpan(span, exchange, "ollama");
    expect(span?.attributes).not.toHaveProperty("aborted");
  });

  it("is abort(), with the part that arrived", async () => {
    server.expect(exchange, {
      beforePiece: (position) => (position < 5 ? undefined : new Promise(() => undefined)),
    });
    const client = wrapOllama(clientOf());
    const stream: unknown = await client.chat(structuredClone(request));
    let seen = 0;
    const read = async (): Promise<void> => {
      for await (const chunk of stream as AsyncIterable<unknown>)
        if (chunk !== undefined && (seen += 1) === 5) client.abort();
    };
    await expect(read()).rejects.toMatchObject({ name: "AbortError" });
    expect(takeSpans()).toMatchObject([
      { attributes: { aborted: true, completion_text: "Here's one:\n\nWhy" } },
    ]);
  });

  it("is abort() of a stream that nobody reads", async () => {
    server.expect(exchange, { beforePiece: () => new Promise(() => undefined) });
    const client = wrapOllama(clientOf());
    await client.chat(structuredClone(request));
    client.abort();
    await expect.poll(() => takeSpans()).toMatchObject([{ attributes: { aborted: true } }]);
  });

  it("is an error that the server sends as a line", async () => {
    const failed = exchangeOf("/api/chat", [
      { model: "llama3", message: { role: "assistant", content: "So" }, done: false },
      { error: "llama runner process has terminated" },
    ]);
    server.expect(failed);
    await expect(call(wrapOllama(clientOf()), { ...failed, request: exchange.request })).rejects.toThrow(
      "llama runner process has terminated",
    );
    expect(takeSpans()).toMatchObject([
      {
        status: "ERROR",
        attributes: { error_message: "llama runner process has terminated", completion_text: "So" },
      },
    ]);
  });
});

it("records a call inside llm() as its child, and the error of the client unchanged", async () => {
  const exchange = recordedExchange("error-ollama-404-model");
  server.expect(exchange);
  const client = wrapOllama(clientOf());
  const error: unknown = await llm("own", () => call(client, exchange))().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: "ResponseError", status_code: 404 });
  const [child, parent] = takeSpans();
  expect(child?.parent_span_id).toBe(parent?.span_id);
  expect(child?.attributes).toMatchObject({ error_type: "ResponseError 404", status_code: 404 });
});

it("returns the given client, and warns once about a class and once about the client of another vendor", () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  expect(wrapOllama(wrapOllama(defaultClient))).toBe(defaultClient);
  expect(warn).not.toHaveBeenCalled();
  for (const wrong of [Ollama, new CohereClient(), Ollama]) expect(wrapOllama(wrong)).toBe(wrong);
  expect(warn.mock.calls.flat()).toEqual([
    expect.stringContaining(
      "wrapOllama() records nothing: it expects a client such as new Ollama(), and got the class Ollama.",
    ),
    expect.stringContaining(
      "wrapOllama() records nothing: it expects a client such as new Ollama(), and got an object of the class CustomClient.",
    ),
  ]);
  warn.mockRestore();
});
