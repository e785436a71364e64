import { query as claudeQuery, type Options, type SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { agent, configure, observe, takeSpans } from "../../src/index.js";
import { wrapQuery } from "../../src/integrations/claude-agent-sdk/index.js";
import { readAll, readFirst } from "./read-stream.js";
import { takeTree } from "./span-tree.js";

beforeAll(() =>
  configure({
    service: "claude-test",
    apiKey: "collector-key",
    pushUrl: "http://127.0.0.1:9",
    flushInterval: 600,
  }),
);
beforeEach(() => void takeSpans());

type Step = Readonly<Record<string, unknown>>;

/** Options for a process that answers each prompt with the steps of a turn. */
function script(...turns: readonly (readonly Step[])[]): Options {
  return {
    pathToClaudeCodeExecutable: join(import.meta.dirname, "claude-code.mjs"),
    env: { PATH: process.env["PATH"], CLAUDE_SCRIPT: JSON.stringify(turns) },
  };
}

interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly read?: number;
  readonly write?: number;
}

const usageOf = ({ input, output, read = 0, write = 0 }: Tokens) => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: write,
});

/** A message with one block of an answer, as Claude Code sends it. */
function block(id: string, content: Step, tokens: Tokens, parent: string | null = null): Step {
  const message = {
    id,
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [content],
    stop_reason: null,
    usage: usageOf(tokens),
  };
  return { type: "assistant", message, parent_tool_use_id: parent, request_id: `req_${id}` };
}

const text = (content: string): Step => ({ type: "text", text: content });
const toolUse = (id: string, name: string, input: Step): Step => ({ type: "tool_use", id, name, input });

function toolResult(id: string, content: string, isError = false, parent: string | null = null): Step {
  const result = {
    type: "tool_result",
    tool_use_id: id,
    content: [text(content)],
    ...(isError && { is_error: true }),
  };
  return { type: "user", message: { role: "user", content: [result] }, parent_tool_use_id: parent };
}

function result(answer: string, total: Tokens, costUsd: number, more: Step = {}): Step {
  return {
    type: "result",
    subtype: "success",
    is_error: false,
    duration_ms: 20,
    duration_api_ms: 15,
    num_turns: 2,
    result: answer,
    stop_reason: "end_turn",
    ttft_ms: 12.5,
    total_cost_usd: costUsd,
    usage: usageOf(total),
    modelUsage: {
      "claude-sonnet-4-5": {
        inputTokens: total.input,
        outputTokens: total.output,
        cacheReadInputTokens: total.read ?? 0,
        cacheCreationInputTokens: total.write ?? 0,
        webSearchRequests: 0,
        costUSD: costUsd,
        contextWindow: 200_000,
      },
    },
    permission_denials: [],
    ...more,
  };
}

/** The numbers of a recorded run with two parallel calls of a tool; 4 and 1 are provisional output tokens. */
const PRICES: readonly Step[] = [
  block("msg_1", text("Looking up both."), { input: 140, output: 4, write: 950 }),
  block("msg_1", toolUse("toolu_1", "mcp__shop__get_price", { item: "lamp" }), {
    input: 140,
    output: 4,
    write: 950,
  }),
  block("msg_1", toolUse("toolu_2", "mcp__shop__get_price", { item: "unicorn" }), {
    input: 140,
    output: 4,
    write: 950,
  }),
  {
    hook: "PreToolUse",
    input: { tool_use_id: "toolu_1", tool_name: "mcp__shop__get_price", tool_input: {} },
  },
  {
    hook: "PreToolUse",
    input: { tool_use_id: "toolu_2", tool_name: "mcp__shop__get_price", tool_input: {} },
  },
  { pauseMs: 15 },
  {
    hook: "PostToolUse",
    input: { tool_use_id: "toolu_1", tool_name: "mcp__shop__get_price", tool_input: {}, tool_response: {} },
  },
  {
    hook: "PostToolUseFailure",
    input: { tool_use_id: "toolu_2", tool_name: "mcp__shop__get_price", tool_input: {}, error: "" },
  },
  { pauseMs: 15 },
  toolResult("toolu_1", "19.90 EUR"),
  toolResult("toolu_2", "no such item", true),
  block("msg_2", text("A lamp costs 19.90 EUR."), { input: 33, output: 1, read: 950, write: 120 }),
  result("A lamp costs 19.90 EUR.", { input: 173, output: 78, read: 950, write: 1070 }, 0.0059865),
];

