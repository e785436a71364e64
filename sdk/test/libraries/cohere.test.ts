import { CohereClient, CohereClientV2 } from "cohere-ai";
import { CohereClient as CohereClient7, CohereClientV2 as CohereClientV27 } from "cohere-ai-7";
import { Ollama } from "ollama";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { configure, takeSpans } from "../../src/index.js";
import { wrapCohere } from "../../src/integrations/cohere/index.js";
import { toSnakeCase } from "../../src/integrations/model-client/camel-case.js";
import { recordedExchange, recordedExchanges, type Exchange } from "../replay/exchange.js";
import { startReplayServer, type ReplayServer } from "../replay/replay-server.js";
import { checkSpan, partsOf, readAll, withoutTimes } from "./check-span.js";

let server: ReplayServer;
beforeAll(async () => {
  configure({ service: "cohere-test" });
  server = await startReplayServer();
});
afterAll(() => server.close());
afterEach(() => {
  server.reset();
  takeSpans();
});

const VERSIONS = {
  7: { v1: CohereClient7, v2: CohereClientV27 },
  8: { v1: CohereClient, v2: CohereClientV2 },
};

/** The recorded request in the names of the client. */
function inClientNames(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(inClientNames);
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      inClientNames(each),
    ]),
  );
}

describe.each([7, 8] as const)("cohere-ai %i", (version) => {
  const options = (): object => ({ token: "test-key", environment: server.url, maxRetries: 0 });
  const v1 = (): CohereClient => new VERSIONS[version].v1(options()) as CohereClient;
  const v2 = (): CohereClientV2 => new VERSIONS[version].v2(options()) as CohereClientV2;

  /** Makes the recorded call with a client of its version of the API, and reads the complete response. */
  async function call(
    wrap: <T extends object>(client: T) => T,
    { api, request, expect: expected }: Exchange,
  ) {
    const fields = Object.entries(inClientNames(request.body) as object);
    const body = Object.fromEntries(fields.filter(([key]) => key !== "stream"));
    const client = api === "chat.v2" ? wrap(v2()) : wrap(v1());
    if (api === "rerank") return await client.rerank(body as never);
    return expected.stream
      ? await readAll(await client.chatStream(body as never))
      : await client.chat(body as never);
  }

  const EXCHANGES = recordedExchanges().filter(({ provider }) => provider === "cohere");

  describe.each(EXCHANGES)("$id", (exchange) => {
    it("has one span with the provider's own numbers", async () => {
      server.expect(exchange);
      await call(wrapCohere, exchange);
      const spans = takeSpans();
      expect(spans).toHaveLength(1);
      expect(spans[0]?.span_type).toBe(exchange.api === "rerank" ? "retrieval" : "llm");
      checkSpan(spans[0], exchange, "cohere");
    });

    it("gives the app the same as without the wrapper", async () => {
      server.always(exchange);
      const answers = [await call(wrapCohere, exchange), await call((client) => client, exchange)];
      expect(answers[0]).toEqual(answers[1]);
    });
  });

  it.each(EXCHANGES.filter(({ expect: { stream } }) => stream))(
    "$id has the same span however the stream is cut into pieces",
    async (exchange) => {
      const spans: unknown[] = [];
      for (const split of ["whole", "events", "odd", "bytes"] as const) {
        server.expect(exchange, { split });
        await call(wrapCohere, exchange);
        spans.push(withoutTimes(takeSpans()[0]));
      }
      for (const span of spans) expect(span).toEqual(spans[0]);
    },
  );

  it("records a conversation with tools, plain and streamed, in the same way", async () => {
    for (const id of ["cohere-chat-v2-toolloop-1", "cohere-chat-v2-stream-tool"]) {
      const exchange = recordedExchange(id);
      server.expect(exchange);
      await call(wrapCohere, exchange);
      const [span] = takeSpans();
      expect(span?.name).toBe("chat command-r");
      expect(span?.attributes).toMatchObject({
        finish_reason: "TOOL_CALL",
        prompt_text: "What is the weather and current time in Tokyo?",
        tool_definitions: [
          { name: "get_weather", parameters: { required: ["location"] } },
          { name: "get_time" },
        ],
      });
      expect(partsOf(span, "tool_call")).toMatchObject([
        { name: "get_time", arguments: { location: "Tokyo" } },
        { name: "get_weather", arguments: { location: "Tokyo" } },
      ]);
      expect(partsOf(span, "reasoning")).toMatchObject([
        { content: expect.stringMatching(/^I will search/) as string },
      ]);
    }
    const answer = recordedExchange("cohere-chat-v2-toolloop-2");
    server.expect(answer);
    await call(wrapCohere, answer);
    expect(takeSpans()).toMatchObject([
      {
        attributes: {
          completion_text: expect.stringContaining("4:20 PM") as string,
          prompt_messages: [
            { role: "user" },
            { role: "assistant", parts: [{ type: "tool_call" }, { type: "tool_call" }] },
            { role: "tool", parts: [{ type: "tool_call_response", response: "4:20 PM" }] },
            { role: "tool" },
          ],
        },
      },
    ]);
  });

  it("records the first version of the chat API: history, instructions and text", async () => {
    const exchange = recordedExchange("cohere-chat-v1-stream-ndjson");
    server.expect(exchange);
    await call(wrapCohere, exchange);
    expect(takeSpans()).toMatchObject([
      {
        name: "chat",
        attributes: {
          finish_reason: "COMPLETE",
          completion_text: expect.stringMatching(/^Isaac Newton was born/) as string,
          prompt_text: "What year was he born?",
          prompt_messages: [{ role: "user" }, { role: "assistant" }, { role: "user" }],
        },
      },
    ]);
  });

  it("records embed and the methods of `v2` of the first client, and gives the raw response", async () => {
    const rerank = recordedExchange("cohere-rerank");
    const body = {
      id: "e1",
      texts: ["one", "two"],
      embeddings: {
        float: [
          [1, 2],
          [3, 4],
        ],
      },
      meta: { billed_units: { input_tokens: 4 } },
    };
    server.expect({
      ...rerank,
      request: { method: "POST", path: "/v2/embed", body: null },
      response: { ...rerank.response, body },
    });
    const { data, rawResponse } = await wrapCohere(v1())
      .v2.embed({
        model: "embed-v4.0",
        inputType: "search_query",
        embeddingTypes: ["float"],
        texts: ["one", "two"],
      })
      .withRawResponse();
    expect(rawResponse.status).toBe(200);
    expect(data.embeddings.float).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(takeSpans()).toMatchObject([
      {
        name: "embeddings embed-v4.0",
        span_type: "embedding",
        attributes: {
          input_text: "one\ntwo",
          tokens_input: 4,
          embedding_count: 2,
          input_type: "search_query",
        },
      },
    ]);
  });

  it("keeps the error of the client with its status", async () => {
    const exchange = recordedExchange("cohere-chat-v2-toolloop-1");
    const response = { ...exchange.response, status: 429, body: { message: "slow down" } };
    server.expect({ ...exchange, response });
    await expect(call(wrapCohere, exchange)).rejects.toMatchObject({ statusCode: 429 });
    expect(takeSpans()).toMatchObject([
      { status: "ERROR", attributes: { status_code: 429, error_type: "TooManyRequestsError" } },
    ]);
  });

  it("ends the span of a stream when the app aborts or stops reading", async () => {
    const exchange = recordedExchange("cohere-chat-v2-stream-tool");
    const body = inClientNames(exchange.request.body) as never;
    const beforePiece = (position: number): Promise<void> | void =>
      position < 4 ? undefined : new Promise(() => undefined);
    server.expect(exchange, { beforePiece });
    const abort = new AbortController();
    const stream = await wrapCohere(v2()).chatStream(body, { abortSignal: abort.signal });
    const read = async (): Promise<void> => {
      let seen = 0;
      for await (const event of stream) if (event.type !== "debug" && (seen += 1) === 4) abort.abort();
    };
    await read().catch(() => undefined);
    expect(takeSpans()).toMatchObject([{ attributes: { aborted: true, stream: true } }]);

    server.expect(exchange);
    for await (const event of await wrapCohere(v2()).chatStream(body))
      if (event.type === "tool-call-start") break;
    expect(takeSpans()).toMatchObject([{ status: "OK", attributes: { aborted: true } }]);
  });

  it("fails the span of a response that ends with an error, although the client does not throw", async () => {
    const exchange = recordedExchange("cohere-chat-v2-toolloop-1");
    const body = { ...(exchange.response.body as object), finish_reason: "ERROR" };
    server.expect({ ...exchange, response: { ...exchange.response, body } });
    await call(wrapCohere, exchange);
    expect(takeSpans()).toMatchObject([{ status: "ERROR", attributes: { error_type: "error" } }]);
  });

  it("returns the given client", () => {
    for (const client of [v1(), v2()]) expect(wrapCohere(wrapCohere(client))).toBe(client);
  });
});

