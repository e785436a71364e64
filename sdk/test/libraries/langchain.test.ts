import { ChatAnthropic } from "@langchain/anthropic";
import * as callbackManager from "@langchain/core/callbacks/manager";
import { Document } from "@langchain/core/documents";
import { SimpleChatModel } from "@langchain/core/language_models/chat_models";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { BaseRetriever } from "@langchain/core/retrievers";
import { RunnableLambda } from "@langchain/core/runnables";
import { Annotation, END, interrupt, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, tool } from "langchain";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { agent as agentSpan, configure, observe, takeSpans } from "../../src/index.js";
import { instrumentLangChain, ObspanCallbackHandler } from "../../src/integrations/langchain/index.js";
import { wrapOpenAI } from "../../src/integrations/openai/index.js";
import { collectGarbage } from "../collect-garbage.js";
import { startReplayServer, type ReplayServer } from "../replay/replay-server.js";
import { anthropicAnswer, ANTHROPIC_TOKENS, CHAT_TOKENS, chatAnswer, chatError } from "./chat-server.js";
import { readAll, readFirst } from "./read-stream.js";
import { takeTree } from "./span-tree.js";

let server: ReplayServer;
beforeAll(async () => {
  configure({ service: "langchain-test" });
  server = await startReplayServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.reset();
  takeSpans();
});

const chatModel = () =>
  new ChatOpenAI({
    model: "gpt-5-mini",
    apiKey: "test-key",
    maxRetries: 0,
    configuration: { baseURL: `${server.url}/v1` },
  });

const callbacks = () => ({ callbacks: [new ObspanCallbackHandler()] });
const QUESTION = { messages: [{ role: "user", content: "How is the weather?" }] };

const weather = tool(
  async ({ city }) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (city === "Atlantis") throw new TypeError("no such city");
    return observe(`lookup ${city}`, () => `sunny in ${city}`);
  },
  { name: "weather", description: "The weather of a city", schema: z.object({ city: z.string() }) },
);

const AGENT_LINES = [
  "agent support",
  "  task model_request",
  "    llm chat gpt-5-mini",
  "    task RunnableLambda",
  "  task tools",
  "    tool weather",
  "      span lookup Rome",
  "  task tools",
  "    tool weather",
  "      span lookup Oslo",
  "  task model_request",
  "    llm chat gpt-5-mini",
  "    task RunnableLambda",
];

describe.each([false, true])("an agent, streamed: %s", (isStream) => {
  it("records the graph, parallel tools with the code in them, and each model call with its tokens", async () => {
    server.expect(
      chatAnswer(
        [
          ["c1", "weather", { city: "Rome" }],
          ["c2", "weather", { city: "Oslo" }],
        ],
        isStream,
      ),
    );
    server.expect(chatAnswer("It is sunny.", isStream));
    const agent = createAgent({ model: chatModel(), tools: [weather], name: "support" });
    if (isStream) {
      const stream = await agent.stream(QUESTION, { streamMode: "messages", ...callbacks() });
      await readAll(stream);
    } else await agent.invoke(QUESTION, callbacks());

    const tree = takeTree();
    expect(tree.lines).toEqual(AGENT_LINES);
    const [first, second] = tree.ofType("llm");
    for (const { attributes } of tree.ofType("llm")) {
      expect(attributes).toMatchObject({
        ...CHAT_TOKENS,
        model: "gpt-5-mini-2025-08-07",
        provider: "openai",
        prompt_text: "How is the weather?",
        agent: "support",
        tool_definitions: [{ type: "function", name: "weather" }],
      });
      expect(attributes?.["stream"] ?? false).toBe(isStream);
      expect(typeof attributes?.["ttft_ms"]).toBe(isStream ? "number" : "undefined");
    }
    expect(first?.attributes).toMatchObject({
      finish_reason: "tool_calls",
      completion_messages: [
        {
          role: "assistant",
          parts: [
            { type: "tool_call", id: "c1", name: "weather", arguments: { city: "Rome" } },
            { id: "c2" },
          ],
        },
      ],
    });
    expect(second?.attributes).toMatchObject({
      finish_reason: "stop",
      completion_text: "It is sunny.",
      prompt_messages: [{}, {}, { role: "tool", parts: [{ id: "c1", response: "sunny in Rome" }] }, {}],
    });
    expect(
      tree
        .ofType("tool")
        .map(({ attributes }) => [attributes?.["tool_call_id"], attributes?.["output_text"]]),
    ).toEqual([
      ["c1", "sunny in Rome"],
      ["c2", "sunny in Oslo"],
    ]);
    expect(tree.named("support").attributes).toMatchObject({
      input_text: "How is the weather?",
      output_text: "It is sunny.",
    });
  });

  it("counts the tokens of Anthropic once, with those of its cache", async () => {
    server.expect(anthropicAnswer("It is sunny.", isStream));
    const model = new ChatAnthropic({
      model: "claude-sonnet-4-5",
      apiKey: "k",
      maxRetries: 0,
      anthropicApiUrl: server.url,
    });
    if (isStream) await readAll(await model.stream("Hi", callbacks()));
    else await model.invoke("Hi", callbacks());
    expect(takeTree().ofType("llm")[0]?.attributes).toMatchObject({
      ...ANTHROPIC_TOKENS,
      provider: "anthropic",
      finish_reason: "end_turn",
      completion_text: "It is sunny.",
    });
  });

  it("leaves the model call to a wrapped client, inside the span of the chain", async () => {
    server.expect(chatAnswer("Hello", isStream));
    const model = chatModel();
    // The client that the model would create itself.
    const client = wrapOpenAI(new OpenAI({ apiKey: "k", baseURL: `${server.url}/v1`, maxRetries: 0 }));
    Object.assign((model as unknown as { completions: object }).completions, { client });
    const chain = ChatPromptTemplate.fromMessages([["user", "{question}"]])
      .pipe(model)
      .pipe(new StringOutputParser());
    if (isStream) await readAll(await chain.stream({ question: "Hi" }, callbacks()));
    else await chain.invoke({ question: "Hi" }, callbacks());
    const tree = takeTree();
    expect(tree.lines.filter((line) => line.includes("llm"))).toEqual(["  llm chat gpt-5-mini"]);
    expect(tree.lines.filter((line) => line.startsWith("orphan"))).toEqual([]);
    const [call] = tree.ofType("llm");
    expect(call?.attributes).toMatchObject(CHAT_TOKENS);
    expect(call?.attributes).toHaveProperty("request_id");
  });
});

