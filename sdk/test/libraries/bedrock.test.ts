import {
  BedrockRuntime,
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
  type BedrockRuntimeClientConfig,
} from "@aws-sdk/client-bedrock-runtime";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { configure, llm, takeSpans } from "../../src/index.js";
import { wrapBedrock } from "../../src/integrations/bedrock/index.js";
import { recordedExchange, recordedExchanges, type Exchange } from "../replay/exchange.js";
import { startReplayServer, type ReplayServer } from "../replay/replay-server.js";
import { checkSpan, partsOf, readAll, withoutTimes } from "./check-span.js";

/** Amazon's client speaks HTTP/2. */
let server: ReplayServer;
beforeAll(async () => {
  configure({ service: "bedrock-test" });
  server = await startReplayServer("http2");
});
afterAll(() => server.close());
afterEach(() => {
  server.reset();
  takeSpans();
});

function clientOf(options: BedrockRuntimeClientConfig = {}): BedrockRuntimeClient {
  return new BedrockRuntimeClient({
    region: "us-east-1",
    endpoint: server.url,
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    maxAttempts: 1,
    ...options,
  });
}

function modelOf({ request }: Exchange): string {
  return decodeURIComponent(request.path.split("/")[2] ?? "");
}

/** Calls a function when the headers of a response have arrived, and the client waits for the body. */
function onHeaders(client: BedrockRuntimeClient, fn: () => void): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      // The client starts to read when this middleware has returned.
      setImmediate(fn);
      return result;
    },
    // Next to the connection.
    { step: "deserialize", priority: "low" },
  );
}

/** Makes the recorded call, reads the complete response, and returns it. */
async function call(client: BedrockRuntimeClient, exchange: Exchange): Promise<unknown> {
  const { request } = exchange;
  const modelId = modelOf(exchange);
  const converse = { modelId, ...request.body } as never;
  const invoke = { modelId, body: JSON.stringify(request.body), contentType: "application/json" };
  switch (request.path.split("/").at(-1) ?? "") {
    case "converse":
      return await client.send(new ConverseCommand(converse));
    case "converse-stream":
      return await readAll((await client.send(new ConverseStreamCommand(converse))).stream);
    case "invoke":
      return (await client.send(new InvokeModelCommand(invoke))).body.transformToString();
    default:
      return await readAll((await client.send(new InvokeModelWithResponseStreamCommand(invoke))).body);
  }
}

const EXCHANGES = recordedExchanges().filter(({ provider }) => provider === "aws.bedrock");

describe.each(EXCHANGES)("$id", (exchange) => {
  it("has one span with the provider's own numbers", async () => {
    server.expect(exchange);
    const answer = call(wrapBedrock(clientOf()), exchange);
    if (exchange.expect.error) await expect(answer).rejects.toThrow();
    else await answer;
    const spans = takeSpans();
    expect(spans).toHaveLength(1);
    checkSpan(spans[0], exchange, "bedrock");
  });

  it("gives the app the same as without the wrapper", async () => {
    server.always(exchange);
    const [wrapped, plain] = await Promise.allSettled([
      call(wrapBedrock(clientOf()), exchange),
      call(clientOf(), exchange),
    ]);
    const comparable = JSON.stringify(wrapped, (key, value: unknown) => (key === "$metadata" ? 0 : value));
    expect(comparable).toBe(
      JSON.stringify(plain, (key, value: unknown) => (key === "$metadata" ? 0 : value)),
    );
  });
});

it.each(EXCHANGES.filter(({ expect: { stream } }) => stream))(
  "$id has the same span however the stream is cut into pieces",
  async (exchange) => {
    const spans: unknown[] = [];
    for (const split of ["whole", "events", "odd", "bytes"] as const) {
      server.expect(exchange, { split, headers: { "x-amzn-requestid": "request-1" } });
      await call(wrapBedrock(clientOf()), exchange);
      spans.push(withoutTimes(takeSpans()[0]));
    }
    for (const span of spans) expect(span).toEqual(spans[0]);
  },
);

it("records messages, tools and parameters of Converse, plain and streamed", async () => {
  for (const [id, text] of [
    ["bedrock-converse-tool", "Certainly! I'd be happy to"],
    ["bedrock-converse-stream-tool", "I can certainly help you with the weather in San Francisco"],
  ] as const) {
    const exchange = recordedExchange(id);
    server.expect(exchange, { headers: { "x-amzn-requestid": "request-1" } });
    await call(wrapBedrock(clientOf()), exchange);
    const [span] = takeSpans();
    expect(span?.name).toBe("chat anthropic.claude-3-5-sonnet-20240620-v1:0");
    expect(span?.attributes).toMatchObject({
      request_id: "request-1",
      completion_text: expect.stringContaining(text) as string,
      prompt_messages: [
        {
          role: "user",
          parts: [{ type: "text", content: expect.stringContaining("San Francisco") as string }],
        },
      ],
      tool_definitions: [
        { type: "function", name: "get_weather", parameters: { type: "object", required: ["location"] } },
      ],
    });
    expect(partsOf(span, "tool_call")).toMatchObject([
      { name: "get_weather", arguments: { location: "San Francisco, CA" } },
    ]);
  }
});