it("warns once about a class and once about the client of another vendor", () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  for (const wrong of [CohereClientV2, new Ollama(), CohereClientV2]) expect(wrapCohere(wrong)).toBe(wrong);
  expect(warn.mock.calls.flat()).toEqual([
    expect.stringContaining(
      "wrapCohere() records nothing: it expects a client such as new CohereClientV2(), and got the class CohereClientV2.",
    ),
    expect.stringContaining(
      "wrapCohere() records nothing: it expects a client such as new CohereClientV2(), and got an object of the class Ollama.",
    ),
  ]);
  warn.mockRestore();
});

it("leaves the client of another vendor as it is", () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const ollama = new Ollama();
  const { chat, embed } = ollama;
  wrapCohere(ollama);
  expect([ollama.chat, ollama.embed]).toEqual([chat, embed]);
  expect(Object.getOwnPropertyNames(ollama)).toEqual(Object.getOwnPropertyNames(new Ollama()));
  warn.mockRestore();
});

it("names of tools' parameters are not converted", () => {
  const tools = [{ name: "f", parameterDefinitions: { aName: { type: "str" } } }];
  expect(toSnakeCase({ tools })).toEqual({
    tools: [{ name: "f", parameter_definitions: { aName: { type: "str" } } }],
  });
});
