import {
  Agent,
  addTraceProcessor,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  Runner,
  setTraceProcessors,
  setTracingDisabled,
  tool,
  withTrace,
  type TracingProcessor,
} from "@openai/agents";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { configure, observe, takeSpans } from "../../src/index.js";
import { ObspanTraceProcessor } from "../../src/integrations/openai-agents/index.js";
import { wrapOpenAI } from "../../src/integrations/openai/index.js";
import { startReplayServer, type ReplayServer } from "../replay/replay-server.js";
import { CHAT_TOKENS, chatAnswer, responsesAnswer, responsesError } from "./chat-server.js";
import { readAll } from "./read-stream.js";
import { takeTree } from "./span-tree.js";
import { settled } from "./settled.js";

let server: ReplayServer;
let client: OpenAI;
beforeAll(async () => {
  configure({ service: "agents-test" });
  server = await startReplayServer();
  setTracingDisabled(false);
  // Instead of the processor that sends to OpenAI: one that delays those after it.
  const first: TracingProcessor = {
    onTraceStart: async () => undefined,
    onTraceEnd: async () => undefined,
    onSpanStart: async () => undefined,
    onSpanEnd: async () => undefined,
    shutdown: async () => undefined,
    forceFlush: async () => undefined,
  };
  setTraceProcessors([first]);
  addTraceProcessor(new ObspanTraceProcessor());
});
afterAll(() => server.close());
beforeEach(() => {
  server.reset();
  client = new OpenAI({ apiKey: "k", baseURL: `${server.url}/v1`, maxRetries: 0 });
  takeSpans();
});

const weather = tool({
  name: "weather",
  description: "The weather of a city",
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (city === "Atlantis") throw new TypeError("no such city");
    return observe(`lookup ${city}`, () => `sunny in ${city}`);
  },
});

const support = (name = "support") =>
  new Agent({
    name,
    instructions: "Be short.",
    model: new OpenAIResponsesModel(client, "gpt-5-mini"),
    tools: [weather],
  });

const AGENT_LINES = [
  "task Agent workflow",
  "  agent support",
  "    task turn 1",
  "      llm chat gpt-5-mini-2025-08-07",
  "      tool weather",
  "        span lookup Rome",
  "      tool weather",
  "        span lookup Oslo",
  "    task turn 2",
  "      llm chat gpt-5-mini-2025-08-07",
];

describe.each([false, true])("streamed: %s", (isStream) => {
  it.each(["a plain client", "a wrapped client"])(
    "records an agent with parallel tools over %s",
    async (kind) => {
      if (kind === "a wrapped client") wrapOpenAI(client);
      const calls = [
        ["c1", "weather", { city: "Rome" }],
        ["c2", "weather", { city: "Oslo" }],
      ] as const;
      server.expect(responsesAnswer(calls, isStream));
      server.expect(responsesAnswer("It is sunny.", isStream));
      if (isStream) await readAll(await run(support(), "How is the weather?", { stream: true }));
      else await run(support(), "How is the weather?");
      await settled();

      const tree = takeTree();
      expect(tree.lines).toEqual(AGENT_LINES);
      const [first, second] = tree.ofType("llm");
      for (const { attributes } of tree.ofType("llm")) {
        expect(attributes).toMatchObject({
          ...CHAT_TOKENS,
          provider: "openai",
          model: "gpt-5-mini-2025-08-07",
          agent: "support",
          prompt_text: "How is the weather?",
          tool_definitions: [{ type: "function", name: "weather" }],
        });
      }
      expect(first?.attributes).toMatchObject({
        finish_reason: "tool_calls",
        completion_messages: [
          { parts: [{ type: "tool_call", id: "c1", arguments: { city: "Rome" } }, { id: "c2" }] },
        ],
      });
      expect(second?.attributes).toMatchObject({
        completion_text: "It is sunny.",
        prompt_messages: [
          { role: "system" },
          { role: "user" },
          { role: "assistant", parts: [{ id: "c1" }, { id: "c2" }] },
          { role: "tool", parts: [{ id: "c1", response: "sunny in Rome" }] },
          { role: "tool" },
        ],
      });
      expect(tree.named("support").attributes).toMatchObject({
        input_text: "How is the weather?",
        output_text: "It is sunny.",
      });
      expect(tree.named("turn 1").attributes).toMatchObject({ usage_total_tokens_input: 30 });
      expect(tree.named("Agent workflow").attributes).toMatchObject({ usage_total_tokens_input: 60 });
      for (const { span_type, attributes } of tree.spans)
        if (span_type !== "llm") expect(attributes).not.toHaveProperty("tokens_input");
    },
  );

  it("records chat completions", async () => {
    wrapOpenAI(client);
    server.expect(chatAnswer("Hello", isStream));
    const agent = new Agent({
      name: "chat",
      model: new OpenAIChatCompletionsModel(client, "gpt-5-mini"),
    });
    if (isStream) await readAll(await run(agent, "Hi", { stream: true }));
    else await run(agent, "Hi");
    await settled();
    const [call, ...others] = takeTree().ofType("llm");
    expect(others).toEqual([]);
    expect(call?.attributes).toMatchObject({ ...CHAT_TOKENS, prompt_text: "Hi" });
  });

  it("takes the tokens from the turn where the app hides the data", async () => {
    server.expect(responsesAnswer("Hello", isStream));
    const runner = new Runner({ traceIncludeSensitiveData: false });
    if (isStream) await readAll(await runner.run(support(), "Hi", { stream: true }));
    else await runner.run(support(), "Hi");
    await settled();
    const [call] = takeTree().ofType("llm");
    expect(call?.attributes).toMatchObject({ tokens_input: 30, tokens_output: 12, tokens_cached: 20 });
    expect(call?.attributes).not.toHaveProperty("prompt_text");
  });
});

