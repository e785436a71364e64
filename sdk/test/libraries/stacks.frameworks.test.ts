import { createOpenAI } from "@ai-sdk/openai";
import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { Observability } from "@mastra/observability";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { generateText } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { configure, observe } from "../../src/index.js";
import { registerAISDK } from "../../src/integrations/ai-sdk/index.js";
import type { FetchHook } from "../../src/integrations/fetch/hook-fetch.js";
import { ObspanExporter } from "../../src/integrations/mastra/index.js";
import { wrapMcpClient, wrapMcpServer } from "../../src/integrations/mcp/index.js";
import { wrapOpenAI } from "../../src/integrations/openai/index.js";
import { SPAN_TOKENS, startChatServer, type ChatServer } from "./completion-server.js";
import { expectOneCall, expectOneTrace, hookFetchOf } from "./one-call.js";
import { takeAll, takeTrace, treeOf } from "./taken-spans.js";

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

const model = () => createOpenAI({ apiKey: "test-key", baseURL: server.url }).chat("m");

type Role = "bridge" | "exporter";

function createAgent(role: Role, provider = model()): Agent {
  const agent = new Agent({
    id: "forecaster",
    name: "forecaster",
    instructions: "Be brief.",
    // Mastra declares the interface of a newer provider.
    model: provider as never,
    maxRetries: 0,
  });
  const exporter = new ObspanExporter();
  const observed = role === "bridge" ? { bridge: exporter } : { exporters: [exporter] };
  const configs = { default: { serviceName: "shop", ...observed } };
  const mastra = new Mastra({
    agents: { agent },
    logger: false,
    observability: new Observability({ configs }),
  });
  return mastra.getAgent("agent");
}

/** A model whose provider sends its requests with a wrapped client. */
function modelOverWrappedClient() {
  const client = wrapOpenAI(new OpenAI({ apiKey: "test-key", baseURL: server.url, maxRetries: 0 }));
  const fetchWithClient: typeof fetch = async (_, init) => {
    const body = JSON.parse(init?.body as string) as OpenAI.ChatCompletionCreateParamsNonStreaming;
    return await client.chat.completions.create(body).asResponse();
  };
  return createOpenAI({ apiKey: "test-key", baseURL: server.url, fetch: fetchWithClient }).chat("m");
}

const ask = async (agent: Agent, isStream: boolean): Promise<string> =>
  isStream ? await (await agent.stream("Hi")).text : (await agent.generate("Hi")).text;

describe.each(["bridge", "exporter"] as const)("Mastra over the AI SDK, as %s", (role) => {
  describe.each([false, true])("streamed: %s", (isStream) => {
    it.each([
      ["fetch that is hooked", model],
      ["a wrapped client", modelOverWrappedClient],
    ])("has one model span over %s", async (_, provider) => {
      server.answerWith({ text: "It is cold." });
      expect(await ask(createAgent(role, provider()), isStream)).toBe("It is cold.");
      const spans = await takeTrace();
      expect(treeOf(spans)).toEqual(["agent forecaster", "  task step 1", "    llm chat m"]);
      expectOneCall(spans, { tokens: SPAN_TOKENS });
      expect(hook.recorded.size).toBe(0);
    });

    it("records the calls of the app after it", async () => {
      const client = wrapOpenAI(new OpenAI({ apiKey: "test-key", baseURL: server.url, maxRetries: 0 }));
      server.answerWith({ text: "It is cold." }, { text: "It is warm." });
      const agent = createAgent(role);
      await observe("request", async () => {
        await ask(agent, isStream);
        await client.chat.completions.create({ model: "own", messages: [] });
      });
      expect(treeOf(await takeTrace())).toEqual([
        "span request",
        "  agent forecaster",
        "    task step 1",
        "      llm chat m",
        "  llm chat own",
      ]);
      server.answerWith({ text: "It is cold." }, { text: "It is warm." });
      await ask(agent, isStream);
      await takeTrace();
      await client.chat.completions.create({ model: "own", messages: [] });
      expect(treeOf(await takeTrace())).toEqual(["llm chat own"]);
    });
  });
});

it("MCP client and server, both wrapped: two spans of one call, and one model call inside", async () => {
  const tools = wrapMcpServer(new McpServer({ name: "notes", version: "1.0.0" }));
  tools.registerTool("ask", {}, async () => {
    const { text } = await generateText({ model: model(), prompt: "Hi" });
    return { content: [{ type: "text", text }] };
  });
  const client = wrapMcpClient(new Client({ name: "app", version: "1.0.0" }));
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await tools.connect(serverSide);
  await client.connect(clientSide);
  onTestFinished(() => client.close());
  server.answerWith({ text: "Hello" });
  await observe("request", () => client.callTool({ name: "ask" }));
  const spans = takeAll();
  expect(treeOf(spans)).toEqual([
    "span request",
    "  tool ask",
    "    span ask",
    "      task generateText",
    "        task step 1",
    "          llm chat m",
  ]);
  expectOneCall(spans, { tokens: SPAN_TOKENS });
  expectOneTrace(spans);
});