const LINES = [
  "agent claude",
  "  task turn 1",
  "    llm chat claude-sonnet-4-5",
  "    tool mcp__shop__get_price",
  "    tool mcp__shop__get_price",
  "    llm chat claude-sonnet-4-5",
];

const query = wrapQuery(claudeQuery);

it("records the agent, its turn, the model calls and parallel tools, with the tokens and the cost of the run", async () => {
  const messages = await readAll(query({ prompt: "What does a lamp cost?", options: script(PRICES) }));
  expect(messages.map(({ type }) => type)).toEqual([
    "system",
    "assistant",
    "assistant",
    "assistant",
    "user",
    "user",
    "assistant",
    "result",
  ]);
  const tree = takeTree();
  expect(tree.lines).toEqual(LINES);
  const [first, second] = tree.ofType("llm").map(({ attributes = {} }) => attributes);
  expect(first).toMatchObject({
    model: "claude-sonnet-4-5",
    provider: "anthropic",
    tokens_input: 1090,
    tokens_cached: 0,
    tokens_cache_write: 950,
    request_id: "req_msg_1",
    prompt_text: "What does a lamp cost?",
    completion_text: "Looking up both.",
    ttft_ms: 12.5,
    agent: "claude",
    session_id: "5b9ccf2c-4be1-4d3c-8f44-4f6e4aa2a9d1",
  });
  expect(second).toMatchObject({
    tokens_input: 1103,
    tokens_cached: 950,
    prompt_messages: [
      { role: "tool", parts: [{ id: "toolu_1", response: "19.90 EUR" }] },
      { role: "tool", parts: [{ id: "toolu_2", response: "no such item" }] },
    ],
  });
  const sum = (key: string) => Number(first?.[key]) + Number(second?.[key]);
  expect(sum("tokens_output")).toBe(78);
  expect(sum("cost_usd")).toBeCloseTo(0.0059865, 9);
  expect(tree.ofType("tool").map(({ status, attributes }) => [status, attributes?.["output_text"]])).toEqual([
    ["OK", "19.90 EUR"],
    ["ERROR", "no such item"],
  ]);
  expect(tree.named("turn 1").attributes).toMatchObject({
    usage_total_tokens_input: 2193,
    usage_total_tokens_output: 78,
  });
  expect(tree.named("claude").attributes).toMatchObject({
    input_text: "What does a lamp cost?",
    output_text: "A lamp costs 19.90 EUR.",
    claude_code_version: "2.1.330",
  });
  for (const { span_type, attributes } of tree.spans)
    if (span_type !== "llm") expect(Object.keys(attributes ?? {})).not.toContain("tokens_input");
});

it("takes the times of tools from the hooks, even where the app reads late, and keeps the app's hooks", async () => {
  const called: string[] = [];
  const hooks: Options["hooks"] = {
    PreToolUse: [
      { matcher: "mcp__.*", hooks: [async ({ hook_event_name }) => (called.push(hook_event_name), {})] },
    ],
  };
  const options = { ...script(PRICES), hooks };
  for await (const { type } of query({ prompt: "Hi", options }))
    if (type === "user") await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(called).toEqual(["PreToolUse", "PreToolUse"]);
  expect(hooks.PreToolUse).toHaveLength(1);
  for (const { duration_ms } of takeTree().ofType("tool")) {
    expect(duration_ms).toBeGreaterThanOrEqual(10);
    expect(duration_ms).toBeLessThan(1000);
  }
});

it("has exact tokens for each call where the app asks for stream events", async () => {
  const event = (data: Step, ttft_ms?: number): Step => ({
    type: "stream_event",
    event: data,
    parent_tool_use_id: null,
    ttft_ms,
  });
  const steps = [
    event(
      {
        type: "message_start",
        message: { id: "m1", model: "claude-sonnet-4-5", usage: usageOf({ input: 10, output: 1 }) },
      },
      7,
    ),
    event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } }),
    block("m1", toolUse("t1", "Read", {}), { input: 10, output: 1 }),
    event({ type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 30 } }),
    toolResult("t1", "text"),
    event({
      type: "message_start",
      message: { id: "m2", model: "claude-sonnet-4-5", usage: usageOf({ input: 12, output: 1 }) },
    }),
    block("m2", text("Done"), { input: 12, output: 1 }),
    event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } }),
    result("Done", { input: 22, output: 35 }, 0.01),
  ];
  await readAll(query({ prompt: "Hi", options: { ...script(steps), includePartialMessages: true } }));
  expect(
    takeTree()
      .ofType("llm")
      .map(({ attributes }) => [attributes?.["tokens_output"], attributes?.["finish_reason"]]),
  ).toEqual([
    [30, "tool_use"],
    [5, "end_turn"],
  ]);
});