it("joins the trace of the app, groups runs of one workflow, and leaves the app's context unchanged", async () => {
  server.always(responsesAnswer("Hello"));
  await observe("request", async () => {
    await withTrace("conversation", async () => [await run(support(), "a"), await run(support(), "b")], {
      groupId: "thread-7",
    });
    observe("after", () => 1);
  });
  await settled();
  const tree = takeTree();
  expect(tree.lines.filter((line) => /^ {0,2}\S/.test(line))).toEqual([
    "span request",
    "  task Agent workflow",
    "  task Agent workflow",
    "  span after",
  ]);
  expect(new Set(tree.spans.map(({ trace_id }) => trace_id)).size).toBe(1);
  expect(tree.ofType("llm").map(({ attributes }) => attributes?.["session_id"])).toEqual([
    "thread-7",
    "thread-7",
  ]);
});

it("keeps runs at the same time apart", async () => {
  server.always(responsesAnswer("Hello"));
  await Promise.all([run(support(), "a"), run(support(), "b")]);
  await settled();
  const tree = takeTree();
  const one = [
    "task Agent workflow",
    "  agent support",
    "    task turn 1",
    "      llm chat gpt-5-mini-2025-08-07",
  ];
  expect(tree.lines).toEqual([...one, ...one]);
  expect(new Set(tree.spans.map(({ trace_id }) => trace_id)).size).toBe(2);
});

it("records a hand-off", async () => {
  const triage = Agent.create({
    name: "triage",
    model: new OpenAIResponsesModel(client as never, "gpt-5-mini"),
    handoffs: [support("refunds")],
  });
  server.expect(responsesAnswer([["c1", "transfer_to_refunds", {}]]));
  server.expect(responsesAnswer("Refunded."));
  await run(triage, "Refund A-17");
  await settled();
  const tree = takeTree();
  expect(tree.lines).toEqual(
    expect.arrayContaining(["  agent triage", "  agent refunds", "      task handoff to refunds"]),
  );
  const { attributes } = tree.named("handoff to refunds");
  expect(attributes).toMatchObject({ from_agent: "triage", to_agent: "refunds" });
});

it("records a guardrail", async () => {
  server.expect(responsesAnswer("Hello"));
  const agent = support();
  agent.inputGuardrails = [
    {
      name: "polite",
      execute: async () => observe("check", () => ({ outputInfo: {}, tripwireTriggered: false })),
    },
  ];
  await run(agent, "Hi");
  await settled();
  const tree = takeTree();
  expect(tree.named("polite").attributes).toMatchObject({ guardrail_triggered: false });
  expect(tree.named("check").parent_span_id).toBe(tree.named("polite").span_id);
});

it("records a failed tool, and the error of the provider once", async () => {
  server.expect(responsesAnswer([["c1", "weather", { city: "Atlantis" }]]));
  server.expect(responsesError(500, "overloaded"));
  const error: unknown = await run(support(), "Hi").catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(OpenAI.APIError);
  await settled();
  const tree = takeTree();
  expect(tree.ofType("tool")[0]).toMatchObject({
    status: "ERROR",
    // The Agents SDK hides the details of a failed tool.
    attributes: { error_type: "Error", error_message: "Tool execution failed. Error details are redacted." },
  });
  const counted = tree.spans.filter(
    ({ status, error_propagated }) => status === "ERROR" && error_propagated !== true,
  );
  expect(counted.map(({ span_type }) => span_type)).toEqual(["tool", "llm"]);
});

it("ends the spans of a run that the app aborts", async () => {
  const controller = new AbortController();
  server.expect(responsesAnswer("Hello"), {
    beforePiece() {
      controller.abort();
      return new Promise(() => undefined);
    },
  });
  const running = run(support(), "Hi", { signal: controller.signal });
  await expect(running).rejects.toThrow();
  await settled();
  expect(takeTree().lines).toEqual([
    "task Agent workflow",
    "  agent support",
    "    task turn 1",
    "      llm chat",
  ]);
});

it("leaves the model calls of a run without tracing to a wrapped client", async () => {
  wrapOpenAI(client);
  server.expect(responsesAnswer("Hello"));
  await new Runner({ tracingDisabled: true }).run(support(), "Hi");
  await settled();
  expect(takeTree().lines).toEqual(["llm chat gpt-5-mini"]);
});
