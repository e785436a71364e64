import OpenAI, { AzureOpenAI } from "openai";
import { describe, expect, expectTypeOf, it, vi } from "vitest";
import { observe, takeSpans, tool } from "../../../src/index.js";
import { wrapOpenAI } from "../../../src/integrations/openai/index.js";
import type { Span } from "../../../src/wire/index.js";
import { collectGarbage } from "../../collect-garbage.js";
import { recordedExchange, type Exchange } from "../../replay/exchange.js";
import { chatChunk, USAGE_CHUNK, writtenExchange } from "../../replay/written-exchange.js";
import { chatRequest, clientOf, readAll, toServer } from "./replay-client.js";
import { onlySpan, tracedClients } from "./traced-client.js";

const { ready, server } = tracedClients();

const BASIC = recordedExchange("openai-chat-basic");
const REQUEST = chatRequest(BASIC);

describe("the client", () => {
  it("stays the same object, of the same class", () => {
    const client = new OpenAI({ apiKey: "k" });
    expect(wrapOpenAI(client)).toBe(client);
    expect(client).toBeInstanceOf(OpenAI);
    expectTypeOf(wrapOpenAI(client)).toEqualTypeOf<OpenAI>();
    expectTypeOf<ReturnType<typeof wrapOpenAI<AzureOpenAI>>>().toEqualTypeOf<AzureOpenAI>();
  });

  it("records one span for each call when it is wrapped twice", async () => {
    const client = ready(BASIC);
    await wrapOpenAI(wrapOpenAI(client)).chat.completions.create(REQUEST);
    onlySpan();
  });

  it("is recorded together with its clones of withOptions(), also for Azure", async () => {
    server().expect(BASIC);
    const clone = wrapOpenAI(clientOf(BASIC, server().url)).withOptions({ timeout: 5000 });
    await clone.chat.completions.create(REQUEST);
    onlySpan();

    const azure = recordedExchange("azure-openai-chat");
    const azureClone = ready(azure).withOptions({ maxRetries: 0 });
    expect(azureClone).toBeInstanceOf(AzureOpenAI);
    await azureClone.chat.completions.create(chatRequest(azure));
    expect(onlySpan().attributes).toMatchObject({ provider: "azure" });
  });

  it("may be a subclass, or lack some of the methods", async () => {
    class ShopClient extends OpenAI {}
    const client = wrapOpenAI(
      new ShopClient({ apiKey: "k", baseURL: "https://api.openai.com/v1", fetch: toServer(server().url) }),
    );
    server().expect(BASIC);
    await client.chat.completions.create(REQUEST);
    expect(onlySpan().attributes).toMatchObject({ provider: "openai" });

    const double = { chat: { completions: { create: async () => BASIC.response.body } } };
    await wrapOpenAI(double).chat.completions.create();
    expect(onlySpan().attributes).toMatchObject({ tokens_input: 15 });
  });

  it("is returned unchanged if it cannot be changed", async () => {
    const completions = Object.freeze({ create: async () => "an answer" });
    const frozen = Object.freeze({ chat: Object.freeze({ completions }) });
    expect(wrapOpenAI(frozen)).toBe(frozen);
    expect(await frozen.chat.completions.create()).toBe("an answer");
    expect(takeSpans()).toEqual([]);
  });

  it("takes the provider and the evaluation from the wrapper's options", async () => {
    const wrap = { provider: "gateway", evaluationTypes: ["relevance"], evaluationSampleRate: 0.5 };
    await ready(BASIC, { wrap }).chat.completions.create(REQUEST);
    expect(onlySpan().attributes).toMatchObject({
      provider: "gateway",
      evaluation_types: ["relevance"],
      evaluation_sample_rate: 0.5,
    });
  });
});

