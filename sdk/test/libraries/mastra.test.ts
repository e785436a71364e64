import { createOpenAI } from "@ai-sdk/openai";
import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { Observability } from "@mastra/observability";
import { generateText } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { configure, observe } from "../../src/index.js";
import { registerAISDK } from "../../src/integrations/ai-sdk/index.js";
import { ObspanExporter } from "../../src/integrations/mastra/index.js";
import { wrapOpenAI } from "../../src/integrations/openai/index.js";
import { SPAN_TOKENS, startChatServer, type ChatServer } from "./completion-server.js";
import { ofType, takeAll, takeTrace, treeOf } from "./taken-spans.js";

let server: ChatServer;
let openai: ReturnType<typeof createOpenAI>;
/** Without a wrapped client below. */
let plainOpenAI: ReturnType<typeof createOpenAI>;
beforeAll(async () => {
  configure({ service: "mastra-test" });
  registerAISDK();
  server = await startChatServer();
  const client = wrapOpenAI(new OpenAI({ apiKey: "test-key", baseURL: server.url, maxRetries: 0 }));
  // The provider sends its requests with a wrapped client: the layer below must not record the call again.
  const fetchWithClient: typeof fetch = async (_, init) => {
    const body = JSON.parse(init?.body as string) as OpenAI.ChatCompletionCreateParamsNonStreaming;
    return await client.chat.completions.create(body).asResponse();
  };
  plainOpenAI = createOpenAI({ apiKey: "test-key", baseURL: server.url });
  openai = createOpenAI({ apiKey: "test-key", baseURL: server.url, fetch: fetchWithClient });
});
afterAll(() => server.close());
beforeEach(() => void takeAll());

const weather = createTool({
  id: "weather",
  description: "The weather of a city",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => await observe("lookup", () => Promise.resolve({ city, degrees: -3 })),
});
const broken = createTool({
  id: "broken",
  description: "Fails",
  inputSchema: z.object({}),
  execute: async (): Promise<string> => await Promise.reject(new RangeError("no such city")),
});
const ask = createTool({
  id: "ask",
  description: "Asks another model",
  inputSchema: z.object({}),
  execute: async () => {
    const { text } = await generateText({ model: openai.chat("inner"), prompt: "?" });
    return text;
  },
});

function createMastra(exporter: ObspanExporter, role: "bridge" | "exporter", provider = openai): Mastra {
  const agent = new Agent({
    id: "forecaster",
    name: "forecaster",
    instructions: "Be brief.",
    // Mastra declares the interface of a newer provider.
    model: provider.chat("chat") as never,
    maxRetries: 0,
    tools: { weather, broken, ask },
  });
  const double = createStep({
    id: "double",
    inputSchema: z.object({ n: z.number() }),
    outputSchema: z.object({ n: z.number() }),
    execute: async ({ inputData }) =>
      await observe("multiply", () => Promise.resolve({ n: inputData.n * 2 })),
  });
  const calculate = createWorkflow({
    id: "calculate",
    inputSchema: z.object({ n: z.number() }),
    outputSchema: z.object({ n: z.number() }),
  })
    .then(double)
    .commit();
  const config = {
    serviceName: "shop",
    ...(role === "bridge" ? { bridge: exporter } : { exporters: [exporter] }),
  };
  return new Mastra({
    agents: { agent },
    workflows: { calculate },
    logger: false,
    observability: new Observability({ configs: { default: config } }),
  });
}

const TREE = [
  "agent forecaster",
  "  task step 1",
  "    llm chat chat",
  "    tool weather",
  "      span lookup",
  "  task step 2",
  "    llm chat chat",
];