it("records a sub-agent below the tool that started it, and calls that no message tells of", async () => {
  const steps = [
    block("m1", toolUse("task_1", "Agent", { prompt: "look" }), { input: 10, output: 20 }),
    block("s1", toolUse("read_1", "Read", {}), { input: 5, output: 6 }, "task_1"),
    toolResult("read_1", "text", false, "task_1"),
    toolResult("task_1", "found"),
    block("m2", text("Done"), { input: 15, output: 4 }),
    result("Done", { input: 130, output: 40 }, 0.01),
  ];
  await readAll(query({ prompt: "Hi", options: script(steps) }));
  const tree = takeTree();
  expect(tree.lines).toEqual([
    "agent claude",
    "  task turn 1",
    "    llm chat claude-sonnet-4-5",
    "    tool Agent",
    "      llm chat claude-sonnet-4-5",
    "      tool Read",
    "    llm chat claude-sonnet-4-5",
    "    llm chat claude-sonnet-4-5",
  ]);
  const calls = tree.ofType("llm").map(({ attributes = {} }) => attributes);
  const total = (key: string) => calls.reduce((all, attributes) => all + Number(attributes[key] ?? 0), 0);
  expect([total("tokens_input"), total("tokens_output")]).toEqual([130, 40]);
  expect(total("cost_usd")).toBeCloseTo(0.01, 9);
  expect(calls.filter(({ aggregated }) => aggregated === true)).toMatchObject([
    { tokens_input: 100, tokens_output: 10 },
  ]);
});

it("counts the totals of several prompts once", async () => {
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    for (const content of ["one", "two"])
      yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null };
  }
  const options = script(
    [block("m1", text("1"), { input: 10, output: 1 }), result("1", { input: 10, output: 8 }, 0.01)],
    [block("m2", text("2"), { input: 12, output: 1 }), result("2", { input: 22, output: 20 }, 0.03)],
  );
  const running = query({ prompt: prompts(), options });
  let results = 0;
  for await (const { type } of running) if (type === "result" && ++results === 2) break;
  const tree = takeTree();
  expect(tree.lines.filter((line) => line.includes("turn"))).toEqual(["  task turn 1", "  task turn 2"]);
  expect(
    tree.ofType("llm").map(({ attributes }) => [attributes?.["prompt_text"], attributes?.["tokens_output"]]),
  ).toEqual([
    ["one", 8],
    ["two", 12],
  ]);
  expect(tree.ofType("llm").map(({ attributes }) => Number(attributes?.["cost_usd"]).toFixed(4))).toEqual([
    "0.0100",
    "0.0200",
  ]);
});

it("does not count the totals of a resumed session again", async () => {
  const steps = [
    block("m1", text("1"), { input: 10, output: 1 }),
    result("1", { input: 10, output: 8 }, 5, {
      modelUsage: { "claude-sonnet-4-5": { inputTokens: 9000, outputTokens: 9000, costUSD: 5 } },
    }),
  ];
  await readAll(
    query({ prompt: "Hi", options: { ...script(steps), resume: "5b9ccf2c-4be1-4d3c-8f44-4f6e4aa2a9d1" } }),
  );
  const [call, ...others] = takeTree().ofType("llm");
  expect(others).toEqual([]);
  expect(call?.attributes).toMatchObject({ tokens_input: 10, tokens_output: 8 });
  expect(call?.attributes).not.toHaveProperty("cost_usd");
});

describe("the process of Claude Code", () => {
  const environmentOf = async (wrapped: typeof claudeQuery, options: Options) => {
    const init = await readFirst(wrapped({ prompt: "Hi", options }));
    return Object.fromEntries((init as unknown as { environment: [string, string][] }).environment);
  };

  it("gets the trace, and no other variable unless the app asks for it", async () => {
    const environment = await agent("support", async () => await environmentOf(query, script([])))();
    const tree = takeTree();
    expect(tree.lines.slice(0, 2)).toEqual(["agent support", "  agent claude"]);
    const { trace_id, span_id } = tree.named("claude");
    expect(environment).toEqual({ TRACEPARENT: `00-${trace_id}-${span_id ?? ""}-01` });
  });

  it("sends its own spans to the collector where the app asks for it, and each call is recorded once", async () => {
    const withTelemetry = wrapQuery(claudeQuery, { childTelemetry: true });
    expect(await environmentOf(withTelemetry, script([]))).toMatchObject({
      CLAUDE_CODE_ENABLE_TELEMETRY: "1",
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
      OTEL_EXPORTER_OTLP_HEADERS: "X-API-Key=collector-key",
    });
    takeSpans();
    await readAll(withTelemetry({ prompt: "Hi", options: script(PRICES) }));
    expect(takeTree().lines).toEqual(["agent claude", "  task turn 1"]);
  });

  it("keeps the variables of the app", async () => {
    const options = script([]);
    options.env = {
      ...options.env,
      TRACEPARENT: `00-${"1".repeat(32)}-${"2".repeat(16)}-01`,
      OTEL_TRACES_EXPORTER: "none",
    };
    expect(await environmentOf(wrapQuery(claudeQuery, { childTelemetry: true }), options)).toEqual({
      TRACEPARENT: options.env["TRACEPARENT"],
      OTEL_TRACES_EXPORTER: "none",
    });
  });
});

