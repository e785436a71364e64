/* oxlint-disable typescript/no-deprecated -- Apps still use the object functions. */
import { createOpenAI } from "@ai-sdk/openai";
import {
  embed,
  embedMany,
  generateObject,
  generateText,
  Output,
  stepCountIs,
  streamObject,
  streamText,
  tool,
  type LanguageModel,
} from "ai";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { configure, observe } from "../../src/index.js";
import { registerAISDK } from "../../src/integrations/ai-sdk/index.js";
import { loadLateCode } from "../../src/late-code.js";
import { wrapOpenAI } from "../../src/integrations/openai/index.js";
import OpenAI from "openai";
import { collectGarbage } from "../collect-garbage.js";
import { SPAN_TOKENS, startChatServer, type ChatServer } from "./completion-server.js";
import { ofType, takeAll, treeOf, type TakenSpan } from "./taken-spans.js";

let server: ChatServer;
let openai: ReturnType<typeof createOpenAI>;
let client: OpenAI;
beforeAll(async () => {
  configure({ service: "ai-sdk-test" });
  registerAISDK();
  registerAISDK();
  // It reads the codes of errors.
  await loadLateCode();
  server = await startChatServer();
  openai = createOpenAI({ apiKey: "test-key", baseURL: server.url });
  client = wrapOpenAI(new OpenAI({ apiKey: "test-key", baseURL: server.url, maxRetries: 0 }));
});
afterAll(() => server.close());
beforeEach(() => void takeAll());

const WEATHER: readonly [string, string, unknown] = ["call_1", "weather", { city: "Oslo" }];

/** Tools that observe a block, call another model, or fail. */
const tools = {
  weather: tool({
    description: "The weather of a city",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => await observe("lookup", () => Promise.resolve({ city, degrees: -3 })),
  }),
  broken: tool({
    inputSchema: z.object({}),
    execute: async (): Promise<string> => await Promise.reject(new RangeError("no such city")),
  }),
  nested: tool({
    inputSchema: z.object({}),
    execute: async () => {
      const answer = await client.chat.completions.create({
        model: "inner",
        messages: [{ role: "user", content: "?" }],
      });
      return answer.choices[0]?.message.content;
    },
  }),
};

it("records steps, model calls and tools of generateText", async () => {
  server.answerWith({ tools: [WEATHER] }, { text: "It is cold." });
  const { text } = await generateText({
    model: openai.chat("chat"),
    instructions: "Be brief.",
    prompt: "Weather in Oslo?",
    tools,
    stopWhen: stepCountIs(3),
    temperature: 0.5,
    telemetry: { functionId: "forecaster" },
  });
  expect(text).toBe("It is cold.");
  const spans = takeAll();
  expect(treeOf(spans)).toEqual([
    "agent forecaster",
    "  task step 1",
    "    llm chat chat",
    "    tool weather",
    "      span lookup",
    "  task step 2",
    "    llm chat chat",
  ]);
  const [first, second] = ofType(spans, "llm");
  expect(first?.attributes).toMatchObject({
    ...SPAN_TOKENS,
    model: "chat-1",
    provider: "openai",
    agent: "forecaster",
    temperature: 0.5,
    finish_reason: "tool-calls",
    prompt_text: "Weather in Oslo?",
    prompt_messages: [
      { role: "system", parts: [{ type: "text", content: "Be brief." }] },
      { role: "user", parts: [{ type: "text", content: "Weather in Oslo?" }] },
    ],
    completion_messages: [
      {
        role: "assistant",
        finish_reason: "tool-calls",
        parts: [{ type: "tool_call", id: "call_1", name: "weather", arguments: { city: "Oslo" } }],
      },
    ],
  });
  expect(first?.attributes["tool_definitions"]).toMatchObject([
    {
      type: "function",
      name: "weather",
      description: "The weather of a city",
      parameters: { type: "object" },
    },
    { name: "broken" },
    { name: "nested" },
  ]);
  expect(second?.attributes).toMatchObject({
    ...SPAN_TOKENS,
    completion_text: "It is cold.",
    finish_reason: "stop",
  });
  expect(second?.attributes["prompt_messages"]).toMatchObject([
    {},
    {},
    { role: "assistant", parts: [{ type: "tool_call", id: "call_1" }] },
    {
      role: "tool",
      parts: [{ type: "tool_call_response", id: "call_1", response: { city: "Oslo", degrees: -3 } }],
    },
  ]);
  const [root] = spans;
  expect(root?.attributes).toMatchObject({ input_text: "Weather in Oslo?", output_text: "It is cold." });
  expect(root?.attributes).not.toHaveProperty("tokens_input");
  expect(ofType(spans, "tool")[0]?.attributes).toMatchObject({
    tool_name: "weather",
    tool_call_id: "call_1",
    input_text: '{"city":"Oslo"}',
    output_text: '{"city":"Oslo","degrees":-3}',
  });
});