describe("the promise", () => {
  it("keeps withResponse() and asResponse(), each with one span of the complete response", async () => {
    const {
      data,
      response,
      request_id: requestId,
    } = await ready(BASIC).chat.completions.create(REQUEST).withResponse();
    expect(data).toEqual(BASIC.response.body);
    expect(response.status).toBe(200);
    expect(requestId).toBe("req_replayed");
    expect(onlySpan().attributes).toMatchObject({ tokens_output: 20, request_id: "req_replayed" });

    const raw = await ready(BASIC).chat.completions.create(REQUEST).asResponse();
    expect(raw).toBeInstanceOf(Response);
    expect(raw.headers.get("x-request-id")).toBe("req_replayed");
    expect(takeSpans()).toEqual([]);
    expect(await raw.json()).toEqual(BASIC.response.body);
    expect(onlySpan().attributes).toMatchObject({ tokens_output: 20 });
  });

  it("lets the app read the raw body of a stream, and accumulates it meanwhile", async () => {
    const exchange = recordedExchange("openai-chat-stream-toolloop-2");
    for (const split of ["events", "odd", "bytes"] as const) {
      const request = chatRequest(exchange);
      const raw = await ready(exchange, { split }).chat.completions.create(request).asResponse();
      const reader = raw.body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader?.read()) {
        text += piece.value;
      }
      expect(text).toBe(exchange.response.sse);
      expect(onlySpan().attributes, split).toMatchObject({ tokens_input: 120, tokens_output: 19 });
    }
  });

  it("removes the token counts that it asked for from the raw body too, and keeps all other bytes", async () => {
    const request = { ...REQUEST, stream: true as const };
    const chunks = [chatChunk({ content: "Hé" }), chatChunk({}, "stop")];
    const plain = writtenExchange({ request: { ...request }, chunks });
    const exchange = writtenExchange({ request: { ...request }, chunks: [...chunks, USAGE_CHUNK] });
    for (const split of ["whole", "events", "odd", "bytes"] as const) {
      const raw = await ready(exchange, { split }).chat.completions.create(request).asResponse();
      expect(await raw.text()).toBe(plain.response.sse);
      expect(onlySpan().attributes, split).toMatchObject({ tokens_output: 5, completion_text: "Hé" });
    }
  });

  it("lets the app clone the raw response", async () => {
    const raw = await ready(BASIC).chat.completions.create(REQUEST).asResponse();
    const clone = raw.clone();
    expect(await Promise.all([raw.json(), clone.json()])).toEqual([BASIC.response.body, BASIC.response.body]);
    expect(onlySpan().attributes).toMatchObject({ tokens_output: 20 });
  });

  it("ends the span as aborted when the raw body is cancelled", async () => {
    const exchange = recordedExchange("openai-chat-stream-toolloop-2");
    const request = chatRequest(exchange);
    const raw = await ready(exchange, {
      beforePiece: (position) => (position < 3 ? undefined : new Promise(() => undefined)),
    })
      .chat.completions.create(request)
      .asResponse();
    await raw.body?.cancel();
    expect(onlySpan().attributes).toMatchObject({ aborted: true });
    await server().requests.at(-1)?.abandoned;
  });

  /** Spans that began since then. Garbage collection may also end a span of an earlier test. */
  const spansSince = (startedAt: Date): Span[] =>
    takeSpans().filter(({ start_time: start = "" }) => new Date(start) >= startedAt);

  it("ends its span with the HTTP response if it is never read", async () => {
    const startMs = performance.now();
    const startedAt = new Date();
    const before = server().requests.length;
    let respond = (): void => undefined;
    const beforeHeaders = (): Promise<void> => new Promise((resolve) => (respond = resolve));
    void ready(BASIC, { beforeHeaders }).chat.completions.create(REQUEST);
    await expect.poll(() => server().requests).toHaveLength(before + 1);
    expect(spansSince(startedAt)).toEqual([]);
    respond();
    await vi.waitFor(
      () => {
        collectGarbage();
        const [span, ...others] = spansSince(startedAt);
        expect(others).toEqual([]);
        const { attributes, status, duration_ms: durationMs } = span ?? {};
        expect({ status, ...attributes }).toMatchObject({
          status: "OK",
          status_code: 200,
          request_id: "req_replayed",
        });
        expect(durationMs).toBeLessThanOrEqual(performance.now() - startMs);
      },
      { timeout: 30_000 },
    );
  });

  it("ends its span if the body of the raw response is never read", async () => {
    const ask = async (): Promise<void> => {
      const raw = await ready(BASIC).chat.completions.create(REQUEST).asResponse();
      expect(raw.status).toBe(200);
    };
    const startedAt = new Date();
    await ask();
    expect(spansSince(startedAt)).toEqual([]);
    await vi.waitFor(
      () => {
        collectGarbage();
        expect(spansSince(startedAt)).toMatchObject([{ attributes: { aborted: true } }]);
      },
      { timeout: 30_000 },
    );
  });

  it("makes the model call the parent of spans in the app's own fetch, and of no others", async () => {
    const client = ready(BASIC, {
      client: {
        fetch: async (input, init) => {
          await observe({ name: "own fetch" }, async () => undefined);
          return await toServer(server().url)(input, init);
        },
      },
    });
    await client.chat.completions.create(REQUEST);
    await observe({ name: "after" }, async () => undefined);
    const spans = takeSpans();
    const byName = (name: string) => spans.find((span) => span.name === name);
    expect(byName("own fetch")?.parent_span_id).toBe(byName("chat gpt-3.5-turbo")?.span_id);
    expect(byName("after")?.parent_span_id ?? null).toBeNull();
  });
});

