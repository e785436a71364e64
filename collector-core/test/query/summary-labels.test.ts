import { describe, expect, it } from "vitest";
import type { TraceDetail, TraceList, TraceSummary } from "../../src/api-schema/trace.js";
import { span, startCollector, type RunningCollector } from "../running-collector.js";

let serial = 0;

/** A span of the trace `t1` with an id of its own. */
function part(attributes: object, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return span({ span_id: `s${serial++}`, ...fields, attributes });
}

async function summaryAfter(
  spans: readonly unknown[],
  settings: Record<string, string> = {},
): Promise<TraceSummary> {
  return (await collectorWith(spans, settings)).summary;
}

async function collectorWith(
  spans: readonly unknown[],
  settings: Record<string, string> = {},
): Promise<{ running: RunningCollector; summary: TraceSummary }> {
  const running = await startCollector(settings);
  expect((await running.post({ spans })).status).toBe(202);
  await running.settled();
  const { traces } = await running.get<TraceList>("/v1/traces?trace_id=t1");
  const detail = await running.get<TraceDetail>("/v1/traces/t1");
  const summary = traces[0] as TraceSummary;
  expect(detail.trace).toEqual(summary);
  return { running, summary };
}

describe("contract 3: session, user, providers, tools and prompts of a trace", () => {
  it("are null or empty if no span names them", async () => {
    expect(await summaryAfter([part({})])).toMatchObject({
      session_id: null,
      user_id: null,
      providers: [],
      tools: [],
      prompts: [],
    });
  });

  it("are the first that spans name, in order of arrival", async () => {
    const summary = await summaryAfter([
      part({ provider: "openai", prompt_name: "greet", prompt_version: 3 }),
      part({ user_id: 42, tool_name: "search" }, { span_type: "tool" }),
      part({ session_id: "first", user_id: "other", provider: "anthropic", prompt_name: "greet" }),
      part({ session_id: "second", provider: "openai", prompt_name: "greet", prompt_version: "3" }),
      part({ tool_name: "fetch" }, { span_type: "tool" }),
      part({ prompt_version: "without a name" }),
    ]);
    expect(summary).toMatchObject({
      session_id: "first",
      user_id: "42",
      providers: ["openai", "anthropic"],
      tools: ["search", "fetch"],
      prompts: ["greet@3", "greet"],
    });
  });

  it("lists as tools only what tool spans name", async () => {
    const summary = await summaryAfter([part({ tool_name: "offered" }, { span_type: "llm" })]);
    expect(summary.tools).toEqual([]);
  });

  it("are at most 20 of each", async () => {
    const spans = Array.from({ length: 50 }, (_, n) =>
      part({ provider: `p${n}`, tool_name: `t${n}`, prompt_name: `n${n}` }, { span_type: "tool" }),
    );
    const { providers, tools, prompts } = await summaryAfter(spans);
    const first20 = (letter: string): string[] => Array.from({ length: 20 }, (_, n) => `${letter}${n}`);
    expect({ providers, tools, prompts }).toEqual({
      providers: first20("p"),
      tools: first20("t"),
      prompts: first20("n"),
    });
  });

  it("stay when the span that named them was dropped by the cap", async () => {
    const named = {
      session_id: "s",
      user_id: "u",
      provider: "openai",
      tool_name: "search",
      prompt_name: "greet",
    };
    const spans = [part(named, { span_type: "tool" }), ...Array.from({ length: 5 }, () => part({}))];
    const summary = await summaryAfter(spans, { TRACE_STORE_MAX_SPANS_PER_TRACE: "2" });
    expect(summary).toMatchObject({
      dropped_spans: 4,
      session_id: "s",
      user_id: "u",
      providers: ["openai"],
      tools: ["search"],
      prompts: ["greet"],
    });
  });

  it("take the labels of the end of a span, and keep the session that its start named", async () => {
    const start = part(
      { session_id: "s", tool_name: "guess" },
      { span_id: "x", span_type: "tool", status: "RUNNING" },
    );
    const end = part(
      { session_id: "later", user_id: "u", tool_name: "search" },
      { span_id: "x", span_type: "tool" },
    );
    expect(await summaryAfter([start, end])).toMatchObject({
      session_id: "s",
      user_id: "u",
      tools: ["search"],
    });
  });

  it("are not those of evaluations", async () => {
    const score = part(
      { session_id: "of the reviewer", user_id: "reviewer", evaluation_type: "thumbs", evaluation_score: 1 },
      { span_type: "evaluation" },
    );
    expect(await summaryAfter([score, part({})])).toMatchObject({ session_id: null, user_id: null });
  });

  it("keep at most 256 characters", async () => {
    const { session_id: session, user_id: user } = await summaryAfter([
      part({ session_id: "s".repeat(10_000), user_id: "🎉".repeat(300) }),
    ]);
    expect(session).toBe("s".repeat(256));
    expect(user).toBe("🎉".repeat(256));
  });

  it("leave out and count values that are no label", async () => {
    const { running, summary } = await collectorWith([
      part({ session_id: { a: 1 }, user_id: true, prompt_name: 7, prompt_version: 1.5 }),
    ]);
    expect(summary).toMatchObject({ session_id: null, user_id: null, prompts: [] });
    for (const field of ["session_id", "user_id", "prompt_name", "prompt_version"])
      expect(await running.metric(`obs_invalid_values_total{field="${field}"}`)).toBe(1);
  });

  it("are redacted like the attributes", async () => {
    const summary = await summaryAfter([part({ user_id: "ada@example.com" })], { REDACTION_ENABLED: "true" });
    expect(summary.user_id).not.toContain("ada@example.com");
  });
});

describe("the memory of session and user", () => {
  it("is charged to the store, and released with the trace", async () => {
    const running = await startCollector();
    const usage = async (): Promise<number> => await running.metric("obs_trace_store_bytes");
    const before = await usage();
    const post = async (attributes: object): Promise<number> => {
      const spans = Array.from({ length: 1000 }, (_, n) =>
        span({ trace_id: `t${n}`, span_id: "s", attributes: { pad: "x".repeat(600), ...attributes } }),
      );
      await running.post({ spans });
      await running.settled();
      const used = await usage();
      await fetch(`${running.url}/v1/traces`, { method: "DELETE" });
      return used;
    };
    const without = await post({ other_id: "s".repeat(256) });
    const named = await post({ session_id: "s".repeat(256) });
    expect(named - without).toBeGreaterThan(400_000);
    expect(named - without).toBeLessThan(700_000);
    expect(await usage()).toBeLessThanOrEqual(before + 100_000);
  });
});