it("records the same of streamText, and the time to the first token", async () => {
  server.answerWith({ tools: [WEATHER] }, { text: "It is cold." });
  const result = streamText({
    model: openai.chat("chat"),
    prompt: "Weather?",
    tools,
    stopWhen: stepCountIs(3),
  });
  let text = "";
  for await (const delta of result.textStream) text += delta;
  expect(text).toBe("It is cold.");
  const spans = takeAll();
  expect(treeOf(spans)).toEqual([
    "task streamText",
    "  task step 1",
    "    llm chat chat",
    "    tool weather",
    "      span lookup",
    "  task step 2",
    "    llm chat chat",
  ]);
  for (const { attributes } of ofType(spans, "llm")) {
    expect(attributes).toMatchObject({ ...SPAN_TOKENS, model: "chat-1", provider: "openai", stream: true });
    expect(attributes["ttft_ms"]).toBeGreaterThan(0);
  }
  expect(ofType(spans, "llm")[1]?.attributes).toMatchObject({ completion_text: "It is cold." });
});

it("records parallel tools, one of which fails, and a wrapped client inside a tool", async () => {
  server.answerWith(
    {
      tools: [
        ["a", "broken", {}],
        ["b", "nested", {}],
        ["c", "weather", { city: "Rome" }],
      ],
    },
    { text: "inner answer" },
    { text: "Done." },
  );
  await generateText({ model: openai.chat("chat"), prompt: "Go", tools, stopWhen: stepCountIs(3) });
  const spans = takeAll();
  expect(treeOf(spans)).toEqual([
    "task generateText",
    "  task step 1",
    "    llm chat chat",
    "    tool broken ERROR",
    "    tool nested",
    "      llm chat inner",
    "    tool weather",
    "      span lookup",
    "  task step 2",
    "    llm chat chat",
  ]);
  expect(ofType(spans, "tool")[0]?.attributes).toMatchObject({
    error_type: "RangeError",
    error_message: "no such city",
  });
});

it("records one span for a call whose provider uses a wrapped client", async () => {
  server.answerWith({ text: "Hello." });
  const fetchWithClient: typeof fetch = async (_, init) => {
    const body = JSON.parse(init?.body as string) as OpenAI.ChatCompletionCreateParamsNonStreaming;
    return await client.chat.completions.create(body).asResponse();
  };
  const model = createOpenAI({ apiKey: "test-key", baseURL: server.url, fetch: fetchWithClient }).chat(
    "chat",
  );
  await generateText({ model, prompt: "Hi" });
  expect(ofType(takeAll(), "llm")).toHaveLength(1);
  server.answerWith({ text: '{"city":"Oslo"}' });
  await generateObject({ model, prompt: "Hi", schema: z.object({ city: z.string() }) });
  expect(ofType(takeAll(), "llm")).toHaveLength(1);
});

it("joins the span that the app is in, and keeps calls in parallel apart", async () => {
  server.answerWith({ text: "One" }, { text: "One" });
  await observe("request", () =>
    Promise.all(["a", "b"].map((prompt) => generateText({ model: openai.chat("chat"), prompt }))),
  );
  const spans = takeAll();
  expect(treeOf(spans)).toEqual([
    "span request",
    "  task generateText",
    "    task step 1",
    "      llm chat chat",
    "  task generateText",
    "    task step 1",
    "      llm chat chat",
  ]);
});

