import { Mistral } from "@mistralai/mistralai";
import type { ChatCompletionRequest } from "@mistralai/mistralai/models/components/index.js";
import { Mistral as Mistral1 } from "@mistralai/mistralai-1";
import { Ollama } from "ollama";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { configure, takeSpans } from "../../src/index.js";
import { toSnakeCase } from "../../src/integrations/model-client/camel-case.js";
import { wrapMistral } from "../../src/integrations/mistral/index.js";
import { recordedExchange, recordedExchanges, type Exchange } from "../replay/exchange.js";
import { startReplayServer, type ReplayServer } from "../replay/replay-server.js";
import { checkSpan, partsOf, readAll, withoutTimes } from "./check-span.js";

let server: ReplayServer;
beforeAll(async () => {
  configure({ service: "mistral-test" });
  server = await startReplayServer();
});
afterAll(() => server.close());
afterEach(() => {
  server.reset();
  takeSpans();
});

/** The client adds fields to the recorded requests. */
const anyBody = (exchange: Exchange): Exchange => ({
  ...exchange,
  request: { ...exchange.request, body: null },
});

/** The recorded request, without the field `stream`: a method says it. */
function chatRequest({ request }: Exchange): ChatCompletionRequest {
  const fields = Object.entries(request.body ?? {}).filter(([key]) => key !== "stream");
  return Object.fromEntries(fields) as unknown as ChatCompletionRequest;
}

const VERSIONS = { 1: Mistral1, 2: Mistral };

