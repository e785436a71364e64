import { Anthropic } from "@anthropic-ai/sdk";
import { BedrockRuntimeClient, InvokeModelCommand } from "@aws-sdk/client-bedrock-runtime";
import { ChatAnthropic } from "@langchain/anthropic";
import { SimpleChatModel } from "@langchain/core/language_models/chat_models";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { ChatOpenAI, OpenAIEmbeddings } from "@langchain/openai";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { configure, observe } from "../../src/index.js";
import { wrapAnthropic } from "../../src/integrations/anthropic/index.js";
import { wrapBedrock } from "../../src/integrations/bedrock/index.js";
import { ObspanCallbackHandler } from "../../src/integrations/langchain/index.js";
import { wrapOpenAI } from "../../src/integrations/openai/index.js";
import { recordedExchange } from "../replay/exchange.js";
import { startReplayServer, type ReplayServer } from "../replay/replay-server.js";
import { writtenExchange } from "../replay/written-exchange.js";
import {
  anthropicAnswer,
  ANTHROPIC_TOKENS,
  anyBody,
  CHAT_TOKENS,
  chatAnswer,
  responsesAnswer,
} from "./chat-server.js";
import { expectOneCall, hookFetchOf } from "./one-call.js";
import { readAll } from "./read-stream.js";
import { takeAll, treeOf } from "./taken-spans.js";

let server: ReplayServer;
beforeAll(async () => {
  configure({ service: "stacks-test" });
  server = await startReplayServer();
  hookFetchOf(server.url);
});
afterAll(() => server.close());
beforeEach(() => {
  server.reset();
  takeAll();
});

const fields = () => ({
  apiKey: "test-key",
  maxRetries: 0,
  configuration: { baseURL: `${server.url}/v1` },
});

function openai(isWrapped: boolean): ChatOpenAI {
  const model = new ChatOpenAI({ model: "gpt-5-mini", ...fields() });
  const client = new OpenAI({ apiKey: "k", baseURL: `${server.url}/v1`, maxRetries: 0 });
  // The client that the model would create itself.
  if (isWrapped)
    Object.assign((model as unknown as { completions: object }).completions, { client: wrapOpenAI(client) });
  return model;
}

const responses = () => new ChatOpenAI({ model: "gpt-5-mini", useResponsesApi: true, ...fields() });

function anthropic(isWrapped: boolean): ChatAnthropic {
  const client = new Anthropic({ apiKey: "test-key", maxRetries: 0, baseURL: server.url });
  return new ChatAnthropic({
    model: "claude-sonnet-5",
    apiKey: "test-key",
    maxRetries: 0,
    createClient: () => (isWrapped ? wrapAnthropic(client) : client),
  });
}

const MODELS = [
  ["OpenAI", () => openai(false), chatAnswer, CHAT_TOKENS],
  ["wrapped OpenAI", () => openai(true), chatAnswer, CHAT_TOKENS],
  ["OpenAI's responses", responses, responsesAnswer, CHAT_TOKENS],
  ["Anthropic", () => anthropic(false), anthropicAnswer, ANTHROPIC_TOKENS],
  ["wrapped Anthropic", () => anthropic(true), anthropicAnswer, ANTHROPIC_TOKENS],
] as const;

const callbacks = () => ({ callbacks: [new ObspanCallbackHandler()] });

describe.each([false, true])("streamed: %s", (isStream) => {
  it.each(MODELS)(
    "LangChain over %s over fetch that is hooked: one model span",
    async (_, create, answer, tokens) => {
      server.expect(answer("Hello there", isStream));
      const chain = ChatPromptTemplate.fromMessages([["user", "{question}"]])
        .pipe(create())
        .pipe(new StringOutputParser());
      const input = { question: "Hi" };
      await observe("request", async () => {
        if (isStream) await readAll(await chain.stream(input, callbacks()));
        else await chain.invoke(input, callbacks());
      });
      const spans = takeAll();
      const call = expectOneCall(spans, { tokens });
      expect(treeOf(spans)).toContainEqual(`    llm ${call.name}`);
      expect(call.attributes["completion_text"]).toBe("Hello there");
      if (isStream) expect(call.attributes["ttft_ms"]).toBeGreaterThan(0);
    },
  );

  it.each(MODELS)("the model alone, over %s: one model span", async (_, create, answer, tokens) => {
    server.expect(answer("Hello there", isStream));
    if (isStream) await readAll(await create().stream("Hi", callbacks()));
    else await create().invoke("Hi", callbacks());
    const spans = takeAll();
    expectOneCall(spans, { tokens });
    expect(spans).toHaveLength(1);
  });
});

it("records two calls at the same time once each", async () => {
  server.always(chatAnswer("Hello"));
  await observe("request", async () => {
    await Promise.all([openai(false).invoke("a", callbacks()), openai(true).invoke("b", callbacks())]);
  });
  expect(treeOf(takeAll())).toEqual(["span request", "  llm chat gpt-5-mini", "  llm chat gpt-5-mini"]);
});

it("records embeddings, which have no callbacks, by the hook", async () => {
  const data = [{ object: "embedding", index: 0, embedding: [0.1] }];
  const body = { object: "list", data, model: "e", usage: { prompt_tokens: 7, total_tokens: 7 } };
  server.expect(anyBody(writtenExchange({ api: "embeddings", request: {}, body })));
  const model = new OpenAIEmbeddings({ model: "e", encodingFormat: "float", ...fields() });
  await observe("request", () => model.embedQuery("a"));
  expectOneCall(takeAll(), { spanType: "embedding", tokens: { tokens_input: 7 } });
});

it("leaves a command of Bedrock, whose reader loads first, to the wrapped client", async () => {
  const bedrock = await startReplayServer("http2");
  onTestFinished(() => bedrock.close());
  const exchange = recordedExchange("bedrock-invoke-titan");
  bedrock.expect(exchange);
  const client = wrapBedrock(
    new BedrockRuntimeClient({
      region: "us-east-1",
      endpoint: bedrock.url,
      credentials: { accessKeyId: "test", secretAccessKey: "test" },
      maxAttempts: 1,
    }),
  );
  class Custom extends SimpleChatModel {
    override _llmType(): string {
      return "custom";
    }
    override async _call(): Promise<string> {
      const modelId = decodeURIComponent(exchange.request.path.split("/")[2] ?? "");
      await client.send(new InvokeModelCommand({ modelId, body: JSON.stringify(exchange.request.body) }));
      return "answered";
    }
  }
  await observe("request", () => new Custom({}).invoke("Hi", callbacks()));
  const spans = takeAll();
  expectOneCall(spans, { tokens: { tokens_input: exchange.expect.tokens_input ?? 0 } });
  expect(spans).toHaveLength(2);
});