it("counts retries inside one model call", async () => {
  const busy = { status: 429, message: "slow down" };
  server.answerWith(busy, { text: "Hello." });
  await generateText({ model: openai.chat("chat"), prompt: "Hi" });
  const spans = takeAll();
  expect(treeOf(spans)).toEqual(["task generateText", "  task step 1", "    llm chat chat"]);
  expect(ofType(spans, "llm")[0]?.attributes).toMatchObject({ attempts: 2, ...SPAN_TOKENS });

  server.answerWith(busy, { text: "Hello." });
  await streamText({ model: openai.chat("chat"), prompt: "Hi" }).text;
  const streamed = takeAll();
  expect(treeOf(streamed)).toEqual(["task streamText", "  task step 1", "    llm chat chat"]);
  expect(ofType(streamed, "llm")[0]?.attributes).toMatchObject({ attempts: 2, ...SPAN_TOKENS });
});

it.each([
  [429, 1, "AI_APICallError 429"],
  [400, 0, "AI_APICallError 400"],
])("records a failed call with HTTP status %i as one error", async (status, maxRetries, type) => {
  const answer = { status, message: "refused by the test" };
  server.answerWith(answer, answer);
  await expect(generateText({ model: openai.chat("chat"), prompt: "Hi", maxRetries })).rejects.toThrow(
    "refused",
  );
  const spans = takeAll();
  expect(treeOf(spans)).toEqual([
    "task generateText ERROR propagated",
    "  task step 1 ERROR propagated",
    "    llm chat chat ERROR",
  ]);
  expect(ofType(spans, "llm")[0]?.attributes).toMatchObject({
    error_type: type,
    status_code: status,
    error_message: "refused by the test",
  });

  server.answerWith(answer, answer);
  const errors: unknown[] = [];
  const onError = ({ error }: { error: unknown }): void => void errors.push(error);
  const stream = streamText({ model: openai.chat("chat"), prompt: "Hi", maxRetries, onError });
  await stream.consumeStream();
  expect(errors).toHaveLength(1);
  expect(treeOf(takeAll())).toEqual([
    "task streamText ERROR propagated",
    "  task step 1 ERROR propagated",
    "    llm chat chat ERROR",
  ]);
});

it("ends the spans of a stream that the app aborts, with the text that arrived", async () => {
  let release = (): void => undefined;
  const hold = new Promise<void>((resolve) => (release = resolve));
  server.answerWith({ text: "One two three", hold });
  const controller = new AbortController();
  const result = streamText({ model: openai.chat("chat"), prompt: "Hi", abortSignal: controller.signal });
  for await (const delta of result.textStream) if (delta !== "") controller.abort();
  release();
  const spans = takeAll();
  expect(treeOf(spans)).toEqual([
    "task streamText aborted",
    "  task step 1 aborted",
    "    llm chat chat aborted",
  ]);
  expect(ofType(spans, "llm")[0]?.attributes).toMatchObject({ completion_text: "One ", stream: true });
});

it("ends the spans of a stream that the app stops reading, and of an object stream that it aborts", async () => {
  let release = (): void => undefined;
  server.answerWith({ text: "One two three", hold: new Promise<void>((resolve) => (release = resolve)) });
  await readFirst(openai.chat("chat"));
  release();
  server.answerWith({ text: '{"city": "Oslo"}', hold: new Promise<void>((resolve) => (release = resolve)) });
  await abortObject(openai.chat("chat"));
  release();
  const spans: TakenSpan[] = [];
  for (let attempt = 0; attempt < 100 && spans.length < 5; attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    collectGarbage();
    spans.push(...takeAll());
  }
  const aborted = spans.filter(({ attributes }) => attributes["aborted"] === true);
  expect(spans).toHaveLength(5);
  expect(aborted.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["streamText", "step 1", "streamObject"]),
  );
});

it("marks a call that the app aborts before the response as aborted", async () => {
  const abortSignal = AbortSignal.abort();
  await expect(generateText({ model: openai.chat("chat"), prompt: "Hi", abortSignal })).rejects.toThrow();
  const spans = takeAll();
  expect(spans.map(({ name, attributes }) => [name, attributes["aborted"]])).toEqual([
    ["generateText", true],
    ["step 1", true],
    ["chat chat", true],
  ]);
});

/** Reads the first part of a stream, and lets go of it. */
async function readFirst(model: LanguageModel): Promise<void> {
  for await (const delta of streamText({ model, prompt: "Hi" }).textStream) if (delta !== "") break;
}

