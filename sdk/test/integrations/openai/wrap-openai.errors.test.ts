import OpenAI from "openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { takeSpans } from "../../../src/index.js";
import { wrapOpenAI } from "../../../src/integrations/openai/index.js";
import { recordedExchange } from "../../replay/exchange.js";
import { chatChunk, writtenExchange } from "../../replay/written-exchange.js";
import { chatRequest, chatStreamRequest, clientOf, readAll } from "./replay-client.js";
import { onlySpan, tracedClients } from "./traced-client.js";

const { ready, server } = tracedClients();

const BASIC = recordedExchange("openai-chat-basic");
const REQUEST = chatRequest(BASIC);
const NEVER = (): Promise<void> => new Promise(() => undefined);
const AT_ONCE = { headers: { "retry-after-ms": "1" } };

const failing = (status: number, error: object = { message: "No.", code: null, type: "server_error" }) =>
  writtenExchange({ request: REQUEST as never, status, body: { error } });

describe("retries of the client", () => {
  it("are one span with the number of attempts if the last one succeeds", async () => {
    server().expect(failing(500), AT_ONCE);
    server().expect(failing(503), AT_ONCE);
    const client = ready(BASIC, { client: { maxRetries: 2 } });
    await client.chat.completions.create(REQUEST);
    expect(onlySpan()).toMatchObject({ status: "OK", attributes: { attempts: 3, tokens_output: 20 } });
  });

  it("are one failed span if none of them succeeds", async () => {
    for (const attempt of [1, 2, 3])
      server().expect(recordedExchange(`error-openrouter-429-attempt-${attempt}`), AT_ONCE);
    const exchange = recordedExchange("error-openrouter-429-attempt-1");
    const client = wrapOpenAI(clientOf(exchange, server().url, { maxRetries: 2 }));
    const call = client.chat.completions.create(chatRequest(exchange));
    await expect(call).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    expect(onlySpan()).toMatchObject({
      status: "ERROR",
      attributes: { attempts: 3, error_type: "RateLimitError", status_code: 429 },
    });
  });

  it("have no attribute if the first attempt succeeds", async () => {
    await ready(BASIC).chat.completions.create(REQUEST);
    expect(onlySpan().attributes).not.toHaveProperty("attempts");
  });
});

describe("the error type", () => {
  it.each([
    [400, "BadRequestError"],
    [401, "AuthenticationError"],
    [403, "PermissionDeniedError"],
    [404, "NotFoundError"],
    [409, "ConflictError server_error 409"],
    [413, "APIError server_error 413"],
    [422, "UnprocessableEntityError 422"],
    [429, "RateLimitError"],
    [500, "InternalServerError"],
    [503, "InternalServerError"],
  ])("of HTTP %i is its class", async (status, type) => {
    await expect(ready(failing(status)).chat.completions.create(REQUEST)).rejects.toThrow();
    expect(onlySpan()).toMatchObject({
      status: "ERROR",
      attributes: { error_type: type, status_code: status, request_id: "req_replayed" },
    });
  });

  it("of an error inside a stream has the provider's type and code", async () => {
    const exchange = recordedExchange("error-groq-midstream-tool-use-failed");
    const stream = await ready(exchange).chat.completions.create(chatStreamRequest(exchange));
    await expect(readAll(stream)).rejects.toThrow("Tool call validation failed");
    expect(onlySpan().attributes["error_type"]).toBe("APIError invalid_request_error tool_use_failed");
  });

  it("of a response that failed with HTTP 200 is its code, with and without a stream", async () => {
    const failed = {
      id: "resp_1",
      object: "response",
      model: "gpt-5-mini",
      status: "failed",
      error: { code: "server_error", message: "The model failed." },
      output: [],
      usage: null,
    };
    const request = { model: "gpt-5-mini", input: "Hi" };
    const attributes = {
      error_type: "server_error",
      error_message: "The model failed.",
      finish_reason: "failed",
    };
    await ready(writtenExchange({ api: "responses", request, body: failed })).responses.create(request);
    expect(onlySpan()).toMatchObject({ status: "ERROR", attributes });

    const streamed = { ...request, stream: true as const };
    const chunks = [{ type: "response.failed", sequence_number: 0, response: failed }];
    const client = ready(writtenExchange({ api: "responses", request: streamed, chunks }));
    await readAll(await client.responses.create(streamed));
    expect(onlySpan()).toMatchObject({ status: "ERROR", attributes });
  });

  it.each([
    [{ error: { code: 502, message: "Upstream died." } }, "502", "Upstream died."],
    [{ error: "no such model" }, "error", "no such model"],
    [
      {
        ...(BASIC.response.body as object),
        choices: [
          {
            index: 0,
            message: { role: "assistant", content: "Ha" },
            finish_reason: "error",
            error: { type: "server_error", code: 500 },
          },
        ],
      },
      "server_error 500",
      "The response has an error.",
    ],
  ])("of an error in a response with HTTP 200 is that of the gateway", async (body, type, message) => {
    const client = ready(writtenExchange({ request: REQUEST as never, body }));
    await client.chat.completions.create(REQUEST);
    expect(onlySpan()).toMatchObject({
      status: "ERROR",
      attributes: { error_type: type, error_message: message },
    });
  });

  it("of an error in a choice of a stream is that of the gateway, with the part that arrived before", async () => {
    const request = { ...REQUEST, stream: true as const };
    const failed = { ...(chatChunk({}) as object), choices: [{ index: 0, delta: {}, error: { code: 429 } }] };
    const client = ready(writtenExchange({ request, chunks: [chatChunk({ content: "Ha" }), failed] }));
    await readAll(await client.chat.completions.create(request));
    expect(onlySpan()).toMatchObject({
      status: "ERROR",
      attributes: { error_type: "429", completion_text: "Ha" },
    });
  });

  it("names a refused connection, a timeout and invalid JSON", async () => {
    const away = wrapOpenAI(new OpenAI({ apiKey: "k", maxRetries: 0, baseURL: "http://127.0.0.1:1/v1" }));
    await expect(away.chat.completions.create(REQUEST)).rejects.toThrow();
    expect(onlySpan().attributes["error_type"]).toBe("APIConnectionError");

    const slow = ready(BASIC, { beforePiece: NEVER, client: { timeout: 30 } });
    await expect(slow.chat.completions.create(REQUEST)).rejects.toThrow(/timed out/);
    expect(onlySpan().attributes["error_type"]).toBe("APIConnectionTimeoutError");

    const broken = { ...BASIC, response: { ...BASIC.response, body: null, sse: '{"choices": [' } };
    await expect(ready(broken, { split: "whole" }).chat.completions.create(REQUEST)).rejects.toThrow();
    expect(onlySpan()).toMatchObject({ status: "ERROR" });
  });
});

