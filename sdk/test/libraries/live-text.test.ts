import { query, type Options } from "@anthropic-ai/claude-agent-sdk";
import Anthropic from "@anthropic-ai/sdk";
import { BedrockRuntimeClient, ConverseStreamCommand } from "@aws-sdk/client-bedrock-runtime";
import { createOpenAI } from "@ai-sdk/openai";
import { GoogleGenAI } from "@google/genai";
import { ChatOpenAI } from "@langchain/openai";
import { Mistral } from "@mistralai/mistralai";
import { createOpenAI as createOpenAI6 } from "@ai-sdk/openai-for-6";
import {
  Agent as OpenAIAgent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  Runner,
  setTraceProcessors,
  setTracingDisabled,
} from "@openai/agents";
import { streamText } from "ai";
import { streamText as streamText6 } from "ai-6";
import { CohereClientV2 } from "cohere-ai";
import { Ollama } from "ollama";
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { liveTexts } from "../../src/capture/live-text.js";
import { configure, flush, stats } from "../../src/index.js";
import { registerAISDK } from "../../src/integrations/ai-sdk/index.js";
import { wrapAnthropic } from "../../src/integrations/anthropic/index.js";
import { wrapBedrock } from "../../src/integrations/bedrock/index.js";
import { wrapQuery } from "../../src/integrations/claude-agent-sdk/index.js";
import { wrapCohere } from "../../src/integrations/cohere/index.js";
import { wrapGoogleGenAI } from "../../src/integrations/google/index.js";
import { ObspanCallbackHandler } from "../../src/integrations/langchain/index.js";
import { wrapMistral } from "../../src/integrations/mistral/index.js";
import { wrapOllama } from "../../src/integrations/ollama/index.js";
import { ObspanTraceProcessor } from "../../src/integrations/openai-agents/index.js";
import { wrapOpenAI } from "../../src/integrations/openai/index.js";
import type { Span } from "../../src/wire/index.js";
import { Receiver } from "../export/receiver.js";
import { recordedExchange } from "../replay/exchange.js";
import { startReplayServer, type ReplayServer } from "../replay/replay-server.js";
import { hookFetchOf } from "./one-call.js";
import { readAll } from "./read-stream.js";

let server: ReplayServer;
let http2Server: ReplayServer;
const collector = new Receiver();
beforeAll(async () => {
  await collector.start();
  configure({ pushUrl: collector.url, live: true });
  registerAISDK();
  setTracingDisabled(false);
  setTraceProcessors([new ObspanTraceProcessor()]);
  server = await startReplayServer();
  http2Server = await startReplayServer("http2");
});
afterAll(async () => {
  await Promise.all([server.close(), http2Server.close(), collector.stop()]);
});
afterEach(() => {
  server.reset();
  http2Server.reset();
  collector.requests.length = 0;
});

const spans = (): Span[] => collector.requests.flatMap(({ batch }) => batch.spans);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const partials = (): Span[] => spans().filter(({ attributes }) => "completion_partial" in (attributes ?? {}));

const WORDS = "The capital of France is Paris, and it has two million people.".split(/(?<= )/);