it("keeps a text, an image and the result of a tool of a request, and the tokens of the cache", async () => {
  const client = wrapBedrock(clientOf());
  const modelId = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.amazon.nova-pro-v1:0";
  server.expect({
    ...recordedExchange("bedrock-converse-tool"),
    request: { method: "POST", path: `/model/${encodeURIComponent(modelId)}/converse`, body: null },
    response: {
      status: 200,
      headers: { "content-type": "application/json" },
      sse: null,
      body: {
        output: {
          message: {
            role: "assistant",
            content: [
              { reasoningContent: { reasoningText: { text: "Hm.", signature: "s" } } },
              { text: "A cat." },
            ],
          },
        },
        stopReason: "end_turn",
        usage: {
          inputTokens: 5,
          outputTokens: 7,
          totalTokens: 1112,
          cacheReadInputTokens: 1000,
          cacheWriteInputTokens: 100,
        },
      },
    },
  });
  await client.send(
    new ConverseCommand({
      modelId,
      system: [{ text: "Be brief." }, { cachePoint: { type: "default" } }],
      inferenceConfig: { maxTokens: 10, topP: 0.5, stopSequences: ["END"] },
      messages: [
        { role: "user", content: [{ image: { format: "png", source: { bytes: Uint8Array.of(1, 2, 3) } } }] },
        { role: "assistant", content: [{ toolUse: { toolUseId: "t1", name: "look", input: { x: 1 } } }] },
        { role: "user", content: [{ toolResult: { toolUseId: "t1", content: [{ json: { ok: true } }] } }] },
      ],
      toolConfig: {
        tools: [{ toolSpec: { name: "look", inputSchema: { json: {} } } }],
        toolChoice: { tool: { name: "look" } },
      },
    }),
  );
  const [span] = takeSpans();
  expect(span?.attributes).toMatchObject({
    model: "us.amazon.nova-pro-v1:0",
    max_tokens: 10,
    top_p: 0.5,
    stop: ["END"],
    tool_choice: "look",
    tokens_input: 1105,
    tokens_output: 7,
    tokens_cached: 1000,
    tokens_cache_write: 100,
    finish_reason: "end_turn",
    prompt_messages: [
      { role: "system", parts: [{ type: "text", content: "Be brief." }] },
      { role: "user", parts: [{ type: "blob", modality: "image", mime_type: "image/png", content: "AQID" }] },
      { role: "assistant", parts: [{ type: "tool_call", id: "t1", name: "look", arguments: { x: 1 } }] },
      { role: "user", parts: [{ type: "tool_call_response", id: "t1", response: { ok: true } }] },
    ],
  });
  expect(partsOf(span, "reasoning")).toEqual([{ type: "reasoning", content: "Hm." }]);
  expect(JSON.stringify(span)).not.toContain("123456789012");
});

