import { createOpenAI } from "@ai-sdk/openai-for-5";
import { embedMany, generateObject, generateText, stepCountIs, streamObject, streamText, tool } from "ai-5";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { configure, observe } from "../../src/index.js";
import { obspanTracer } from "../../src/integrations/ai-sdk/index.js";
import { SPAN_TOKENS, startChatServer, type ChatServer } from "./completion-server.js";
import { ofType, takeAll, treeOf } from "./taken-spans.js";

let server: ChatServer;
let openai: ReturnType<typeof createOpenAI>;
beforeAll(async () => {
  configure({ service: "ai-sdk-test" });
  server = await startChatServer();
  openai = createOpenAI({ apiKey: "test-key", baseURL: server.url });
});
afterAll(() => server.close());
beforeEach(() => void takeAll());

const experimental_telemetry = {
  isEnabled: true,
  tracer: obspanTracer(),
  functionId: "forecaster",
  metadata: { sessionId: "s-1", userId: "u-1" },
};

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
};

it.each(["generateText", "streamText"])("records model calls and tools of %s", async (name) => {
  server.answerWith(
    {
      tools: [
        ["a", "broken", {}],
        ["b", "weather", { city: "Oslo" }],
      ],
    },
    { text: "It is cold." },
  );
  const request = {
    model: openai.chat("chat"),
    system: "Be brief.",
    prompt: "Weather?",
    tools,
    stopWhen: stepCountIs(3),
    experimental_telemetry,
  };
  const result = name === "generateText" ? await generateText(request) : streamText(request);
  expect(await result.text).toBe("It is cold.");
  const spans = takeAll();
  expect(treeOf(spans)).toEqual([
    "agent forecaster",
    "  llm chat chat",
    "  tool broken ERROR",
    "  tool weather",
    "    span lookup",
    "  llm chat chat",
  ]);
  const [first, second] = ofType(spans, "llm");
  expect(first?.attributes).toMatchObject({
    ...SPAN_TOKENS,
    model: "chat-1",
    provider: "openai",
    agent: "forecaster",
    prompt_text: "Weather?",
    finish_reason: "tool-calls",
    prompt_messages: [{ role: "system" }, { role: "user" }],
    completion_messages: [
      {
        parts: [
          { type: "tool_call", name: "broken" },
          { id: "b", arguments: { city: "Oslo" } },
        ],
      },
    ],
    tool_definitions: [
      { name: "weather", description: "The weather of a city", parameters: { type: "object" } },
      { name: "broken" },
    ],
  });
  if (name === "streamText") expect(first?.attributes["ttft_ms"]).toBeGreaterThan(0);
  expect(second?.attributes).toMatchObject({ ...SPAN_TOKENS, completion_text: "It is cold." });
  expect(ofType(spans, "tool")[1]?.attributes).toMatchObject({
    tool_name: "weather",
    tool_call_id: "b",
    input_text: '{"city":"Oslo"}',
    output_text: '{"city":"Oslo","degrees":-3}',
  });
  const [root] = spans;
  expect(root?.attributes).toMatchObject({
    input_text: "Weather?",
    output_text: "It is cold.",
    session_id: "s-1",
    user_id: "u-1",
  });
  expect(root?.attributes).not.toHaveProperty("tokens_input");
});

it.each([
  [429, 1],
  [400, 0],
])("records a failed call with HTTP status %i as one error", async (status, maxRetries) => {
  const answer = { status, message: "refused by the test" };
  const request = { model: openai.chat("chat"), prompt: "Hi", maxRetries, experimental_telemetry };
  server.answerWith(answer, answer);
  await expect(generateText(request)).rejects.toThrow("refused");
  const plain = takeAll();
  expect(treeOf(plain)).toEqual(["agent forecaster ERROR propagated", "  llm chat chat ERROR"]);
  expect(plain[1]?.attributes).toMatchObject({
    error_type: `AI_APICallError ${status}`,
    status_code: status,
  });
  server.answerWith(answer, answer);
  await streamText({ ...request, onError: () => undefined }).consumeStream();
  expect(ofType(takeAll(), "llm")).toMatchObject([{ status: "ERROR", attributes: { status_code: status } }]);
});

it("counts retries inside one model call", async () => {
  server.answerWith({ status: 429, message: "slow down" }, { text: "Hello." });
  await generateText({ model: openai.chat("chat"), prompt: "Hi", experimental_telemetry });
  const spans = takeAll();
  expect(treeOf(spans)).toEqual(["agent forecaster", "  llm chat chat"]);
  expect(spans[1]?.attributes).toMatchObject({ ...SPAN_TOKENS, attempts: 2 });
});

it("ends the spans of a stream that the app aborts", async () => {
  let release = (): void => undefined;
  const hold = new Promise<void>((resolve) => (release = resolve));
  server.answerWith({ text: "One two three", hold });
  const controller = new AbortController();
  const result = streamText({
    model: openai.chat("chat"),
    prompt: "Hi",
    abortSignal: controller.signal,
    experimental_telemetry,
  });
  for await (const delta of result.textStream) if (delta !== "") controller.abort();
  release();
  expect(treeOf(takeAll())).toEqual(["agent forecaster", "  llm chat chat aborted"]);
});

it("records embeddings and objects", async () => {
  server.answerWith({ vectors: 2 });
  await embedMany({
    model: openai.textEmbeddingModel("embed"),
    values: ["a", "b"],
    experimental_telemetry: { isEnabled: true, tracer: obspanTracer() },
  });
  const embedded = takeAll();
  expect(treeOf(embedded)).toEqual(["task embedMany", "  embedding embeddings embed"]);
  expect(embedded[1]?.attributes).toMatchObject({ tokens_input: 7, prompt_text: "a\nb" });
  const request = {
    model: openai.chat("chat"),
    prompt: "Hi",
    schema: z.object({ city: z.string() }),
    experimental_telemetry,
  };
  server.answerWith({ text: '{"city":"Oslo"}' });
  await generateObject(request);
  server.answerWith({ text: '{"city": "Oslo"}' });
  const { partialObjectStream } = streamObject(request);
  for await (const part of partialObjectStream) expect(part).toBeDefined();
  const calls = ofType(takeAll(), "llm");
  expect(calls).toHaveLength(2);
  for (const { attributes } of calls)
    expect(attributes).toMatchObject({ ...SPAN_TOKENS, model: "chat-1", prompt_text: "Hi" });
});