it("keeps the methods of the query, and runs the app's code outside the span", async () => {
  const running = query({ prompt: "Hi", options: script(PRICES) });
  expect(typeof running.interrupt).toBe("function");
  expect(running[Symbol.asyncIterator]()).toBe(running);
  await running.next();
  observe("app", () => 1);
  await readAll(running);
  expect(takeTree().named("app").parent_span_id ?? null).toBeNull();
});

describe("errors", () => {
  it("of the run are on the agent and its turn, and the app gets the result", async () => {
    const failure = result("", { input: 10, output: 1 }, 0.001, {
      subtype: "error_max_turns",
      is_error: true,
      errors: ["Reached the limit"],
    });
    await readAll(
      query({ prompt: "Hi", options: script([block("m1", text("1"), { input: 10, output: 1 }), failure]) }),
    ).catch(() => undefined);
    const tree = takeTree();
    expect(tree.named("turn 1")).toMatchObject({
      status: "ERROR",
      attributes: { error_type: "error_max_turns", error_message: "Reached the limit" },
    });
    expect(tree.named("claude")).toMatchObject({ status: "ERROR", error_propagated: true });
  });

  it("of a process that ends early reach the app as the same object", async () => {
    const steps = [block("m1", toolUse("t1", "Bash", {}), { input: 10, output: 1 }), { crash: 3 }];
    const error: unknown = await readAll(query({ prompt: "Hi", options: script(steps) })).catch(
      (thrown: unknown) => thrown,
    );
    expect(String(error)).toContain("exited with code 3");
    const tree = takeTree();
    expect(tree.named("claude")).toMatchObject({ status: "ERROR", error_propagated: true });
    expect(tree.named("turn 1")).toMatchObject({
      status: "ERROR",
      attributes: { error_message: expect.stringContaining("code 3") },
    });
    expect(tree.named("Bash").attributes).toMatchObject({ aborted: true });
    expect(tree.ofType("llm")[0]?.attributes).toMatchObject({ tokens_input: 10 });
  });
});

it("ends the spans of a query that the app stops reading, closes or aborts", async () => {
  const steps = [block("m1", text("1"), { input: 10, output: 1 }), { pauseMs: 60_000 }];
  for await (const { type } of query({ prompt: "Hi", options: script(steps) }))
    if (type === "assistant") break;
  expect(takeTree().named("claude").attributes).toMatchObject({ aborted: true });

  const closed = query({ prompt: "Hi", options: script(steps) });
  await closed.next();
  closed.close();
  expect(takeTree().named("claude").attributes).toMatchObject({ aborted: true });

  const controller = new AbortController();
  const aborted = readAll(
    query({ prompt: "Hi", options: { ...script(steps), abortController: controller } }),
  );
  setTimeout(() => controller.abort(), 500);
  await expect(aborted).rejects.toThrow();
  expect(takeTree().named("claude")).toMatchObject({ status: "ERROR" });
});

it("warns when it gets no function", () => {
  expect(wrapQuery({} as never)).toEqual({});
});

it.each([
  ["nothing", () => undefined],
  ["a text", () => "mocked"],
  [
    "a frozen generator",
    () =>
      Object.freeze(
        (async function* () {
          yield { type: "result" };
        })(),
      ),
  ],
])("a mock that returns %s works as before, and its span ends", (_what, create) => {
  const result = create();
  const mock = (() => result) as unknown as typeof claudeQuery;
  expect(wrapQuery(mock)({ prompt: "Hi" })).toBe(result);
  expect(takeSpans().map(({ name, status }) => [name, status])).toContainEqual(["claude", "OK"]);
});