describe.each([1, 2] as const)("@mistralai/mistralai %i", (version) => {
  const clientOf = (options: { retryConfig?: unknown } = {}): Mistral =>
    new VERSIONS[version]({ apiKey: "test-key", serverURL: server.url, ...(options as object) }) as Mistral;

  /** Makes the recorded call, and reads the complete response. */
  async function call(client: Mistral, exchange: Exchange): Promise<unknown> {
    const { api, request } = exchange;
    const { model, input } = request.body as Record<string, string>;
    if (api === "embeddings")
      return await client.embeddings.create({ model: model ?? "", inputs: input ?? "" });
    const chat = chatRequest(exchange);
    return exchange.expect.stream
      ? await readAll(await client.chat.stream(chat))
      : await client.chat.complete(chat);
  }

  const EXCHANGES = recordedExchanges().filter(({ provider }) => provider === "mistral_ai");

  describe.each(EXCHANGES)("$id", (exchange) => {
    it("has one span with the provider's own numbers", async () => {
      server.expect(anyBody(exchange));
      await call(wrapMistral(clientOf()), exchange);
      const spans = takeSpans();
      expect(spans).toHaveLength(1);
      checkSpan(spans[0], exchange, "mistral");
    });

    it("gives the app the same as without the wrapper", async () => {
      server.always(anyBody(exchange));
      const answers = [await call(wrapMistral(clientOf()), exchange), await call(clientOf(), exchange)];
      expect(answers[0]).toEqual(answers[1]);
    });
  });

  it("has the same span however the stream is cut into pieces", async () => {
    const exchange = recordedExchange("mistral-chat-stream-tool");
    const spans: unknown[] = [];
    for (const split of ["whole", "events", "odd", "bytes"] as const) {
      server.expect(anyBody(exchange), { split });
      await call(wrapMistral(clientOf()), exchange);
      const [span] = takeSpans();
      expect(partsOf(span, "tool_call")).toEqual([
        { type: "tool_call", id: "EscTeQY62", name: "get_weather", arguments: { city: "San Francisco" } },
      ]);
      spans.push(withoutTimes(span));
    }
    for (const span of spans) expect(span).toEqual(spans[0]);
  });

  it("gives a stream of the client's class, which can be read, split and cancelled", async () => {
    const exchange = recordedExchange("mistral-chat-stream-tool");
    server.always(anyBody(exchange));
    const chat = chatRequest(exchange);
    const plain = await clientOf().chat.stream(chat);
    const wrapped = await wrapMistral(clientOf()).chat.stream(chat);
    expect(wrapped.constructor).toBe(plain.constructor);
    await plain.cancel();
    const [left, right] = wrapped.tee();
    expect([(await readAll(left)).length, (await readAll(right)).length]).toEqual([2, 2]);
    expect(takeSpans()).toMatchObject([{ attributes: { tokens_output: 23 } }]);

    const reader = (await wrapMistral(clientOf()).chat.stream(chat)).getReader();
    await reader.read();
    await reader.cancel();
    expect(takeSpans()).toMatchObject([{ status: "OK", attributes: { aborted: true } }]);
  });

  it("records fim, agents, images and the parameters of a request", async () => {
    const chat = recordedExchange("mistral-chat");
    const client = wrapMistral(clientOf());
    const at = (path: string): Exchange => ({ ...chat, request: { method: "POST", path, body: null } });
    server.expect(at("/v1/fim/completions"));
    await client.fim.complete({ model: "codestral-latest", prompt: "def f(", suffix: "return a" });
    server.expect(at("/v1/agents/completions"));
    await client.agents.complete({ agentId: "agent-1", messages: [{ role: "user", content: "Hi" }] });
    server.expect(at("/v1/chat/completions"));
    await client.chat.complete({
      model: "pixtral-large-latest",
      randomSeed: 7,
      maxTokens: 9,
      messages: [
        { role: "user", content: [{ type: "image_url", imageUrl: "data:image/png;base64,AQID" }] },
        {
          role: "assistant",
          toolCalls: [{ id: "c1", function: { name: "look", arguments: { aKey: 1 } } }],
        },
        { role: "tool", toolCallId: "c1", content: "ok" },
      ],
    });
    expect(takeSpans()).toMatchObject([
      {
        name: "text_completion codestral-latest",
        attributes: { prompt_text: "def f(\n…\nreturn a", tokens_output: 96 },
      },
      { name: "chat", attributes: { agent_id: "agent-1", prompt_text: "Hi", model: "mistral-tiny" } },
      {
        attributes: {
          seed: 7,
          max_tokens: 9,
          prompt_messages: [
            { role: "user", parts: [{ type: "blob", mime_type: "image/png", content: "AQID" }] },
            { role: "assistant", parts: [{ type: "tool_call", id: "c1", arguments: { aKey: 1 } }] },
            { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "ok" }] },
          ],
        },
      },
    ]);
  });

  it("keeps the error of the client with its status, and counts the attempts", async () => {
    const chat = recordedExchange("mistral-chat");
    const response = { ...chat.response, status: 429, body: { message: "Requests rate limit exceeded" } };
    server.expect({ ...anyBody(chat), response }, { headers: { "retry-after": "0" } });
    server.expect({ ...anyBody(chat), response: { ...response, status: 401 } });
    const backoff = { initialInterval: 1, maxInterval: 1, exponent: 1, maxElapsedTime: 5_000 };
    const retryConfig = { strategy: "backoff", backoff, retryConnectionErrors: false };
    const error: unknown = await call(wrapMistral(clientOf({ retryConfig })), chat).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ statusCode: 401 });
    const spans = takeSpans();
    expect(spans).toHaveLength(1);
    expect(spans[0]).toMatchObject({
      status: "ERROR",
      attributes: { status_code: 401, attempts: 2, error_type: expect.stringContaining("401") as string },
    });
  });

  it("ends the span when the app aborts", async () => {
    const exchange = recordedExchange("mistral-chat");
    const abort = new AbortController();
    server.expect(anyBody(exchange), {
      beforeHeaders() {
        abort.abort();
        return new Promise(() => undefined);
      },
    });
    const chat = chatRequest(exchange);
    // oxlint-disable-next-line typescript/no-deprecated -- Apps still pass it so.
    const answer = wrapMistral(clientOf()).chat.complete(chat, { fetchOptions: { signal: abort.signal } });
    await expect(answer).rejects.toThrow();
    expect(takeSpans()).toMatchObject([{ status: "ERROR", attributes: { aborted: true } }]);
  });

  it("ends the span of a stream that the app aborts, with the part that arrived", async () => {
    const exchange = recordedExchange("mistral-chat-stream-tool");
    const beforePiece = (position: number): Promise<void> | void =>
      position < 1 ? undefined : new Promise(() => undefined);
    server.expect(anyBody(exchange), { beforePiece });
    const abort = new AbortController();
    const options = { fetchOptions: { signal: abort.signal } };
    const stream = await wrapMistral(clientOf()).chat.stream(chatRequest(exchange), options);
    const reader = stream.getReader();
    await reader.read();
    abort.abort();
    await expect(reader.read()).rejects.toThrow();
    expect(takeSpans()).toMatchObject([
      { name: "chat mistral-small-latest", status: "ERROR", attributes: { aborted: true, stream: true } },
    ]);
  });

  it("leaves out the counts of a response without counts, which the client sets to zero", async () => {
    const chat = recordedExchange("mistral-chat");
    const body = { ...(chat.response.body as object), usage: {} };
    server.expect({ ...anyBody(chat), response: { ...chat.response, body } });
    await call(wrapMistral(clientOf()), chat);
    expect(takeSpans()[0]?.attributes).not.toHaveProperty("tokens_input");
  });

  it("returns the given client", () => {
    const client = clientOf();
    expect(wrapMistral(wrapMistral(client))).toBe(client);
  });
});

it("warns once about a class and once about the client of another vendor", () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  for (const wrong of [Mistral, new Ollama(), Mistral]) expect(wrapMistral(wrong)).toBe(wrong);
  expect(warn.mock.calls.flat()).toEqual([
    expect.stringContaining(
      "wrapMistral() records nothing: it expects a client such as new Mistral(), and got the class Mistral.",
    ),
    expect.stringContaining(
      "wrapMistral() records nothing: it expects a client such as new Mistral(), and got an object of the class Ollama.",
    ),
  ]);
  warn.mockRestore();
});

it("the names of the app stay as they are, and no getter runs", () => {
  const value = {
    toolCalls: [{ function: { arguments: { aKey: 1 } } }],
    get broken(): never {
      throw new Error("ran");
    },
  };
  expect(toSnakeCase(value)).toEqual({ tool_calls: [{ function: { arguments: { aKey: 1 } } }] });
});