it("keeps the span of a model as the parent of other spans in it", async () => {
  class Custom extends SimpleChatModel {
    override _llmType(): string {
      return "custom";
    }
    override async _call(): Promise<string> {
      return await observe("render", async () => "rendered");
    }
  }
  await new Custom({}).invoke("Hi", callbacks());
  expect(takeTree().lines).toEqual(["llm Custom", "  span render"]);
});

it("records two wrapped calls at the same time once each", async () => {
  server.always(chatAnswer("Hello"));
  const model = chatModel();
  const client = wrapOpenAI(new OpenAI({ apiKey: "k", baseURL: `${server.url}/v1`, maxRetries: 0 }));
  Object.assign((model as unknown as { completions: object }).completions, { client });
  await agentSpan(
    "both",
    async () => await Promise.all([model.invoke("a", callbacks()), model.invoke("b", callbacks())]),
  )();
  expect(takeTree().lines).toEqual(["agent both", "  llm chat gpt-5-mini", "  llm chat gpt-5-mini"]);
});

it("is part of the trace that the app has started, and leaves the app's context unchanged", async () => {
  const lower = RunnableLambda.from((text: string) => observe("inside", () => text.toLowerCase()));
  const untyped = tool((input: unknown) => input, {
    name: "untyped",
    description: "",
    schema: { type: "object" },
  });
  await observe("request", async () => {
    await lower.invoke("A", callbacks());
    await untyped.invoke({ a: 1 }, callbacks());
    await chatModel()
      .invoke("Hi", callbacks())
      .catch(() => undefined);
    observe("after", () => 1);
  });
  expect(takeTree().lines).toEqual([
    "span request",
    "  task RunnableLambda",
    "    span inside",
    "  tool untyped",
    "  llm chat gpt-5-mini",
    "  span after",
  ]);
});

it("records a graph of the app with an interrupt, which is no error", async () => {
  const State = Annotation.Root({ text: Annotation<string> });
  const graph = new StateGraph(State)
    .addNode("draft", () => observe("write", () => ({ text: "draft" })))
    .addNode("review", () => ({ text: String(interrupt("ok?")) }))
    .addEdge(START, "draft")
    .addEdge("draft", "review")
    .addEdge("review", END)
    .compile({ checkpointer: new MemorySaver(), name: "writer" });
  await graph.invoke({ text: "" }, { ...callbacks(), configurable: { thread_id: "1" } });
  const tree = takeTree();
  expect(tree.lines).toEqual(["task writer", "  task draft", "    span write", "  task review"]);
  expect(tree.named("review")).toMatchObject({ status: "OK", attributes: { interrupted: true } });
});

