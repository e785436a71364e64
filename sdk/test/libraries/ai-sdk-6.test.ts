/* oxlint-disable typescript/no-deprecated -- Apps still use the object functions. */
import { createOpenAI } from "@ai-sdk/openai-for-6";
import { embed, generateObject, generateText, Output, stepCountIs, streamText, tool } from "ai-6";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { configure, observe } from "../../src/index.js";
import { obspanTracer, registerAISDK } from "../../src/integrations/ai-sdk/index.js";
import { loadLateCode } from "../../src/late-code.js";
import { wrapOpenAI } from "../../src/integrations/openai/index.js";
import { collectGarbage } from "../collect-garbage.js";
import { SPAN_TOKENS, startChatServer, type ChatServer } from "./completion-server.js";
import { ofType, takeAll, treeOf, type TakenSpan } from "./taken-spans.js";

let server: ChatServer;
let openai: ReturnType<typeof createOpenAI>;
let client: OpenAI;
beforeAll(async () => {
  configure({ service: "ai-sdk-test" });
  registerAISDK();
  // It reads the codes of errors.
  await loadLateCode();
  server = await startChatServer();
  openai = createOpenAI({ apiKey: "test-key", baseURL: server.url });
  client = wrapOpenAI(new OpenAI({ apiKey: "test-key", baseURL: server.url, maxRetries: 0 }));
});
afterAll(() => server.close());
beforeEach(() => void takeAll());

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
      const request = { model: "inner", messages: [{ role: "user" as const, content: "?" }] };
      return (await client.chat.completions.create(request)).choices[0]?.message.content;
    },
  }),
};
const LOOP = [
  "agent forecaster",
  "  task step 1",
  "    llm chat chat",
  "    tool broken ERROR",
  "    tool weather",
  "      span lookup",
  "    tool nested",
  "      llm chat inner",
  "  task step 2",
  "    llm chat chat",
];

function answerLoop(): void {
  server.answerWith(
    {
      tools: [
        ["a", "broken", {}],
        ["b", "weather", { city: "Oslo" }],
        ["c", "nested", {}],
      ],
    },
    { text: "inner answer" },
    { text: "It is cold." },
  );
}

const request = {
  prompt: "Weather?",
  tools,
  stopWhen: stepCountIs(3),
  experimental_telemetry: { functionId: "forecaster", metadata: { sessionId: "s-1", userId: "u-1" } },
};

function expectLoop(spans: readonly TakenSpan[]): void {
  expect(treeOf(spans)).toEqual(LOOP);
  const [first, , last] = ofType(spans, "llm");
  expect(spans[0]?.attributes).toMatchObject({
    session_id: "s-1",
    user_id: "u-1",
    output_text: "It is cold.",
  });
  expect(first?.attributes).toMatchObject({
    ...SPAN_TOKENS,
    model: "chat-1",
    provider: "openai",
    prompt_text: "Weather?",
    finish_reason: "tool-calls",
  });
  expect(first?.attributes["tool_definitions"]).toMatchObject([
    { name: "weather", description: "The weather of a city" },
    { name: "broken" },
    { name: "nested" },
  ]);
  expect(last?.attributes).toMatchObject({ ...SPAN_TOKENS, completion_text: "It is cold." });
  expect(ofType(spans, "tool")[1]?.attributes).toMatchObject({
    input_text: '{"city":"Oslo"}',
    output_text: '{"city":"Oslo","degrees":-3}',
  });
}

it("records steps, model calls and tools of generateText", async () => {
  answerLoop();
  const { text } = await generateText({ ...request, model: openai.chat("chat") });
  expect(text).toBe("It is cold.");
  expectLoop(takeAll());
});

it("records the same of streamText", async () => {
  answerLoop();
  const result = streamText({ ...request, model: openai.chat("chat") });
  let text = "";
  for await (const delta of result.textStream) text += delta;
  expect(text).toBe("It is cold.");
  expectLoop(takeAll());
});

