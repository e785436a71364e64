import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  setTraceProcessors,
  setTracingDisabled,
} from "@openai/agents";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { configure, llm, observe, tool } from "../../src/index.js";
import type { FetchHook } from "../../src/integrations/fetch/hook-fetch.js";
import { ObspanTraceProcessor } from "../../src/integrations/openai-agents/index.js";
import { wrapOpenAI } from "../../src/integrations/openai/index.js";
import { startReplayServer, type ReplayServer } from "../replay/replay-server.js";
import { CHAT_TOKENS, chatAnswer, responsesAnswer } from "./chat-server.js";
import { expectOneCall, expectOneTrace, hasTokens, hookFetchOf } from "./one-call.js";
import { readAll } from "./read-stream.js";
import { ofType, takeAll, treeOf } from "./taken-spans.js";
import { settled } from "./settled.js";

let server: ReplayServer;
let hook: FetchHook;
beforeAll(async () => {
  configure({ service: "stacks-test", enableCostCalculation: true });
  server = await startReplayServer();
  hook = hookFetchOf(server.url);
  setTracingDisabled(false);
  setTraceProcessors([new ObspanTraceProcessor()]);
});
afterAll(() => server.close());
beforeEach(() => {
  server.reset();
  takeAll();
});

const createClient = () => new OpenAI({ apiKey: "k", baseURL: `${server.url}/v1`, maxRetries: 0 });

const request = { model: "gpt-5-mini", messages: [{ role: "user" as const, content: "Hi" }] };

async function ask(client: OpenAI, isStream: boolean): Promise<unknown> {
  return isStream
    ? await readAll(await client.chat.completions.create({ ...request, stream: true }))
    : await client.chat.completions.create(request);
}

const AGENT_MODELS = [
  ["responses", OpenAIResponsesModel, responsesAnswer],
  ["chat completions", OpenAIChatCompletionsModel, chatAnswer],
] as const;

describe.each([false, true])("streamed: %s", (isStream) => {
  describe.each(AGENT_MODELS)("OpenAI Agents with %s", (_, Model, answer) => {
    it.each([false, true])("over fetch that is hooked, wrapOpenAI: %s: one model span", async (isWrapped) => {
      server.expect(answer("Hello there", isStream));
      const client = isWrapped ? wrapOpenAI(createClient()) : createClient();
      const agent = new Agent({
        name: "support",
        instructions: "Be short.",
        model: new Model(client, "gpt-5-mini"),
      });
      if (isStream) await readAll(await run(agent, "Hi", { stream: true }));
      else await run(agent, "Hi");
      await settled();
      const spans = takeAll();
      const call = expectOneCall(spans, { tokens: CHAT_TOKENS });
      expect(treeOf(spans)).toEqual([
        "task Agent workflow",
        "  agent support",
        "    task turn 1",
        `      llm ${call.name}`,
      ]);
    });
  });

  it("wrapOpenAI over fetch that is hooked: one model span", async () => {
    server.expect(chatAnswer("Hello there", isStream));
    const client = wrapOpenAI(createClient());
    await observe("request", () => ask(client, isStream));
    const spans = takeAll();
    expectOneCall(spans, { tokens: CHAT_TOKENS });
    expect(treeOf(spans)).toEqual(["span request", "  llm chat gpt-5-mini"]);
  });

  it.each(["a wrapped client", "fetch that is hooked"])(
    "llm() around %s: its parent, without the usage",
    async (layer) => {
      server.expect(chatAnswer("Hello there", isStream));
      const client = layer === "a wrapped client" ? wrapOpenAI(createClient()) : createClient();
      await llm("answer", () => ask(client, isStream))();
      const spans = takeAll();
      expect(treeOf(spans)).toEqual(["llm answer", "  llm chat gpt-5-mini"]);
      expectOneTrace(spans);
      expect(spans.filter(hasTokens).map(({ name }) => name)).toEqual(["chat gpt-5-mini"]);
      expect(ofType(spans, "llm")[1]?.attributes).toMatchObject(CHAT_TOKENS);
    },
  );

  it("llm() around a step with a wrapped client has no usage, also with a step between", async () => {
    server.expect(chatAnswer("Hello there", isStream));
    const client = wrapOpenAI(createClient());
    await llm("answer", () => observe("step", () => ask(client, isStream)))();
    const spans = takeAll();
    expect(treeOf(spans)).toEqual(["llm answer", "  span step", "    llm chat gpt-5-mini"]);
    expect(spans.filter(hasTokens).map(({ name }) => name)).toEqual(["chat gpt-5-mini"]);
    expect(spans.filter(({ attributes }) => "cost_usd" in attributes).map(({ name }) => name)).toEqual([
      "chat gpt-5-mini",
    ]);
  });

  it("llm() keeps its own usage if the model call inside belongs to a tool", async () => {
    server.expect(chatAnswer("Hello there", isStream));
    const client = wrapOpenAI(createClient());
    const search = tool("search", () => ask(client, isStream));
    await llm("answer", async () => {
      await search();
      return { model: "own", usage: { input_tokens: 3, output_tokens: 4 } };
    })();
    const [answer, , call] = takeAll();
    expect(answer?.attributes).toMatchObject({ tokens_input: 3, tokens_output: 4 });
    expect(call?.attributes).toMatchObject(CHAT_TOKENS);
  });

  it("llm() that returns the stream or the response of a wrapped client has no usage", async () => {
    server.expect(chatAnswer("Hello there", isStream));
    const client = wrapOpenAI(createClient());
    const answer = llm(
      "answer",
      async (stream: boolean) => await client.chat.completions.create({ ...request, stream }),
    );
    const result = await answer(isStream);
    if (Symbol.asyncIterator in result) await readAll(result);
    const spans = takeAll();
    expect(treeOf(spans)).toEqual(["llm answer", "  llm chat gpt-5-mini"]);
    expect(spans.filter(hasTokens).map(({ name }) => name)).toEqual(["chat gpt-5-mini"]);
  });
});

it("records a client that is not wrapped by the hook", async () => {
  const before = hook.recorded.get(new URL(server.url).host) ?? 0;
  server.expect(chatAnswer("Hello there"));
  await ask(createClient(), false);
  expectOneCall(takeAll(), { tokens: CHAT_TOKENS });
  expect(hook.recorded.get(new URL(server.url).host)).toBe(before + 1);
});
