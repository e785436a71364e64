import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAI as createOpenAI5 } from "@ai-sdk/openai-for-5";
import { createOpenAI as createOpenAI6 } from "@ai-sdk/openai-for-6";
import { embed, generateText, streamText } from "ai";
import { embed as embed5, generateText as generateText5, streamText as streamText5 } from "ai-5";
import { embed as embed6, generateText as generateText6, streamText as streamText6 } from "ai-6";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { configure } from "../../src/index.js";
import { obspanTracer, registerAISDK } from "../../src/integrations/ai-sdk/index.js";
import type { FetchHook } from "../../src/integrations/fetch/hook-fetch.js";
import { SPAN_TOKENS, startChatServer, type ChatServer } from "./completion-server.js";
import { expectOneCall, hookFetchOf } from "./one-call.js";
import { takeAll, treeOf } from "./taken-spans.js";
import { settled } from "./settled.js";

let server: ChatServer;
let hook: FetchHook;
beforeAll(async () => {
  configure({ service: "stacks-test" });
  server = await startChatServer();
  hook = hookFetchOf(server.url);
  registerAISDK();
});
afterAll(() => server.close());
beforeEach(() => void takeAll());

const settings = () => ({ apiKey: "test-key", baseURL: server.url });
const traced = { experimental_telemetry: { isEnabled: true, tracer: obspanTracer() } };

/** Calls a model, and waits for the whole text. */
type Ask = () => PromiseLike<string>;

const ASKS: readonly (readonly [name: string, tree: readonly string[], ask: Ask])[] = [
  [
    "AI SDK 7, generateText",
    ["task generateText", "  task step 1", "    llm chat m"],
    async () => (await generateText({ model: createOpenAI(settings()).chat("m"), prompt: "Hi" })).text,
  ],
  [
    "AI SDK 7, streamText",
    ["task streamText", "  task step 1", "    llm chat m"],
    () => streamText({ model: createOpenAI(settings()).chat("m"), prompt: "Hi" }).text,
  ],
  [
    "AI SDK 6, generateText",
    ["task generate", "  task step 1", "    llm chat m"],
    async () => (await generateText6({ model: createOpenAI6(settings()).chat("m"), prompt: "Hi" })).text,
  ],
  [
    "AI SDK 6, streamText",
    ["task generate", "  task step 1", "    llm chat m"],
    () => streamText6({ model: createOpenAI6(settings()).chat("m"), prompt: "Hi" }).text,
  ],
  [
    "AI SDK 6 with a tracer, generateText",
    ["task generateText", "  llm chat m"],
    async () =>
      (await generateText6({ model: createOpenAI6(settings()).chat("m"), prompt: "Hi", ...traced })).text,
  ],
  [
    "AI SDK 6 with a tracer, streamText",
    ["task streamText", "  llm chat m"],
    () => streamText6({ model: createOpenAI6(settings()).chat("m"), prompt: "Hi", ...traced }).text,
  ],
  [
    "AI SDK 5 with a tracer, generateText",
    ["task generateText", "  llm chat m"],
    async () =>
      (await generateText5({ model: createOpenAI5(settings()).chat("m"), prompt: "Hi", ...traced })).text,
  ],
  [
    "AI SDK 5 with a tracer, streamText",
    ["task streamText", "  llm chat m"],
    () => streamText5({ model: createOpenAI5(settings()).chat("m"), prompt: "Hi", ...traced }).text,
  ],
];

it.each(ASKS)("%s over fetch that is hooked: one model span", async (_, tree, ask) => {
  server.answerWith({ text: "Hello there" });
  expect(await ask()).toBe("Hello there");
  await settled();
  const spans = takeAll();
  expect(treeOf(spans)).toEqual(tree);
  expectOneCall(spans, { tokens: SPAN_TOKENS });
  expect(hook.recorded.size).toBe(0);
});

it.each(ASKS)("%s, with a retry: one model span", async (_, tree, ask) => {
  server.answerWith({ status: 503, message: "busy" }, { text: "Hello there" });
  expect(await ask()).toBe("Hello there");
  await settled();
  const spans = takeAll();
  expect(treeOf(spans)).toEqual(tree);
  expectOneCall(spans, { tokens: SPAN_TOKENS });
  expect(hook.recorded.size).toBe(0);
});

const EMBEDS: readonly (readonly [name: string, embed: () => PromiseLike<unknown>])[] = [
  ["AI SDK 7", () => embed({ model: createOpenAI(settings()).embeddingModel("e"), value: "a" })],
  [
    "AI SDK 6 with a tracer",
    () => embed6({ model: createOpenAI6(settings()).embeddingModel("e"), value: "a", ...traced }),
  ],
  [
    "AI SDK 5 with a tracer",
    () => embed5({ model: createOpenAI5(settings()).textEmbeddingModel("e"), value: "a", ...traced }),
  ],
];

it.each(EMBEDS)("%s, embed, over fetch that is hooked: one model span", async (_, run) => {
  server.answerWith({ vectors: 1 });
  await run();
  expectOneCall(takeAll(), { spanType: "embedding", tokens: { tokens_input: 7 } });
  expect(hook.recorded.size).toBe(0);
});

it("AI SDK 5 without a tracer: the hook records the call", async () => {
  server.answerWith({ text: "Hello there" });
  await generateText5({ model: createOpenAI5(settings()).chat("m"), prompt: "Hi" });
  expectOneCall(takeAll(), { tokens: SPAN_TOKENS });
  expect([...hook.recorded.values()]).toEqual([1]);
});