it("records a call with the tracer once, with the time to the first token", async () => {
  answerLoop();
  const experimental_telemetry = {
    ...request.experimental_telemetry,
    isEnabled: true,
    tracer: obspanTracer(),
  };
  await generateText({ ...request, experimental_telemetry, model: openai.chat("chat") });
  const withoutSteps = LOOP.filter((line) => !line.includes("task")).map((line) =>
    line.startsWith("    ") ? line.slice(2) : line,
  );
  expect(treeOf(takeAll())).toEqual(withoutSteps);
  answerLoop();
  await streamText({ ...request, experimental_telemetry, model: openai.chat("chat") }).consumeStream();
  const spans = takeAll();
  expect(treeOf(spans)).toEqual(withoutSteps);
  expect(ofType(spans, "llm")[0]?.attributes).toMatchObject({ ...SPAN_TOKENS, stream: true });
  expect(ofType(spans, "llm")[0]?.attributes["ttft_ms"]).toBeGreaterThan(0);
});

it("records errors, embeddings and objects with the tracer", async () => {
  const experimental_telemetry = { isEnabled: true, tracer: obspanTracer() };
  const busy = { status: 429, message: "slow down" };
  server.answerWith(busy, busy);
  const model = openai.chat("chat");
  const failing = generateText({ model, prompt: "Hi", maxRetries: 1, experimental_telemetry });
  await expect(failing).rejects.toThrow("slow down");
  const failed = takeAll();
  expect(treeOf(failed)).toEqual(["task generateText ERROR propagated", "  llm chat chat ERROR"]);
  expect(failed[1]?.attributes).toMatchObject({
    error_type: "AI_APICallError 429",
    status_code: 429,
    attempts: 2,
  });
  server.answerWith({ vectors: 1 });
  await embed({ model: openai.embeddingModel("embed"), value: "Hello", experimental_telemetry });
  const [, embedding] = takeAll();
  expect(embedding).toMatchObject({
    span_type: "embedding",
    attributes: { tokens_input: 7, prompt_text: "Hello" },
  });
  server.answerWith({ text: '{"city":"Oslo"}' });
  await generateObject({
    model,
    prompt: "Hi",
    schema: z.object({ city: z.string() }),
    experimental_telemetry,
  });
  expect(treeOf(takeAll())).toEqual(["task generateObject", "  llm chat chat"]);
});

it("records one span for a call whose provider uses a wrapped client", async () => {
  server.answerWith({ text: "Hello." });
  const fetchWithClient: typeof fetch = async (_, init) => {
    const body = JSON.parse(init?.body as string) as OpenAI.ChatCompletionCreateParamsNonStreaming;
    return await client.chat.completions.create(body).asResponse();
  };
  const provider = createOpenAI({ apiKey: "test-key", baseURL: server.url, fetch: fetchWithClient });
  await generateText({ model: provider.chat("chat"), prompt: "Hi" });
  expect(ofType(takeAll(), "llm")).toHaveLength(1);
});

it.each([
  ["", {}],
  [
    ", also after callbacks of the app",
    { onStepFinish: () => Promise.resolve(), onFinish: () => Promise.resolve() },
  ],
])("runs what follows the end of a call outside of its spans%s", async (_, callbacks) => {
  server.answerWith({ text: '{"city":"Oslo"}' });
  const city = z.string().refine(() => observe("check", () => true));
  const output = Output.object({ schema: z.object({ city }) });
  const model = openai.chat("chat");
  await observe("app", () => generateText({ model, prompt: "City?", output, ...callbacks }));
  expect(treeOf(takeAll())).toEqual([
    "span app",
    "  task generate",
    "    task step 1",
    "      llm chat chat",
    "  span check",
  ]);
});

it("loses no call inside a tool if callbacks of the app come first", async () => {
  server.answerWith({ tools: [["c", "nested", {}]] }, { text: "inner" }, { text: "Done." });
  const wait = async (): Promise<void> => await new Promise((resolve) => setTimeout(resolve, 1));
  await generateText({
    ...request,
    model: openai.chat("chat"),
    experimental_onStart: wait,
    experimental_onStepStart: wait,
    experimental_onToolCallStart: wait,
  });
  expect(
    ofType(takeAll(), "llm")
      .map(({ name }) => name)
      .sort(),
  ).toEqual(["chat chat", "chat chat", "chat inner"]);
});

it("records the error of a failed call once, which the app gets unchanged", async () => {
  const busy = { status: 429, message: "slow down" };
  server.answerWith(busy, busy);
  const failing = generateText({ model: openai.chat("chat"), prompt: "Hi", maxRetries: 1 });
  await expect(failing).rejects.toMatchObject({ lastError: { statusCode: 429, message: "slow down" } });
  const spans = takeAll();
  expect(treeOf(spans)).toEqual([
    "task generate ERROR propagated",
    "  task step 1 ERROR propagated",
    "    llm chat chat ERROR",
  ]);
  expect(spans[2]?.attributes).toMatchObject({
    error_type: "AI_APICallError 429",
    error_message: "slow down",
    status_code: 429,
    attempts: 2,
  });
});

