import { GoogleGenAI, type Content, type GoogleGenAIOptions } from "@google/genai";
import { GoogleGenAI as GoogleGenAI1 } from "@google/genai-1";
import { GoogleGenAI as GoogleGenAI2 } from "@google/genai-2";
import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { configure, takeSpans } from "../../src/index.js";
import { wrapGoogleGenAI } from "../../src/integrations/google/index.js";
import type { Span } from "../../src/wire/index.js";
import { listenToConsole } from "../fresh-sdk.js";
import { recordedExchange, recordedExchanges, type Exchange } from "../replay/exchange.js";
import { expectedTokens } from "../replay/expected-tokens.js";
import { startReplayServer, type Delivery, type ReplayServer } from "../replay/replay-server.js";
import { writtenExchange } from "../replay/written-exchange.js";

let server: ReplayServer;
beforeAll(async () => {
  configure({ service: "google-test" });
  server = await startReplayServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.reset();
  takeSpans();
});

const EXCHANGES = recordedExchanges().filter(({ api }) =>
  ["generateContent", "embedContent", "interactions"].includes(api),
);

/** All majors have the same shape; the types of the newest are used for all. */
const MAJORS = [
  ["3", GoogleGenAI],
  ["2", GoogleGenAI2 as unknown as typeof GoogleGenAI],
  ["1", GoogleGenAI1 as unknown as typeof GoogleGenAI],
] as const;

const MODEL = "gemini-3.5-flash";
const PATH = `/v1beta/models/${MODEL}:generateContent`;
const STREAM_PATH = `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`;
const USAGE = {
  promptTokenCount: 8,
  candidatesTokenCount: 2,
  thoughtsTokenCount: 5,
  cachedContentTokenCount: 3,
};
const NUMBERS = { tokens_input: 8, tokens_output: 7, tokens_cached: 3, tokens_reasoning: 5 };

/** The response for any body: clients add fields to the recorded requests. */
const anyBody = (exchange: Exchange, path = exchange.request.path): Exchange => ({
  ...exchange,
  request: { ...exchange.request, path, body: null },
});
const contentOf = (...parts: object[]): object => ({ role: "model", parts });
const answer = (content: object, more: object = {}): Exchange =>
  anyBody(
    writtenExchange({
      path: PATH,
      request: {},
      body: {
        candidates: [{ content, finishReason: "STOP", index: 0 }],
        usageMetadata: USAGE,
        modelVersion: MODEL,
        ...more,
      },
    }),
  );
const HELLO = answer(contentOf({ text: "Hello" }));
const STREAM = anyBody(
  writtenExchange({
    api: "generateContent",
    path: STREAM_PATH,
    request: {},
    chunks: [
      { candidates: [{ content: contentOf({ text: "" }), index: 0 }], modelVersion: MODEL },
      { candidates: [{ content: contentOf({ text: "Hel" }), index: 0 }] },
      {
        candidates: [{ content: contentOf({ text: "lo" }), finishReason: "STOP", index: 0 }],
        usageMetadata: USAGE,
      },
    ],
  }),
);
const failing = (code: number, status: string): Exchange =>
  anyBody(
    writtenExchange({
      path: PATH,
      request: {},
      status: code,
      body: { error: { code, status, message: "No." } },
    }),
  );
const NEVER = (): Promise<void> => new Promise(() => undefined);

function onlySpan(): Span & { attributes: Readonly<Record<string, unknown>> } {
  const spans = takeSpans();
  expect(spans.map(({ name }) => name)).toHaveLength(1);
  return { ...(spans[0] as Span), attributes: spans[0]?.attributes ?? {} };
}

async function readAll<Chunk>(stream: AsyncIterable<Chunk>): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** The bodies of the recorded requests. */
interface RecordedBody {
  readonly contents: Content[];
  readonly generationConfig?: object;
  readonly systemInstruction?: Content;
  readonly tools?: object[];
  readonly requests: readonly [{ readonly content: Content }];
}

/** One exchange was recorded with numbers for the types of a schema, which the client does not accept. */
function withTypeNames(tools: unknown): never {
  const names: Readonly<Record<string, string>> = { "1": "STRING", "6": "OBJECT" };
  const json = JSON.stringify(tools ?? []).replace(
    /"type":(\d)/g,
    (_, type: string) => `"type":"${names[type] ?? ""}"`,
  );
  return JSON.parse(json) as never;
}