it("records a retriever with its documents", async () => {
  class Notes extends BaseRetriever {
    lc_namespace = ["test"];
    override async _getRelevantDocuments(query: string): Promise<Document[]> {
      return observe("embed", () => [new Document({ pageContent: `about ${query}`, metadata: { page: 1 } })]);
    }
  }
  await new Notes().invoke("lamps", callbacks());
  const tree = takeTree();
  expect(tree.lines).toEqual(["retrieval Notes", "  span embed"]);
  expect(tree.named("Notes").attributes).toMatchObject({
    input_text: "lamps",
    documents: 1,
    output_text: '[{"content":"about lamps","metadata":{"page":1}}]',
  });
});

describe("errors", () => {
  it("reach the app as the same object, and count at the tool that threw them", async () => {
    const thrown = new TypeError("broken");
    const broken = tool(
      () => {
        throw thrown;
      },
      { name: "broken", description: "", schema: z.object({}) },
    );
    const chain = RunnableLambda.from(async () => await broken.invoke({}));
    await expect(chain.invoke("x", callbacks())).rejects.toBe(thrown);
    const tree = takeTree();
    expect(tree.lines).toEqual(["task RunnableLambda", "  tool broken"]);
    expect(tree.named("broken")).toMatchObject({ status: "ERROR", attributes: { error_type: "TypeError" } });
    expect(tree.named("RunnableLambda")).toMatchObject({ status: "ERROR", error_propagated: true });
  });

  it("of the provider are on the model call", async () => {
    server.expect(chatError(500, "overloaded"));
    await expect(chatModel().invoke("Hi", callbacks())).rejects.toThrow("overloaded");
    expect(takeTree().ofType("llm")[0]).toMatchObject({
      status: "ERROR",
      attributes: { error_type: "InternalServerError" },
    });
  });

  it("by a signal end the span as aborted", async () => {
    const controller = new AbortController();
    server.expect(chatAnswer("Hello"), {
      beforePiece() {
        controller.abort();
        return new Promise(() => undefined);
      },
    });
    const call = chatModel().invoke("Hi", { ...callbacks(), signal: controller.signal });
    await expect(call).rejects.toThrow();
    expect(takeTree().ofType("llm")[0]).toMatchObject({ status: "ERROR", attributes: { aborted: true } });
  });
});

it("ends the spans of a graph that the app stops by a signal", async () => {
  const controller = new AbortController();
  server.expect(chatAnswer("Hello there", true), {
    beforePiece(piece) {
      if (piece < 3) return;
      controller.abort();
      return new Promise(() => undefined);
    },
  });
  const agent = createAgent({ model: chatModel(), tools: [weather], name: "support" });
  const options = { streamMode: "messages", signal: controller.signal, ...callbacks() } as const;
  const reading = async () => readAll(await agent.stream(QUESTION, options));
  await expect(reading()).rejects.toThrow();
  const lines: string[] = [];
  await expect
    .poll(() => (lines.push(...takeTree().lines.map((line) => line.trim())), lines))
    .toContain("agent support");
});

// Last: from here on every run is recorded without callbacks.
describe("instrumentLangChain", () => {
  it("records every run without callbacks in the code, and each run once", async () => {
    expect(instrumentLangChain(callbackManager)).toBe(true);
    instrumentLangChain(callbackManager);
    server.expect(
      chatAnswer([
        ["c1", "weather", { city: "Rome" }],
        ["c2", "weather", { city: "Oslo" }],
      ]),
    );
    server.expect(chatAnswer("It is sunny."));
    const agent = createAgent({ model: chatModel(), tools: [weather], name: "support" });
    await agent.invoke(QUESTION);
    expect(takeTree().lines).toEqual(AGENT_LINES);

    await RunnableLambda.from(() => 1).invoke("x", callbacks());
    expect(takeTree().lines).toEqual(["task RunnableLambda"]);
  });

  it("ends the span of a stream that the app stops reading, when nobody can read it any more", async () => {
    server.expect(chatAnswer("Hello", true));
    await (async () => {
      await readFirst(await chatModel().stream("Hi"));
    })();
    const spans = () => (collectGarbage(), takeTree().ofType("llm"));
    await expect.poll(spans, { timeout: 10_000 }).toMatchObject([{ attributes: { aborted: true } }]);
  });

  it("warns when it gets another module", () => {
    expect(instrumentLangChain({})).toBe(false);
  });
});