it("records a call that succeeds after a retry without an error", async () => {
  server.answerWith({ status: 503, message: "busy" }, { text: "Hello." });
  await generateText({ model: openai.chat("chat"), prompt: "Hi" });
  const spans = takeAll();
  expect(treeOf(spans)).toEqual(["task generate", "  task step 1", "    llm chat chat"]);
  expect(spans[2]?.attributes).toMatchObject({ ...SPAN_TOKENS, attempts: 2 });
});

it("records an error that is not retried, of a call and of a stream", async () => {
  const model = openai.chat("chat");
  server.answerWith({ status: 400, message: "refused" });
  await expect(generateText({ model, prompt: "Hi" })).rejects.toThrow("refused");
  server.answerWith({ status: 401, message: "who are you" });
  await streamText({ model, prompt: "Hi", onError: () => undefined }).consumeStream();
  const calls = ofType(takeAll(), "llm");
  expect(calls.map(({ status, attributes }) => [status, attributes["error_type"]])).toEqual([
    ["ERROR", "AI_APICallError 400"],
    ["ERROR", "AI_APICallError 401"],
  ]);
});

it("records a server that cannot be reached", async () => {
  const provider = createOpenAI({ apiKey: "test-key", baseURL: "http://127.0.0.1:1" });
  const failing = generateText({ model: provider.chat("chat"), prompt: "Hi", maxRetries: 0 });
  const error: unknown = await failing.catch((reason: unknown) => reason);
  const [, , call] = takeAll();
  expect(call?.attributes).toMatchObject({
    error_type: "AI_APICallError",
    error_message: (error as Error).message,
  });
});

it.each(["error-event", "reset"] as const)("records a stream that breaks off with %s", async (breakOff) => {
  server.answerWith({ text: "One two", breakOff });
  const result = streamText({ model: openai.chat("chat"), prompt: "Hi", onError: () => undefined });
  await result.consumeStream();
  expect(treeOf(takeAll())).toEqual([
    "task generate ERROR propagated",
    "  task step 1 ERROR propagated",
    "    llm chat chat ERROR",
  ]);
});

it("records the time to the first token of a stream, and the same text", async () => {
  server.answerWith({ text: "One two three" });
  await streamText({ model: openai.chat("chat"), prompt: "Hi" }).consumeStream();
  const [, , call] = takeAll();
  expect(call?.attributes).toMatchObject({ ...SPAN_TOKENS, stream: true, completion_text: "One two three" });
  expect(call?.attributes["ttft_ms"]).toBeGreaterThan(0);
});

it("ends the spans of a call and of a stream that the app aborts", async () => {
  const model = openai.chat("chat");
  const abortSignal = AbortSignal.abort();
  await expect(generateText({ model, prompt: "Hi", abortSignal })).rejects.toThrow();
  let release = (): void => undefined;
  const hold = new Promise<void>((resolve) => (release = resolve));
  server.answerWith({ text: "One two three", hold });
  const controller = new AbortController();
  const result = streamText({ model, prompt: "Hi", abortSignal: controller.signal });
  for await (const delta of result.textStream) if (delta !== "") controller.abort();
  release();
  await new Promise((resolve) => setTimeout(resolve, 5));
  const spans = takeAll();
  expect(spans).toHaveLength(6);
  expect(spans.every(({ attributes }) => attributes["aborted"] === true)).toBe(true);
  expect(spans[5]?.attributes).toMatchObject({ completion_text: "One ", stream: true });
});

it("ends the spans of a call that fails without a request when it is garbage-collected", async () => {
  const failing = (): Promise<Response> => Promise.reject(new Error("refused"));
  const provider = createOpenAI({ apiKey: "test-key", baseURL: server.url, fetch: failing });
  await expect(generateText({ model: provider.chat("chat"), prompt: "Hi" })).rejects.toThrow("refused");
  let spans: TakenSpan[] = [];
  for (let attempt = 0; attempt < 50 && spans.length === 0; attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    collectGarbage();
    spans = takeAll();
  }
  expect(treeOf(spans)).toEqual([
    "task generate aborted",
    "  task step 1 aborted",
    "    llm chat chat aborted",
  ]);
});