describe.each(MAJORS)("wrapGoogleGenAI with @google/genai %s", (major, Client) => {
  /** A client whose next request gets the response of an exchange. */
  function ready(exchange: Exchange, delivery: Delivery = {}, options: GoogleGenAIOptions = {}): GoogleGenAI {
    server.expect(exchange, delivery);
    const { httpOptions, ...more } = options;
    return wrapGoogleGenAI(
      new Client({
        apiKey: "test-key",
        httpOptions: { baseUrl: server.url, apiVersion: "v1beta", ...httpOptions },
        ...more,
      }),
    );
  }

  /** Makes a recorded call with the parameters that an app passes, and reads the complete response. */
  async function replay(recorded: Exchange, delivery?: Delivery): Promise<Span> {
    const { api, provider, request } = recorded;
    const isVertex = provider === "gcp.vertex_ai";
    const [, model = "", method = ""] = /models\/([^:]+):(\w+)/.exec(request.path) ?? [];
    const suffix = method === "streamGenerateContent" ? "?alt=sse" : "";
    // With an API key, the paths of Vertex AI have no project.
    const path = isVertex ? `/v1beta1/publishers/google/models/${model}:${method}${suffix}` : request.path;
    const client = ready(
      anyBody({ ...recorded, request: { ...request, method: "POST" } }, path),
      delivery,
      isVertex ? { vertexai: true, httpOptions: { apiVersion: "v1beta1" } } : {},
    );
    const { contents, generationConfig, systemInstruction, tools, requests } =
      request.body as unknown as RecordedBody;
    const config = {
      ...generationConfig,
      ...(systemInstruction && { systemInstruction }),
      tools: withTypeNames(tools),
    };
    if (api === "interactions") {
      await readAll(
        (await client.interactions.create(request.body as never)) as unknown as AsyncIterable<unknown>,
      );
    } else if (api === "embedContent") {
      const [{ content }] = requests;
      await client.models.embedContent({ model, contents: content });
    } else if (recorded.expect.stream) {
      await readAll(await client.models.generateContentStream({ model, contents, config }));
    } else await client.models.generateContent({ model, contents, config });
    server.reset();
    return onlySpan();
  }

  it.each(EXCHANGES)("records $id with the provider's own numbers", async (exchange) => {
    const { span_type, status, attributes = {} } = await replay(exchange);
    expect([span_type, status]).toEqual([exchange.api === "embedContent" ? "embedding" : "llm", "OK"]);
    expect(attributes).toMatchObject({ provider: "google", model: exchange.expect.model });
    for (const [key, count] of Object.entries(expectedTokens(exchange)))
      expect(attributes[key] ?? null, key).toBe(count);
    expect(attributes["stream"] ?? false).toBe(exchange.expect.stream);
    expect(JSON.stringify(attributes)).not.toContain("test-key");
  });

  it.each(EXCHANGES.filter(({ response }) => response.sse !== null))(
    "records the same span of $id however the stream is cut",
    async (exchange) => {
      const lasting = ({ name, status, attributes = {} }: Span): unknown => ({
        name,
        status,
        attributes: Object.entries(attributes).filter(([key]) => key !== "ttft_ms"),
      });
      const whole = await replay(exchange, { split: "whole" });
      expect(whole.attributes).toHaveProperty("ttft_ms");
      for (const split of ["odd", "bytes"] as const)
        expect(lasting(await replay(exchange, { split })), split).toEqual(lasting(whole));
    },
  );

  it("records plain and streamed calls with equal tokens and texts, and touches no getter of a response", async () => {
    const { warnings } = listenToConsole();
    const call = answer(contentOf({ text: "Hello" }, { functionCall: { name: "f", args: {} } }));
    await ready(call).models.generateContent({ model: MODEL, contents: "Hi" });
    expect(onlySpan()).toMatchObject({
      name: `chat ${MODEL}`,
      attributes: { ...NUMBERS, completion_text: "Hello", prompt_text: "Hi", finish_reason: "STOP" },
    });
    const stream = await ready(STREAM).models.generateContentStream({ model: MODEL, contents: "Hi" });
    expect((await readAll(stream)).map(({ text }) => text).join("")).toContain("Hello");
    expect(onlySpan().attributes).toMatchObject({ ...NUMBERS, stream: true, completion_text: "Hello" });
    expect(warnings).toEqual([]);
  });

  it("records a stream that is read by next(), and one that the app leaves", async () => {
    const config = { automaticFunctionCalling: { disable: true } };
    const params = { model: MODEL, contents: "Hi", config };
    const read = await ready(STREAM).models.generateContentStream(params);
    while ((await read.next()).done !== true);
    expect(onlySpan().attributes).toMatchObject({ ...NUMBERS, completion_text: "Hello" });

    for await (const chunk of await ready(STREAM).models.generateContentStream(params))
      if (chunk.candidates?.[0]?.content?.parts?.[0]?.text === "Hel") break;
    expect(onlySpan().attributes).toMatchObject({ aborted: true, completion_text: "Hel" });
  });

  it("records chats, with and without a stream", async () => {
    const chat = ready(HELLO).chats.create({ model: MODEL });
    await chat.sendMessage({ message: "Hi" });
    expect(onlySpan().attributes).toMatchObject({ ...NUMBERS, prompt_text: "Hi" });
    server.expect(STREAM);
    await readAll(await chat.sendMessageStream({ message: "Again" }));
    expect(onlySpan().attributes).toMatchObject({
      ...NUMBERS,
      prompt_text: "Again",
      completion_text: "Hello",
    });
  });

  it("records each request of automatic function calling", async () => {
    server.expect(answer(contentOf({ functionCall: { name: "weather", args: { city: "Oslo" } } })));
    const weather = {
      tool: async () => ({ functionDeclarations: [{ name: "weather" }] }),
      callTool: async () => [{ functionResponse: { name: "weather", response: { output: "Rain" } } }],
    };
    const client = ready(HELLO);
    await client.models.generateContent({ model: MODEL, contents: "Hi", config: { tools: [weather] } });
    expect(
      takeSpans().map(({ attributes = {} }) => [attributes["tokens_input"], attributes["completion_text"]]),
    ).toEqual([
      [8, undefined],
      [8, "Hello"],
    ]);
  });

  it("keeps errors, with their status and category", async () => {
    const call = ready(failing(429, "RESOURCE_EXHAUSTED")).models.generateContent({
      model: MODEL,
      contents: "Hi",
    });
    await expect(call).rejects.toMatchObject({ name: "ApiError", status: 429 });
    expect(onlySpan()).toMatchObject({
      status: "ERROR",
      attributes: {
        error_type: "ApiError RESOURCE_EXHAUSTED 429",
        error_message: "No.",
        error_code: "RESOURCE_EXHAUSTED",
        status_code: 429,
      },
    });
  });

  it("ends the span of a call and of a stream that the app aborts", async () => {
    const aborted = new AbortController();
    const params = { model: MODEL, contents: "Hi", config: { abortSignal: aborted.signal } };
    const stream = await ready(STREAM, {
      beforePiece: (at) => (at < 2 ? undefined : NEVER()),
    }).models.generateContentStream(params);
    const reading = (async () => {
      for await (const chunk of stream)
        if (chunk.candidates?.[0]?.content?.parts?.[0]?.text === "Hel") aborted.abort();
    })();
    await expect(reading).rejects.toThrow();
    expect(onlySpan().attributes).toMatchObject({ aborted: true, completion_text: "Hel" });

    const early = new AbortController();
    const beforePiece = (): Promise<void> => {
      early.abort();
      return NEVER();
    };
    const call = ready(HELLO, { beforePiece }).models.generateContent({
      ...params,
      config: { abortSignal: early.signal },
    });
    await expect(call).rejects.toThrow();
    expect(onlySpan().attributes).toMatchObject({ aborted: true });
  });

  it("records interactions that are not streamed", async () => {
    const usage = {
      total_input_tokens: 9,
      total_output_tokens: 3,
      total_thought_tokens: 4,
      total_cached_tokens: 2,
    };
    const outputs = [{ type: "text", text: "Hello" }];
    const steps = [{ type: "model_output", content: outputs }];
    const body = {
      id: "i1",
      model: MODEL,
      status: "completed",
      usage,
      ...(major === "1" ? { outputs } : { steps }),
    };
    const exchange = anyBody(writtenExchange({ path: "/v1beta/interactions", request: {}, body }));
    const interaction = await ready(exchange).interactions.create({ model: MODEL, input: "Hi" });
    expect(interaction).toMatchObject({ id: "i1" });
    expect(onlySpan().attributes).toMatchObject({
      tokens_input: 9,
      tokens_output: 7,
      tokens_cached: 2,
      prompt_text: "Hi",
      completion_text: "Hello",
    });
  });

  it("does not record countTokens(), which calls no model", async () => {
    const path = `/v1beta/models/${MODEL}:countTokens`;
    const client = ready(anyBody(writtenExchange({ path, request: {}, body: { totalTokens: 3 } })));
    expect((await client.models.countTokens({ model: MODEL, contents: "Hi" })).totalTokens).toBe(3);
    expect(takeSpans()).toEqual([]);
  });

  it.skipIf(major === "1")("counts the attempts of a call", async () => {
    server.expect(failing(503, "UNAVAILABLE"));
    const retryOptions = { attempts: 2, initialDelay: 0.001 };
    const client = ready(HELLO, {}, { httpOptions: { retryOptions } });
    await client.models.generateContent({ model: MODEL, contents: "Hi" });
    expect(onlySpan()).toMatchObject({ status: "OK", attributes: { attempts: 2, ...NUMBERS } });
  });
});

it("reads no getter of the client when it wraps it", () => {
  const { warnings } = listenToConsole();
  for (const [, Client] of MAJORS) wrapGoogleGenAI(wrapGoogleGenAI(new Client({ apiKey: "k" })));
  expect(warnings).toEqual([]);
});

it("records a client at its public methods if it has no others", async () => {
  const { body } = recordedExchange("gemini-generate-basic").response;
  const client = wrapGoogleGenAI({
    models: { generateContent: async (request: object) => ({ ...(body as object), request }) },
  });
  await client.models.generateContent({ model: MODEL, contents: "Hi" });
  expect(onlySpan().attributes).toMatchObject({ tokens_input: 21, tokens_output: 26, prompt_text: "Hi" });
});

it("warns once when it is given something that has no call to record", () => {
  const { warnings } = listenToConsole();
  wrapGoogleGenAI(GoogleGenAI);
  for (const apiKey of ["a", "b"]) wrapGoogleGenAI(new Anthropic({ apiKey }));
  const expected =
    "[obspan] wrapGoogleGenAI() records nothing: it expects a client such as new GoogleGenAI(), and got";
  expect(warnings).toEqual([
    `${expected} the class GoogleGenAI.`,
    `${expected} an object of the class Anthropic.`,
  ]);
});