async function abortObject(model: LanguageModel): Promise<void> {
  const controller = new AbortController();
  const schema = z.object({ city: z.string() });
  const stream = streamObject({
    model,
    prompt: "Hi",
    schema,
    abortSignal: controller.signal,
    onError: () => undefined,
  });
  stream.object.catch(() => undefined);
  setTimeout(() => controller.abort(), 30);
  try {
    for await (const part of stream.partialObjectStream) expect(part).toBeDefined();
  } catch {
    // The stream fails with the abort.
  }
}

it.each(["error-event", "reset"] as const)("records a stream that breaks off with %s", async (breakOff) => {
  server.answerWith({ text: "One two", breakOff });
  const result = streamText({ model: openai.chat("chat"), prompt: "Hi", onError: () => undefined });
  await result.consumeStream();
  const spans = takeAll();
  expect(treeOf(spans)).toEqual([
    "task streamText ERROR propagated",
    "  task step 1 ERROR propagated",
    "    llm chat chat ERROR",
  ]);
});

it("records embeddings without their vectors", async () => {
  server.answerWith({ status: 429, message: "slow down" }, { vectors: 1 });
  await embed({ model: openai.embeddingModel("embed"), value: "Hello" });
  const spans = takeAll();
  expect(treeOf(spans)).toEqual(["task embed", "  embedding embeddings embed"]);
  expect(spans[1]?.attributes).toMatchObject({
    model: "embed",
    provider: "openai",
    tokens_input: 7,
    prompt_text: "Hello",
    attempts: 2,
  });
  server.answerWith({ vectors: 2 });
  await embedMany({ model: openai.embeddingModel("embed"), values: ["a", "b"] });
  expect(treeOf(takeAll())).toEqual(["task embedMany", "  embedding embeddings embed"]);
  server.answerWith({ status: 400, message: "bad input" });
  await expect(embed({ model: openai.embeddingModel("embed"), value: "x" })).rejects.toThrow("bad input");
  expect(treeOf(takeAll())).toEqual(["task embed ERROR propagated", "  embedding embeddings embed ERROR"]);
});

it("records objects, plain and streamed", async () => {
  const schema = z.object({ city: z.string() });
  const model = openai.chat("chat");
  server.answerWith({ text: '{"city":"Oslo"}' });
  const { object } = await generateObject({ model, prompt: "Hi", schema });
  expect(object).toEqual({ city: "Oslo" });
  const plain = takeAll();
  expect(treeOf(plain)).toEqual(["task generateObject", "  llm chat chat"]);
  server.answerWith({ text: '{"city": "Oslo"}' });
  const stream = streamObject({ model, prompt: "Hi", schema });
  for await (const part of stream.partialObjectStream) expect(part).toBeDefined();
  const streamed = takeAll();
  expect(treeOf(streamed)).toEqual(["task streamObject", "  llm chat chat"]);
  for (const span of [plain[1], streamed[1]])
    expect(span?.attributes).toMatchObject({ ...SPAN_TOKENS, model: "chat-1", prompt_text: "Hi" });
  expect(streamed[1]?.attributes["ttft_ms"]).toBeGreaterThan(0);
  server.answerWith({ text: '{"city":"Oslo"}' });
  const { output } = await generateText({ model, prompt: "Hi", output: Output.object({ schema }) });
  expect(output).toEqual({ city: "Oslo" });
  expect(ofType(takeAll(), "llm")).toHaveLength(1);
});

it("records no texts that a call turns off, and nothing of a call without telemetry", async () => {
  server.answerWith({ text: "secret answer" }, { text: "Hello." });
  const model = openai.chat("chat");
  await generateText({ model, prompt: "secret", telemetry: { recordInputs: false, recordOutputs: false } });
  const spans = takeAll();
  expect(ofType(spans, "llm")[0]?.attributes).toMatchObject(SPAN_TOKENS);
  expect(JSON.stringify(spans)).not.toContain("secret");
  server.answerWith({ status: 400, message: "secret" });
  const call = generateText({ model, prompt: "Hi", maxRetries: 0, telemetry: { recordInputs: false } });
  await expect(call).rejects.toThrow("secret");
  const failed = takeAll();
  expect(failed.at(-1)?.attributes).toMatchObject({ error_type: "AI_APICallError 400" });
  expect(JSON.stringify(failed)).not.toContain("secret");
  server.answerWith({ text: "Hello." });
  await generateText({ model, prompt: "Hi", telemetry: { isEnabled: false } });
  expect(takeAll()).toEqual([]);
});
