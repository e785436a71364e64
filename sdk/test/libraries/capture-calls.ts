import { query as claudeQuery, type Options } from "@anthropic-ai/claude-agent-sdk";
import Anthropic from "@anthropic-ai/sdk";
import { BedrockRuntimeClient, ConverseCommand } from "@aws-sdk/client-bedrock-runtime";
import { createOpenAI } from "@ai-sdk/openai";
import { GoogleGenAI } from "@google/genai";
import { ChatOpenAI } from "@langchain/openai";
import { Mastra } from "@mastra/core";
import { Agent as MastraAgent } from "@mastra/core/agent";
import { Observability } from "@mastra/observability";
import { Mistral } from "@mistralai/mistralai";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  Agent,
  OpenAIChatCompletionsModel,
  run,
  setTraceProcessors,
  setTracingDisabled,
} from "@openai/agents";
import { generateText, jsonSchema, streamText, tool as aiTool } from "ai";
import { CohereClient, CohereClientV2 } from "cohere-ai";
import Groq from "groq-sdk";
import { join } from "node:path";
import { Ollama } from "ollama";
import OpenAI from "openai";
import { expect } from "vitest";
import { z } from "zod";
import { agent, llm, tool } from "../../src/index.js";
import { registerAISDK } from "../../src/integrations/ai-sdk/index.js";
import { wrapAnthropic } from "../../src/integrations/anthropic/index.js";
import { wrapBedrock } from "../../src/integrations/bedrock/index.js";
import { wrapQuery } from "../../src/integrations/claude-agent-sdk/index.js";
import { wrapCohere } from "../../src/integrations/cohere/index.js";
import { wrapGoogleGenAI } from "../../src/integrations/google/index.js";
import { ObspanCallbackHandler } from "../../src/integrations/langchain/index.js";
import { ObspanExporter } from "../../src/integrations/mastra/index.js";
import { wrapMcpClient, wrapMcpServer } from "../../src/integrations/mcp/index.js";
import { wrapMistral } from "../../src/integrations/mistral/index.js";
import { wrapOllama } from "../../src/integrations/ollama/index.js";
import { ObspanTraceProcessor } from "../../src/integrations/openai-agents/index.js";
import { wrapOpenAI } from "../../src/integrations/openai/index.js";
import { recordedExchange, type Exchange } from "../replay/exchange.js";
import type { ReplayServer } from "../replay/replay-server.js";
import type { CaptureServers } from "./capture-servers.js";
import { anthropicAnswer, anyBody, chatAnswer, responsesAnswer } from "./chat-server.js";
import { hookFetchOf } from "./one-call.js";
import { readAll } from "./read-stream.js";
import { takeTrace, type TakenSpan } from "./taken-spans.js";

/** Calls that send and receive texts with the word "secret", by library. A span of each has tokens, unless it says so. */
export interface CaptureCall {
  readonly run: (servers: CaptureServers) => Promise<unknown>;
  /** Texts of a recorded response. */
  readonly received?: readonly string[];
  /** The library has no model call. */
  readonly hasNoTokens?: true;
}

const model = "some-model";
const content = "secret prompt";
const ANSWER = "secret answer";
const stop = ["secret stop"];
const messages = [{ role: "user" as const, content }];
const parameters = { type: "object", properties: { q: { type: "string", description: "secret parameter" } } };
const tools = [
  { type: "function" as const, function: { name: "look", description: "secret tool", parameters } },
];

const keys = { apiKey: "test-key", maxRetries: 0 };
const openai = ({ http }: CaptureServers): OpenAI => new OpenAI({ ...keys, baseURL: `${http.url}/v1` });

/** Prepares a recorded answer to any body. */
function answerWith(id: string, to: ReplayServer): Exchange {
  const exchange = anyBody(recordedExchange(id));
  to.expect(exchange);
  return exchange;
}