describe("InvokeModel", () => {
  const recorded = recordedExchange("bedrock-invoke-titan");
  const json = { "content-type": "application/json" };

  /** The attributes of the span of a call with these bodies. */
  async function invoke(modelId: string, request: object, body: object, headers = {}) {
    const path = `/model/${encodeURIComponent(modelId)}/invoke`;
    server.expect({
      ...recorded,
      request: { method: "POST", path, body: null },
      response: { status: 200, headers: { ...json, ...headers }, sse: null, body },
    });
    // A body of bytes, as apps send it too.
    const sent = new TextEncoder().encode(JSON.stringify(request));
    await wrapBedrock(clientOf()).send(new InvokeModelCommand({ modelId, body: sent }));
    const [span] = takeSpans();
    return { span_type: span?.span_type, ...span?.attributes };
  }

  it("records the bodies of each vendor", async () => {
    const messages = [{ role: "user", content: "Hi" }];
    expect(
      await invoke(
        "meta.llama3-8b-instruct-v1:0",
        { prompt: "Hi", max_gen_len: 5, temperature: 0 },
        { generation: "Hello", prompt_token_count: 3, generation_token_count: 2, stop_reason: "stop" },
      ),
    ).toMatchObject({
      prompt_text: "Hi",
      max_tokens: 5,
      completion_text: "Hello",
      tokens_input: 3,
      tokens_output: 2,
      finish_reason: "stop",
    });
    expect(
      await invoke(
        "us.amazon.nova-lite-v1:0",
        { messages: [{ role: "user", content: [{ text: "Hi" }] }], inferenceConfig: { max_new_tokens: 5 } },
        {
          output: { message: { role: "assistant", content: [{ text: "Hello" }] } },
          stopReason: "end_turn",
          usage: { inputTokens: 3, outputTokens: 2, cacheReadInputTokenCount: 4 },
        },
      ),
    ).toMatchObject({ prompt_text: "Hi", max_tokens: 5, completion_text: "Hello", tokens_input: 7 });
    expect(
      await invoke(
        "openai.gpt-oss-20b-1:0",
        { messages },
        {
          choices: [{ message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
          usage: { prompt_tokens: 3, completion_tokens: 2 },
        },
      ),
    ).toMatchObject({ prompt_text: "Hi", completion_text: "Hello", tokens_input: 3, tokens_output: 2 });
    expect(
      await invoke(
        "mistral.mistral-7b-instruct-v0:2",
        { prompt: "Hi" },
        { outputs: [{ text: "Hello", stop_reason: "stop" }] },
        { "x-amzn-bedrock-input-token-count": "3", "x-amzn-bedrock-output-token-count": "2" },
      ),
    ).toMatchObject({ completion_text: "Hello", tokens_input: 3, tokens_output: 2 });
    expect(
      await invoke(
        "cohere.command-r-v1:0",
        { message: "Hi" },
        { text: "Hello", finish_reason: "COMPLETE", generation_id: "g1" },
        { "x-amzn-bedrock-input-token-count": "3" },
      ),
    ).toMatchObject({ prompt_text: "Hi", completion_text: "Hello", tokens_input: 3, response_id: "g1" });
  });

  it("records embeddings and rerankings by their type", async () => {
    expect(
      await invoke(
        "amazon.titan-embed-text-v2:0",
        { inputText: "Hi", dimensions: 2 },
        { embedding: [1, 2], inputTextTokenCount: 3 },
      ),
    ).toMatchObject({ span_type: "embedding", input_text: "Hi", tokens_input: 3, embedding_count: 1 });
    expect(
      await invoke(
        "cohere.rerank-v3-5:0",
        { query: "Hi", documents: ["a", "b"], top_n: 1 },
        { results: [{ index: 1, relevance_score: 0.5 }] },
      ),
    ).toMatchObject({ span_type: "retrieval", input_text: "Hi", document_count: 2, result_count: 1 });
  });

  it("records a body that is not JSON without its content", async () => {
    server.expect({ ...recorded, request: { ...recorded.request, body: null } });
    const input = { modelId: modelOf(recorded), body: "[]" };
    await wrapBedrock(clientOf()).send(new InvokeModelCommand(input));
    expect(takeSpans()).toMatchObject([{ attributes: { model: modelOf(recorded), tokens_output: 29 } }]);
  });
});

describe("a failed call", () => {
  it("keeps the error of the client, and counts the attempts", async () => {
    const exchange = recordedExchange("error-bedrock-400-model");
    const throttled: Exchange = {
      ...exchange,
      response: {
        ...exchange.response,
        status: 429,
        headers: { "content-type": "application/json", "x-amzn-errortype": "ThrottlingException" },
        body: { message: "Too many requests" },
      },
    };
    server.always(throttled);
    const client = wrapBedrock(clientOf({ maxAttempts: 2 }));
    await expect(call(client, exchange)).rejects.toMatchObject({ name: "ThrottlingException" });
    const spans = takeSpans();
    expect(spans).toHaveLength(1);
    expect(spans[0]?.attributes).toMatchObject({
      error_type: "ThrottlingException",
      status_code: 429,
      attempts: 2,
    });
  });

  it("ends the span when the app aborts before the response", async () => {
    const exchange = recordedExchange("bedrock-converse-tool");
    const abort = new AbortController();
    server.expect(exchange, {
      beforeHeaders() {
        abort.abort();
        return new Promise(() => undefined);
      },
    });
    const input = { modelId: modelOf(exchange), ...exchange.request.body };
    const answer = wrapBedrock(clientOf()).send(new ConverseCommand(input as never), {
      abortSignal: abort.signal,
    });
    await expect(answer).rejects.toMatchObject({ name: "AbortError" });
    expect(takeSpans()).toMatchObject([{ attributes: { aborted: true, error_type: "AbortError" } }]);
  });

  it("ends the span when the app aborts while the body arrives, which the client does not tell the app", async () => {
    for (const id of ["bedrock-converse-tool", "bedrock-invoke-titan"]) {
      const exchange = recordedExchange(id);
      server.expect(exchange, { beforePiece: () => new Promise(() => undefined) });
      const abort = new AbortController();
      const modelId = modelOf(exchange);
      const client = wrapBedrock(clientOf());
      const options = { abortSignal: abort.signal };
      onHeaders(client, () => abort.abort());
      if (id === "bedrock-converse-tool") {
        await client.send(new ConverseCommand({ modelId, messages: [], ...exchange.request.body }), options);
      } else {
        const body = JSON.stringify(exchange.request.body);
        await client.send(new InvokeModelCommand({ modelId, body }), options);
      }
      expect(takeSpans()).toMatchObject([{ attributes: { aborted: true } }]);
    }
  });

  it("keeps the part of a stream that breaks off, with the error that the app gets", async () => {
    const exchange = recordedExchange("bedrock-converse-stream-tool");
    let read: (() => void) | undefined;
    const isRead = new Promise<void>((resolve) => (read = resolve));
    const beforePiece = (position: number): Promise<void> | void => (position === 6 ? isRead : undefined);
    server.expect(exchange, { beforePiece, breakOff: { afterPieces: 6, how: "reset" } });
    const input = { modelId: modelOf(exchange), ...exchange.request.body };
    const { stream } = await wrapBedrock(clientOf()).send(new ConverseStreamCommand(input as never));
    const reading = (async () => {
      for await (const event of stream ?? [])
        if (event.contentBlockDelta?.delta?.text?.includes("certainly") === true) read?.();
    })();
    await expect(reading).rejects.toThrow();
    const spans = takeSpans();
    expect(spans).toMatchObject([
      { status: "ERROR", attributes: { stream: true, ttft_ms: expect.any(Number) as number } },
    ]);
    expect(spans[0]?.attributes?.["completion_text"]).toMatch(/^I can certainly/);
  });

  it("ends the span of a stream that the app aborts, with the part that arrived", async () => {
    const exchange = recordedExchange("bedrock-converse-stream-tool");
    const beforePiece = (position: number): Promise<void> | void =>
      position < 4 ? undefined : new Promise(() => undefined);
    server.expect(exchange, { beforePiece });
    const abort = new AbortController();
    const command = new ConverseStreamCommand({
      modelId: modelOf(exchange),
      messages: [],
      ...exchange.request.body,
    });
    const { stream } = await wrapBedrock(clientOf()).send(command, { abortSignal: abort.signal });
    for await (const event of stream ?? [])
      if (event.contentBlockDelta?.delta?.text?.includes("San Francisco") === true) abort.abort();
    expect(takeSpans()).toMatchObject([
      {
        attributes: {
          aborted: true,
          completion_text: "I can certainly help you with the weather in San Francisco,",
        },
      },
    ]);
  });

  it("ends the span of a stream when its reader stops", async () => {
    const exchange = recordedExchange("bedrock-converse-stream-tool");
    server.expect(exchange);
    const input = { modelId: modelOf(exchange), ...exchange.request.body };
    const { stream } = await wrapBedrock(clientOf()).send(new ConverseStreamCommand(input as never));
    for await (const event of stream ?? []) if (event.contentBlockDelta !== undefined) break;
    expect(takeSpans()).toMatchObject([
      { status: "OK", attributes: { aborted: true, completion_text: "I can" } },
    ]);
  });
});

it("records a call inside llm() as its child", async () => {
  const exchange = recordedExchange("bedrock-converse-tool");
  server.expect(exchange);
  await llm("own", () => call(wrapBedrock(clientOf()), exchange))();
  const [child, parent] = takeSpans();
  expect([child?.name, parent?.name]).toEqual(["chat anthropic.claude-3-5-sonnet-20240620-v1:0", "own"]);
  expect(child?.parent_span_id).toBe(parent?.span_id);
});

it("records the aggregated client, and a client that was used before", async () => {
  const exchange = recordedExchange("bedrock-converse-tool");
  server.always(exchange);
  const client = new BedrockRuntime({
    region: "us-east-1",
    endpoint: server.url,
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    cacheMiddleware: true,
  });
  const input = { modelId: modelOf(exchange), ...exchange.request.body } as never;
  await client.converse(input);
  expect(takeSpans()).toEqual([]);
  expect(wrapBedrock(wrapBedrock(client))).toBe(client);
  await client.converse(input);
  expect(takeSpans()).toHaveLength(1);
});

it("warns once about a class and once about the client of another vendor", () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  for (const wrong of [
    BedrockRuntimeClient,
    { middlewareStack: { add: () => 1 }, config: { serviceId: "S3" } },
    BedrockRuntimeClient,
  ])
    expect(wrapBedrock(wrong)).toBe(wrong);
  expect(warn.mock.calls.flat()).toEqual([
    expect.stringContaining(
      "wrapBedrock() records nothing: it expects a client such as new BedrockRuntimeClient(), and got the class BedrockRuntimeClient.",
    ),
    expect.stringContaining(
      "wrapBedrock() records nothing: it expects a client such as new BedrockRuntimeClient(), and got an object of the class Object.",
    ),
  ]);
  warn.mockRestore();
});