/** A stream of chat completions, as OpenAI and Mistral send it. */
function chatSse(): string {
  const chunk = (delta: object, reason: string | null = null): string => {
    const choices = [{ index: 0, delta, finish_reason: reason }];
    return `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;
  };
  const deltas = WORDS.map((content) => chunk({ role: "assistant", content }));
  return [...deltas, chunk({}, "stop"), "data: [DONE]\n\n"].join("");
}

/** A stream of Cohere's API v2. */
function cohereSse(): string {
  const end = { finish_reason: "COMPLETE", usage: { tokens: { input_tokens: 3, output_tokens: 9 } } };
  const events = [
    { type: "message-start", id: "m1", delta: { message: { role: "assistant", content: [] } } },
    { type: "content-start", index: 0, delta: { message: { content: { type: "text", text: "" } } } },
    ...WORDS.map((text) => ({ type: "content-delta", index: 0, delta: { message: { content: { text } } } })),
    { type: "content-end", index: 0 },
    { type: "message-end", delta: end },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

/**
 * Prepares a stream that waits in its middle.
 *
 * @param share - the part of the body that is sent before.
 * @returns a function that ends the wait.
 */
function hold(
  id: string,
  { share = 0.5, sse, to = server }: { share?: number; sse?: string; to?: ReplayServer } = {},
) {
  const recorded = recordedExchange(id);
  const response = sse === undefined ? recorded.response : { ...recorded.response, sse };
  const body =
    response.raw === undefined ? (response.sse ?? "") : Buffer.from(response.raw.text, response.raw.encoding);
  const heldAt = Math.floor((Buffer.byteLength(body) * share) / 7);
  let resume = (): void => undefined;
  const resumed = new Promise<void>((resolve) => (resume = resolve));
  to.expect(
    { ...recorded, request: { ...recorded.request, body: null }, response },
    { split: "odd", beforePiece: (position) => (position === heldAt ? resumed : undefined) },
  );
  return () => resume();
}

/** Reads a held stream: while it is held, its text is shown. */
async function expectLiveText(resume: () => void, reading: Promise<unknown>): Promise<void> {
  let partial = "";
  await vi.waitFor(
    () => {
      partial = textOf(partials().at(-1)?.attributes?.["completion_partial"]);
      expect(partial).not.toBe("");
    },
    { timeout: 15_000, interval: 10 },
  );
  const [{ span_id, trace_id } = {} as Span] = partials();
  expect(partials().every((span) => span.span_id === span_id && span.trace_id === trace_id)).toBe(true);
  resume();
  await reading;
  await flush();
  const ended = spans().filter((span) => span.span_id === span_id && span.status !== "RUNNING");
  expect(ended).toHaveLength(1);
  const [{ attributes = {}, status } = {} as Span] = ended;
  expect(status).toBe("OK");
  const text = textOf(attributes["completion_text"]);
  expect(text.slice(0, partial.length)).toBe(partial);
  expect(text.length).toBeGreaterThan(partial.length);
  // The start came first.
  const first = spans().find((span) => span.span_id === span_id);
  expect(first).toMatchObject({ status: "RUNNING" });
  // Some libraries end the outer spans after they have answered.
  await vi.waitFor(
    async () => {
      await flush();
      expect(stats()).toMatchObject({ pending: 0 });
    },
    { timeout: 15_000, interval: 10 },
  );
}

const options = { apiKey: "k", maxRetries: 0 };
const openai = (): OpenAI => new OpenAI({ ...options, baseURL: `${server.url}/v1` });
const messages = [{ role: "user" as const, content: "?" }];
const CHAT = "openai-chat-stream-toolloop-2";

const handled = () => ({ callbacks: [new ObspanCallbackHandler()] });

/** Starts a streamed call, and reads it. */
type Call = () => Promise<unknown>;

const CALLS: Record<string, { hold: () => () => void; call: Call }> = {
  "chat completions of OpenAI": {
    hold: () => hold(CHAT),
    call: async () =>
      readAll(await wrapOpenAI(openai()).chat.completions.create({ model: "m", messages, stream: true })),
  },
  "responses of OpenAI": {
    hold: () => hold("openai-responses-stream-toolloop-2", { share: 0.55 }),
    call: async () =>
      readAll(await wrapOpenAI(openai()).responses.create({ model: "m", input: "?", stream: true })),
  },
  "a response of OpenAI that the app reads itself": {
    hold: () => hold(CHAT),
    call: async () => {
      const params = { model: "m", messages, stream: true } as const;
      return await (await wrapOpenAI(openai()).chat.completions.create(params).asResponse()).text();
    },
  },
  "messages of Anthropic": {
    hold: () => hold("anthropic-messages-stream"),
    call: async () => {
      const client = wrapAnthropic(new Anthropic({ ...options, baseURL: server.url }));
      return await client.messages.stream({ model: "m", max_tokens: 9, messages }).finalMessage();
    },
  },
  "contents of Google": {
    hold: () => hold("gemini-generate-stream", { share: 0.8 }),
    call: async () => {
      const client = wrapGoogleGenAI(
        new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: server.url, apiVersion: "v1beta" } }),
      );
      return readAll(await client.models.generateContentStream({ model: "gemini-2.0-flash", contents: "?" }));
    },
  },
  "chats of Mistral": {
    hold: () => hold("mistral-chat-stream-tool", { sse: chatSse() }),
    call: async () => {
      const client = wrapMistral(new Mistral({ apiKey: "k", serverURL: server.url }));
      return readAll(await client.chat.stream({ model: "m", messages }));
    },
  },
  "chats of Cohere": {
    hold: () => hold("cohere-chat-v2-stream-tool", { sse: cohereSse() }),
    call: async () => {
      const client = wrapCohere(new CohereClientV2({ token: "k", environment: server.url }));
      return readAll(await client.chatStream({ model: "m", messages }));
    },
  },
  "chats of Ollama": {
    hold: () => hold("ollama-chat-stream-ndjson"),
    call: async () =>
      readAll(
        await wrapOllama(new Ollama({ host: server.url })).chat({ model: "m", messages, stream: true }),
      ),
  },
  "Converse of Bedrock": {
    hold: () => hold("bedrock-converse-stream-tool", { share: 0.25, to: http2Server }),
    call: async () => {
      const client = wrapBedrock(
        new BedrockRuntimeClient({
          region: "us-east-1",
          endpoint: http2Server.url,
          credentials: { accessKeyId: "a", secretAccessKey: "b" },
        }),
      );
      const modelId = "anthropic.claude-3-5-sonnet-20240620-v1:0";
      const command = new ConverseStreamCommand({
        modelId,
        messages: [{ role: "user", content: [{ text: "?" }] }],
      });
      return readAll((await client.send(command)).stream ?? (async function* () {})());
    },
  },
  "streamText() of the AI SDK": {
    hold: () => hold(CHAT),
    call: async () => {
      const model = createOpenAI({ apiKey: "k", baseURL: `${server.url}/v1` }).chat("m");
      return readAll(streamText({ model, prompt: "?" }).textStream);
    },
  },
  "streamText() of AI SDK 6": {
    hold: () => hold(CHAT),
    call: async () => {
      const model = createOpenAI6({ apiKey: "k", baseURL: `${server.url}/v1` }).chat("m");
      return readAll(streamText6({ model, prompt: "?" }).textStream);
    },
  },
  "an agent of the OpenAI Agents SDK, with chat completions": {
    hold: () => hold(CHAT),
    call: async () => {
      const agent = new OpenAIAgent({ name: "a", model: new OpenAIChatCompletionsModel(openai(), "m") });
      return readAll(await run(agent, "?", { stream: true }));
    },
  },
  "an agent of the OpenAI Agents SDK": {
    hold: () => hold("openai-responses-stream-toolloop-2", { share: 0.55 }),
    call: async () => {
      const agent = new OpenAIAgent({ name: "a", model: new OpenAIResponsesModel(openai(), "m") });
      return readAll(await run(agent, "?", { stream: true }));
    },
  },
  "a chat model of LangChain": {
    hold: () => hold(CHAT),
    call: async () => {
      const model = new ChatOpenAI({
        model: "m",
        apiKey: "k",
        maxRetries: 0,
        configuration: { baseURL: `${server.url}/v1` },
      });
      return readAll(await model.stream("?", handled()));
    },
  },
};

it.each(Object.entries(CALLS))(
  "shows the text of %s while it streams",
  async (_, { hold: prepare, call }) => {
    const resume = prepare();
    await expectLiveText(resume, call());
  },
);

it("shows no text of an agent whose traces exclude sensitive data", async () => {
  const resume = hold(CHAT, { share: 0.9 });
  const agent = new OpenAIAgent({ name: "a", model: new OpenAIChatCompletionsModel(openai(), "m") });
  const runner = new Runner({ traceIncludeSensitiveData: false });
  let hasText = false;
  for await (const { type, ...event } of await runner.run(agent, "?", { stream: true })) {
    if (type !== "raw_model_stream_event" || !JSON.stringify(event).includes("output_text_delta")) continue;
    hasText = true;
    expect([...liveTexts.keys()].filter(({ isRecording }) => isRecording)).toEqual([]);
    resume();
  }
  expect(hasText).toBe(true);
  await flush();
  expect(partials()).toEqual([]);
});

it("shows the text of a request of fetch while it streams", async () => {
  const resume = hold(CHAT);
  hookFetchOf(server.url);
  const call = async (): Promise<unknown> => {
    const body = JSON.stringify({ model: "m", messages, stream: true });
    return await (await fetch(`${server.url}/v1/chat/completions`, { method: "POST", body })).text();
  };
  await expectLiveText(resume, call());
});

it("shows the text of a call of LangChain once, where a wrapped client records it", async () => {
  const resume = hold(CHAT);
  const model = new ChatOpenAI({ model: "m", apiKey: "k", maxRetries: 0 });
  Object.assign((model as unknown as { completions: object }).completions, { client: wrapOpenAI(openai()) });
  await expectLiveText(resume, model.stream("?", handled()).then(readAll));
});

it("shows the text of a call of Claude Code while it streams", async () => {
  const model = "claude-sonnet-4-5";
  const usage = { input_tokens: 10, output_tokens: 9 };
  const event = (data: object) => ({ type: "stream_event", event: data, parent_tool_use_id: null });
  const delta = (text: string) =>
    event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
  const content = [{ type: "text", text: WORDS.join("") }];
  const message = { id: "m1", type: "message", role: "assistant", model, content, stop_reason: null, usage };
  const tool = { tool_name: "Read", tool_input: {}, tool_use_id: "t1" };
  const steps = [
    event({ type: "message_start", message: { id: "m1", model, usage } }),
    ...WORDS.slice(0, 6).map(delta),
    // The hook of the app waits.
    { hook: "PreToolUse", input: tool },
    ...WORDS.slice(6).map(delta),
    { type: "assistant", message, parent_tool_use_id: null },
    {
      type: "result",
      subtype: "success",
      is_error: false,
      result: WORDS.join(""),
      usage,
      total_cost_usd: 0.01,
    },
  ];
  let resume = (): void => undefined;
  const resumed = new Promise<void>((resolve) => (resume = resolve));
  const waiting = async () => {
    await resumed;
    return {};
  };
  const settings: Options = {
    pathToClaudeCodeExecutable: join(import.meta.dirname, "claude-code.mjs"),
    env: { PATH: process.env["PATH"], CLAUDE_SCRIPT: JSON.stringify([steps]) },
    hooks: { PreToolUse: [{ hooks: [waiting] }] },
    includePartialMessages: true,
  };
  await expectLiveText(resume, readAll(wrapQuery(query)({ prompt: "?", options: settings })));
});