/** All libraries. */
export const CAPTURE_CALLS: Readonly<Record<string, CaptureCall>> = {
  "llm() and tool()": {
    hasNoTokens: true,
    run: async () => {
      const look = tool("look", async (q: string) => `secret result of ${q}`);
      const ask = llm({ model }, async (prompt: string) => ({ text: `${ANSWER} to ${prompt}` }));
      await agent(
        "main",
        async (question: string) => (await ask(question)).text + (await look(question)),
      )(content);
    },
  },
  "chat completions of OpenAI": {
    run: async (servers) => {
      servers.http.expect(chatAnswer(ANSWER));
      await wrapOpenAI(openai(servers)).chat.completions.create({ model, messages, tools, stop });
    },
  },
  "a tool call of OpenAI": {
    run: async (servers) => {
      servers.http.expect(chatAnswer([["c1", "look", { q: "secret argument" }]]));
      const called = {
        role: "assistant" as const,
        content: "secret earlier answer",
        tool_calls: [
          {
            id: "c0",
            type: "function" as const,
            function: { name: "look", arguments: '{"q":"secret earlier"}' },
          },
        ],
      };
      const result = { role: "tool" as const, tool_call_id: "c0", content: "secret result" };
      await wrapOpenAI(openai(servers)).chat.completions.create({
        model,
        messages: [...messages, called, result],
        tools,
      });
    },
  },
  "a stream of OpenAI": {
    run: async (servers) => {
      servers.http.expect(chatAnswer(ANSWER, true));
      await readAll(
        await wrapOpenAI(openai(servers)).chat.completions.create({ model, messages, stream: true }),
      );
    },
  },
  "responses of OpenAI": {
    run: async (servers) => {
      servers.http.expect(responsesAnswer(ANSWER));
      await wrapOpenAI(openai(servers)).responses.create({ model, input: content, instructions: content });
    },
  },
  "chat completions of Groq": {
    run: async (servers) => {
      const exchange = chatAnswer(ANSWER);
      servers.http.expect({
        ...exchange,
        request: { ...exchange.request, path: "/openai/v1/chat/completions" },
      });
      await wrapOpenAI(new Groq({ ...keys, baseURL: servers.http.url })).chat.completions.create({
        model,
        messages,
      });
    },
  },
  "messages of Anthropic": {
    run: async ({ http }) => {
      http.expect(anthropicAnswer(ANSWER));
      await wrapAnthropic(new Anthropic({ ...keys, baseURL: http.url })).messages.create({
        model,
        max_tokens: 9,
        system: content,
        messages,
        stop_sequences: stop,
        tools: [{ name: "look", description: "secret tool", input_schema: { type: "object" } }],
      });
    },
  },
  "a stream of Anthropic": {
    run: async ({ http }) => {
      http.expect(anthropicAnswer(ANSWER, true));
      const client = wrapAnthropic(new Anthropic({ ...keys, baseURL: http.url }));
      await client.messages.stream({ model, max_tokens: 9, messages }).finalMessage();
    },
  },
  "contents of Google": {
    received: ["Paris", "whisker", "Whisker"],
    run: async ({ http }) => {
      answerWith("gemini-generate-stream", http);
      const httpOptions = { baseUrl: http.url, apiVersion: "v1beta" };
      const client = wrapGoogleGenAI(new GoogleGenAI({ apiKey: "test-key", httpOptions }));
      const config = { systemInstruction: content, stopSequences: stop };
      await readAll(
        await client.models.generateContentStream({ model: "gemini-2.0-flash", contents: content, config }),
      );
    },
  },
  "chats of Ollama": {
    received: ["A joke about OpenTelemetry"],
    run: async ({ http }) => {
      answerWith("ollama-chat-no-prompt-count", http);
      await wrapOllama(new Ollama({ host: http.url })).chat({ model, messages, tools, options: { stop } });
    },
  },
  "chats of Mistral": {
    run: async ({ http }) => {
      answerWith("mistral-chat", http);
      const client = wrapMistral(new Mistral({ apiKey: "test-key", serverURL: http.url }));
      await client.chat.complete({ model, messages, tools, stop });
    },
  },
  "chats of Cohere": {
    received: ["Tokyo"],
    run: async ({ http }) => {
      answerWith("cohere-chat-v2-toolloop-1", http);
      const client = wrapCohere(new CohereClientV2({ token: "test-key", environment: http.url }));
      await client.chat({ model, messages, tools });
    },
  },
  "ranks of Cohere": {
    hasNoTokens: true,
    run: async ({ http }) => {
      answerWith("cohere-rerank", http);
      const client = wrapCohere(new CohereClient({ token: "test-key", environment: http.url }));
      await client.rerank({ model, query: content, documents: [content] });
    },
  },
  "Converse of Bedrock": {
    received: ["I'd be happy"],
    run: async ({ http2 }) => {
      const { request } = answerWith("bedrock-converse-tool", http2);
      const client = wrapBedrock(
        new BedrockRuntimeClient({
          region: "us-east-1",
          endpoint: http2.url,
          credentials: { accessKeyId: "test", secretAccessKey: "test" },
        }),
      );
      await client.send(
        new ConverseCommand({
          modelId: decodeURIComponent(request.path.split("/")[2] ?? ""),
          system: [{ text: content }],
          messages: [{ role: "user", content: [{ text: content }] }],
          inferenceConfig: { stopSequences: stop },
          toolConfig: {
            tools: [{ toolSpec: { name: "look", description: "secret tool", inputSchema: { json: {} } } }],
          },
        }),
      );
    },
  },
  "generateText() of the AI SDK": {
    run: async ({ http }) => {
      registerAISDK();
      http.expect(chatAnswer([["c1", "look", { q: "secret argument" }]]));
      const look = aiTool({
        description: "secret tool",
        inputSchema: jsonSchema<{ q: string }>(parameters as never),
        execute: async () => "secret result",
      });
      const chat = createOpenAI({ apiKey: "test-key", baseURL: `${http.url}/v1` }).chat(model);
      await generateText({ model: chat, prompt: content, instructions: content, tools: { look } });
    },
  },
  "streamText() of the AI SDK": {
    run: async ({ http }) => {
      registerAISDK();
      http.expect(chatAnswer(ANSWER, true));
      const chat = createOpenAI({ apiKey: "test-key", baseURL: `${http.url}/v1` }).chat(model);
      await readAll(streamText({ model: chat, prompt: content }).textStream);
    },
  },
  "a chat model of LangChain": {
    run: async ({ http }) => {
      http.expect(chatAnswer(ANSWER));
      const chat = new ChatOpenAI({ model, ...keys, configuration: { baseURL: `${http.url}/v1` } });
      await chat.invoke(content, handled());
    },
  },
  "an agent of the OpenAI Agents SDK": {
    run: async (servers) => {
      setTracingDisabled(false);
      setTraceProcessors([new ObspanTraceProcessor()]);
      servers.http.expect(chatAnswer(ANSWER));
      const chat = new OpenAIChatCompletionsModel(openai(servers), model);
      await run(new Agent({ name: "helper", instructions: content, model: chat }), content);
    },
  },
  "an agent of Mastra": {
    run: async ({ http }) => {
      http.expect(chatAnswer(ANSWER));
      const helper = new MastraAgent({
        id: "helper",
        name: "helper",
        instructions: content,
        // Mastra declares the interface of a newer provider.
        model: createOpenAI({ apiKey: "test-key", baseURL: `${http.url}/v1` }).chat(model) as never,
        maxRetries: 0,
      });
      const config = { serviceName: "shop", bridge: new ObspanExporter() };
      const observability = new Observability({ configs: { default: config } });
      const mastra = new Mastra({ agents: { helper }, logger: false, observability });
      await mastra.getAgent("helper").generate(content);
    },
  },
  "a query of Claude Code": {
    run: async () => {
      const usage = { input_tokens: 10, output_tokens: 9 };
      const text = [{ type: "text", text: ANSWER }];
      const message = { id: "m1", role: "assistant", model, content: text, usage };
      const steps = [
        { type: "assistant", message, parent_tool_use_id: null },
        { type: "result", subtype: "success", is_error: false, result: ANSWER, usage, total_cost_usd: 0.01 },
      ];
      const options: Options = {
        pathToClaudeCodeExecutable: join(import.meta.dirname, "claude-code.mjs"),
        env: { PATH: process.env["PATH"], CLAUDE_SCRIPT: JSON.stringify([steps]) },
        systemPrompt: content,
      };
      await readAll(wrapQuery(claudeQuery)({ prompt: content, options }));
    },
  },
  "a tool of MCP": {
    hasNoTokens: true,
    run: async () => {
      const server = new McpServer({ name: "notes", version: "1.0.0" });
      server.registerTool("look", { inputSchema: { q: z.string() } }, async ({ q }) => ({
        content: [{ type: "text", text: `secret result of ${q}` }],
      }));
      const client = new Client({ name: "app", version: "1.0.0" });
      wrapMcpServer(server);
      wrapMcpClient(client);
      const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
      await server.connect(serverSide);
      await client.connect(clientSide);
      await client.callTool({ name: "look", arguments: { q: "secret argument" } });
      await client.close();
    },
  },
  "a request of fetch": {
    run: async ({ http }) => {
      hookFetchOf(http.url);
      http.expect(chatAnswer(ANSWER));
      const body = JSON.stringify({ model, messages, tools, stop });
      await (await fetch(`${http.url}/v1/chat/completions`, { method: "POST", body })).json();
    },
  },
};

const handled = () => ({ callbacks: [new ObspanCallbackHandler()] });

/** Runs a call, and returns its spans. They have no text that was sent or received, and all numbers. */
export async function spansWithoutTexts(call: CaptureCall, servers: CaptureServers): Promise<TakenSpan[]> {
  await call.run(servers);
  const spans = await takeTrace();
  expect(spans).not.toEqual([]);
  const json = JSON.stringify(spans);
  for (const text of ["secret", ...(call.received ?? [])]) expect(json).not.toContain(text);
  if (call.hasNoTokens !== true)
    expect(spans.some(({ attributes }) => Number(attributes["tokens_output"]) > 0)).toBe(true);
  return spans;
}

/** The attributes of spans with the texts of a call. */
export const TEXT_KEYS = [
  ...["prompt_text", "prompt_messages", "tool_definitions", "input_text", "prompt_variables"],
  ...["completion_text", "completion_messages", "output_text"],
];