describe("the app gets", () => {
  it("the same error object that the span records", async () => {
    const thrown: unknown[] = [];
    const client = ready(failing(401), {
      client: {
        fetch: async () => {
          const error = new Error("no network");
          thrown.push(error);
          throw error;
        },
      },
    });
    const error: unknown = await client.chat.completions.create(REQUEST).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(OpenAI.APIConnectionError);
    expect((error as Error).cause).toBe(thrown[0]);
    onlySpan();
  });

  it("an unhandled rejection if it does not use the promise, as without the wrapper", async () => {
    const unhandled: unknown[] = [];
    const listeners = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection");
    process.on("unhandledRejection", (error) => void unhandled.push(error));
    onTestFinished(() => {
      process.removeAllListeners("unhandledRejection");
      for (const listener of listeners) process.on("unhandledRejection", listener);
    });
    void ready(failing(401)).chat.completions.create(REQUEST);
    await expect.poll(() => unhandled).toEqual([expect.any(OpenAI.AuthenticationError)]);
  });

  it("its own abort, and the span is marked as aborted", async () => {
    const controller = new AbortController();
    const client = ready(BASIC, { beforePiece: () => (controller.abort(), NEVER()) });
    const call = client.chat.completions.create(REQUEST, { signal: controller.signal });
    await expect(call).rejects.toThrow(/abort/i);
    expect(onlySpan().attributes).toMatchObject({ aborted: true });
  });

  it("the client's error for invalid arguments", async () => {
    const client = ready(failing(400));
    await expect(client.chat.completions.create(undefined as never)).rejects.toThrow(TypeError);
    const hostile = new Proxy(REQUEST, {
      get(target, key) {
        if (key === "messages" || key === "tools") throw new Error("hands off");
        return Reflect.get(target, key) as unknown;
      },
    });
    takeSpans();
    await expect(client.chat.completions.create(hostile)).rejects.toThrow("hands off");
    expect(onlySpan()).toMatchObject({ status: "ERROR", attributes: { error_message: "hands off" } });
  });

  it("every chunk, even if none is valid", async () => {
    const request = { ...REQUEST, stream: true as const };
    const chunks = [
      7,
      "text",
      [],
      { choices: 5 },
      { choices: [{ delta: 3 }] },
      chatChunk({ content: {} }),
      { usage: "x" },
    ];
    const client = ready(writtenExchange({ request: request, chunks }));
    const seen: unknown[] = [];
    for await (const chunk of await client.chat.completions.create(request)) seen.push(chunk);
    expect(seen).toHaveLength(chunks.length);
    expect(onlySpan()).toMatchObject({ status: "OK" });
  });
});