it.each(["generate", "stream"])("records agents, steps, model calls and tools: %s", async (method) => {
  const agent = createMastra(new ObspanExporter(), "bridge").getAgent("agent");
  server.answerWith({ tools: [["call_1", "weather", { city: "Oslo" }]] }, { text: "It is cold." });
  const memory = { memory: { thread: "t-1", resource: "u-1" } };
  const text =
    method === "generate"
      ? (await agent.generate("Weather in Oslo?", memory)).text
      : await (
          await agent.stream("Weather in Oslo?", memory)
        ).text;
  expect(text).toBe("It is cold.");
  const spans = await takeTrace();
  expect(treeOf(spans)).toEqual(TREE);
  const [first, second] = ofType(spans, "llm");
  expect(first?.attributes).toMatchObject({
    ...SPAN_TOKENS,
    model: "chat-1",
    provider: "openai",
    agent: "forecaster",
    finish_reason: "tool-calls",
    prompt_text: "Weather in Oslo?",
    completion_messages: [
      { parts: [{ type: "tool_call", id: "call_1", name: "weather", arguments: { city: "Oslo" } }] },
    ],
  });
  expect(first?.attributes["tool_definitions"]).toMatchObject([{ name: "weather" }, {}, {}]);
  expect(second?.attributes).toMatchObject({ ...SPAN_TOKENS, completion_text: "It is cold." });
  if (method === "stream") expect(second?.attributes["ttft_ms"]).toBeGreaterThan(0);
  expect(spans[0]?.attributes).toMatchObject({ input_text: "Weather in Oslo?", output_text: "It is cold." });
  expect(spans[0]?.attributes).not.toHaveProperty("tokens_input");
  expect(ofType(spans, "tool")[0]?.attributes).toMatchObject({
    tool_name: "weather",
    tool_call_id: "call_1",
    input_text: '{"city":"Oslo"}',
    output_text: '{"city":"Oslo","degrees":-3}',
  });
});

it("records a tool that fails, and a call of the AI SDK inside a tool, in the trace of the app", async () => {
  const agent = createMastra(new ObspanExporter(), "bridge").getAgent("agent");
  server.answerWith(
    { tools: [["a", "broken", {}]] },
    { tools: [["b", "ask", {}]] },
    { text: "inner answer" },
    { text: "Done." },
  );
  await observe("request", () => agent.generate("Go"));
  expect(treeOf(takeAll())).toEqual([
    "span request",
    "  agent forecaster",
    "    task step 1",
    "      llm chat chat",
    "      tool broken ERROR",
    "    task step 2",
    "      llm chat chat",
    "      tool ask",
    "        task generateText",
    "          task step 1",
    "            llm chat inner",
    "    task step 3",
    "      llm chat chat",
  ]);
});

it("records a failed call as one error", async () => {
  const agent = createMastra(new ObspanExporter(), "bridge", plainOpenAI).getAgent("agent");
  server.answerWith({ status: 400, message: "refused by the test" });
  await expect(agent.generate("Hi")).rejects.toThrow("refused by the test");
  const spans = takeAll();
  expect(treeOf(spans)).toEqual([
    "agent forecaster ERROR propagated",
    "  task step 1 ERROR propagated",
    "    llm chat chat ERROR",
  ]);
  expect(spans.at(-1)?.attributes).toMatchObject({
    error_type: "AI_APICallError",
    error_message: "refused by the test",
  });
});

it("records workflows and their steps", async () => {
  const run = await createMastra(new ObspanExporter(), "bridge").getWorkflow("calculate").createRun();
  expect((await run.start({ inputData: { n: 2 } })).status).toBe("success");
  const spans = takeAll();
  expect(treeOf(spans)).toEqual(["task calculate", "  task double", "    span multiply"]);
  expect(spans[1]?.attributes).toMatchObject({ input_text: '{"n":2}', output_text: '{"n":4}' });
});

it("records the same as one of the exporters", async () => {
  const run = await createMastra(new ObspanExporter(), "exporter").getWorkflow("calculate").createRun();
  await run.start({ inputData: { n: 2 } });
  expect(treeOf(takeAll())).toEqual(["task calculate", "  task double", "    span multiply"]);
  const agent = createMastra(new ObspanExporter(), "exporter", plainOpenAI).getAgent("agent");
  server.answerWith({ tools: [["call_1", "weather", { city: "Oslo" }]] }, { text: "It is cold." });
  await agent.generate("Hi");
  expect(treeOf(takeAll())).toEqual(TREE);
});