describe("the client's helpers", () => {
  it("parse() records one span", async () => {
    const exchange = recordedExchange("openai-chat-json-schema");
    const completion = await ready(exchange).chat.completions.parse(chatRequest(exchange));
    expect(completion.choices[0]?.message.content).toContain("{");
    expect(onlySpan().attributes).toMatchObject({ response_format: "json_schema", tokens_input: 83 });
  });

  it("chat.completions.stream() records one span, and returns the same response", async () => {
    const request = { model: "gpt-5-mini", messages: [{ role: "user" as const, content: "Hi" }] };
    const chunks = [
      chatChunk({ role: "assistant", content: "" }),
      chatChunk({ content: "Hello" }),
      chatChunk({}, "stop"),
      USAGE_CHUNK,
    ];
    const exchange = writtenExchange({ request: { ...request, stream: true }, chunks });
    const runner = ready(exchange).chat.completions.stream(request);
    expect(await runner.finalContent()).toBe("Hello");
    expect(onlySpan().attributes).toMatchObject({ stream: true, tokens_output: 5, completion_text: "Hello" });
  });

  /** Lets the model call get_order and then respond, through runTools(). */
  async function runGetOrder(run: () => Promise<string>): Promise<Span[]> {
    const turn = (message: object, finishReason: string): Exchange => {
      const choice = { index: 0, message: { role: "assistant", ...message }, finish_reason: finishReason };
      const body = { id: "chatcmpl-1", object: "chat.completion", model: "gpt-5-mini", choices: [choice] };
      const exchange = writtenExchange({ request: {}, body });
      return { ...exchange, request: { ...exchange.request, body: null } };
    };
    const called = { name: "get_order", arguments: '{"order_id":"48190"}' };
    const calls = [{ id: "call_1", type: "function", function: called }];
    const client = ready(turn({ content: null, tool_calls: calls }, "tool_calls"));
    server().expect(turn({ content: "It is on its way." }, "stop"));
    const runner = client.chat.completions.runTools({
      model: "gpt-5-mini",
      messages: [{ role: "user", content: "Where is it?" }],
      tools: [
        {
          type: "function",
          function: {
            name: "get_order",
            description: "Looks an order up",
            parameters: { type: "object", properties: {} },
            function: run,
            parse: JSON.parse as (text: string) => object,
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe("It is on its way.");
    return takeSpans();
  }

  it("runTools() records a span for every turn and every tool call", async () => {
    const [first, toolCall, second] = await runGetOrder(async () => "shipped");
    // The prompt of the first turn is a copy, although the client appends to the same list.
    expect(first?.attributes).toMatchObject({
      finish_reason: "tool_calls",
      prompt_messages: [{ role: "user" }],
    });
    expect(toolCall).toMatchObject({
      name: "get_order",
      span_type: "tool",
      attributes: { tool_name: "get_order", input_text: '{"order_id":"48190"}', output_text: "shipped" },
    });
    expect(second?.attributes).toMatchObject({ finish_reason: "stop" });
    expect(second?.attributes?.["prompt_messages"]).toHaveLength(3);
  });

  it("runTools() records one span for a function that the app has wrapped itself", async () => {
    const spans = await runGetOrder(tool("own_name", async () => "shipped"));
    expect(spans.map(({ name }) => name)).toEqual(["chat gpt-5-mini", "own_name", "chat gpt-5-mini"]);
  });

  it("responses.parse() and responses.stream() record one span each", async () => {
    const basic = recordedExchange("openai-responses-basic");
    const parsed = await ready(basic).responses.parse(basic.request.body as never);
    expect(parsed.output_text).toContain("OpenTelemetry");
    expect(onlySpan().attributes).toMatchObject({ tokens_input: 14 });

    const streamed = recordedExchange("openai-responses-stream-toolloop-2");
    const runner = ready(streamed).responses.stream(streamed.request.body as never);
    const final = await runner.finalResponse();
    expect(final.output_text).toBe("The capital of France is Paris.");
    expect(onlySpan().attributes).toMatchObject({ stream: true, tokens_input: 278 });
  });

  it("responses.retrieve() records a span for a stream, and none for a stored response", async () => {
    const streamed = recordedExchange("openai-responses-stream-toolloop-2");
    const goesOn = {
      ...streamed,
      request: { method: "GET", path: "/v1/responses/resp_1?stream=true", body: null },
    };
    const stream = await ready(goesOn).responses.retrieve("resp_1", { stream: true });
    await readAll(stream);
    expect(onlySpan().attributes).toMatchObject({ stream: true, tokens_input: 278 });

    const basic = recordedExchange("openai-responses-basic");
    const look = { ...basic, request: { method: "GET", path: "/v1/responses/resp_1", body: null } };
    await ready(look).responses.retrieve("resp_1");
    expect(takeSpans()).toEqual([]);
  });

  it("a background response that is polled until it is complete counts its tokens once", async () => {
    const done = recordedExchange("openai-responses-basic");
    const answer = done.response.body as Record<string, unknown>;
    const onItsWay = { ...answer, status: "queued", output: [], usage: null };
    const request = { model: "gpt-4o-mini", input: "Hi", background: true };
    const client = ready(writtenExchange({ api: "responses", request, body: onItsWay }));
    const { id } = await client.responses.create(request);
    expect(onlySpan().attributes).not.toHaveProperty("tokens_output");

    const look = (body: unknown): Exchange => ({
      ...writtenExchange({ request: {}, body }),
      request: { method: "GET", path: `/v1/responses/${id}`, body: null },
    });
    server().expect(look({ ...onItsWay, status: "in_progress" }));
    await client.responses.retrieve(id);
    expect(takeSpans()).toEqual([]);
    server().always(look(answer));
    expect((await client.responses.retrieve(id)).output_text).toContain("OpenTelemetry");
    expect(onlySpan().attributes).toMatchObject({ response_id: id, tokens_input: 14, tokens_output: 26 });
    await client.responses.retrieve(id);
    expect(takeSpans()).toEqual([]);
  });

  it("embeddings are returned as numbers, and their span has none of them", async () => {
    const exchange = recordedExchange("openai-embeddings-base64");
    const { model, input } = exchange.request.body as never as OpenAI.EmbeddingCreateParams;
    const { data } = await ready(exchange).embeddings.create({ model, input });
    expect(data[0]?.embedding.length).toBeGreaterThan(100);
    const span = onlySpan();
    expect(span).toMatchObject({
      span_type: "embedding",
      attributes: { tokens_input: 8, embedding_count: 1 },
    });
    expect(JSON.stringify(span).length).toBeLessThan(1500);
  });
});
