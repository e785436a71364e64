import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ContextReader, contextOf, type ModelFacts } from "../../src/analysis/context/call-context.js";
import { outlineOf } from "../../src/analysis/context/call-outline.js";
import { isOneCall } from "../../src/analysis/context/is-one-call.js";
import { scaleTokens } from "../../src/analysis/context/scale-tokens.js";
import { buildSpanTree } from "../../src/analysis/span-tree.js";
import type { CallContext } from "../../src/api-schema/context.js";
import type { NormalizedSpan } from "../../src/api-schema/trace.js";
import { shortenTexts } from "../../src/query/shorten-texts.js";
import { capturedTraces } from "./captured-traces.js";
import { newSpan } from "./spans.js";
import { randomRuns } from "../random-runs.js";

const text = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });
const call = (id: string, name: string) => ({ type: "tool_call", id, name, arguments: { order: id } });
const calling = (...calls: object[]) => ({ role: "assistant", parts: calls });
const result = (id: string, response: unknown) => ({
  role: "tool",
  parts: [{ type: "tool_call_response", id, response }],
});
/** About so many tokens. */
const words = (count: number, seed = "word"): string =>
  Array.from({ length: count }, (_, index) => `${seed} ${index}`).join(" ");

const MODEL: ModelFacts = { input_per_1m: 3, cached_input_per_1m: 0.3, context_window: 200_000 };
const TOOLS = [{ type: "function", name: "track", description: words(30) }];

function model(id: string, startMs: number, input: object[], attributes: object = {}): NormalizedSpan {
  const shared = { model: "m", provider: "openai", tool_definitions: TOOLS, ttft_ms: 10 };
  return newSpan(id, "agent", startMs, 50, {
    span_type: "llm",
    attributes: { ...shared, prompt_messages: input, ...attributes } as never,
  });
}

const agent = newSpan("agent", null, 0, 10_000, { span_type: "agent", attributes: { agent: "shipping" } });

function read(spanId: string, ...spans: NormalizedSpan[]): CallContext {
  const context = contextOf([agent, ...spans], spanId, () => MODEL);
  if (context === undefined) throw new Error("The span is no model call.");
  return context;
}

const sumOf = ({ parts }: CallContext): number => parts.reduce((sum, { tokens }) => sum + tokens, 0);

describe("the context of a call", () => {
  const SYSTEM = `Be brief.\nCurrent time: 14:36\n${words(2000)}`;
  const history = [text("system", SYSTEM), text("user", "Where is it?")];

  it("has the parts of the request, scaled to the tokens that the provider counted", () => {
    const documents = [
      { title: "late.txt", content: words(120, "late") },
      { title: "lost.txt", content: words(90, "lost") },
    ];
    const search = newSpan("search", "agent", 1, 5, {
      span_type: "retrieval",
      attributes: { output_text: JSON.stringify(documents) },
    });
    const image = {
      type: "blob",
      modality: "image",
      mime_type: "image/png",
      content: Buffer.from(
        "89504e470d0a1a0a0000000d49484452000004440000032c08060000000000000000000000",
        "hex",
      ).toString("base64"),
    };
    const context = read(
      "a",
      search,
      model(
        "a",
        10,
        [
          text("system", `Be brief.\n<memory name="customer">Prefers mail.</memory>`),
          text("user", `Use these: ${documents.map(({ content }) => content).join("\n")}`),
          { role: "user", parts: [{ type: "text", content: "And this?" }, image] },
          calling(call("c1", "track")),
          result("c1", { state: "late" }),
        ],
        { tokens_input: 5000 },
      ),
    );
    expect(context).toMatchObject({ agent: "shipping", window_tokens: 200_000, tokens: 5000, call: 1 });
    expect(context.parts.map(({ kind, items, detail }) => [kind, items, detail])).toEqual([
      ["tools", 1, null],
      ["system", 1, null],
      ["memory", 1, "customer"],
      ["retrieved", 2, null],
      ["user", 2, null],
      ["assistant", 1, null],
      ["images", 1, "1092 × 812"],
      ["results", 1, null],
    ]);
    expect(sumOf(context)).toBe(5000);
  });

  it("is estimated where nothing is reported, and one unknown part where no text is recorded", () => {
    const estimated = read("a", model("a", 1, history));
    expect(estimated.tokens_reported).toBe(false);
    expect(sumOf(estimated)).toBe(estimated.tokens);
    expect(estimated.tokens).toBeGreaterThan(1000);
    const silent = read("a", model("a", 1, [], { tokens_input: 70, tool_definitions: undefined }));
    expect(silent.parts).toEqual([{ kind: "unknown", tokens: 70, items: 0, equal_items: 0, detail: null }]);
  });

  it.each<[string, (turn: number) => Partial<{ system: string; tools: object[]; first: string }>]>([
    ["timestamp", (turn) => ({ system: SYSTEM.replace("36", `${36 + turn}`) })],
    ["id", (turn) => ({ system: `Session 8c1f-${turn}a2b3c4d5e.\n${SYSTEM}` })],
    ["number", (turn) => ({ system: `Credit: ${turn * 17 + 20}\n${SYSTEM}` })],
    ["system_prompt", (turn) => ({ system: turn === 0 ? SYSTEM : `Be kind.\n${SYSTEM}` })],
    ["tool_list", (turn) => ({ tools: turn === 0 ? TOOLS : [{ ...TOOLS[0], name: "new" }, ...TOOLS] })],
    ["history", (turn) => ({ first: turn === 0 ? words(900, "old") : "[summary]" })],
  ])("tells that the cache broke by a change: %s", (cause, change) => {
    const at = (turn: number, extra: object[]) => {
      const { system = SYSTEM, tools = TOOLS, first = "Where is it?" } = change(turn);
      const kept = text("assistant", words(2000, "kept"));
      const input: object[] = [text("system", system), text("user", first), kept, ...extra];
      return [input, tools] as const;
    };
    const [one, tools] = at(0, []);
    const [two, others] = at(1, [text("user", "And now?")]);
    const context = read(
      "b",
      model("a", 1, one, { tokens_input: 12_000, tokens_cached: 0, tool_definitions: tools }),
      model("b", 100, two, { tokens_input: 12_100, tokens_cached: 64, tool_definitions: others }),
    );
    expect(context.cache_break?.cause).toBe(cause);
    expect(context.compared_with).toBe("a");
    const { tokens_again: again = 0, lines = [], cost_usd: cost } = context.cache_break ?? {};
    expect(again).toBeGreaterThan(1024);
    expect(again).toBeLessThanOrEqual(12_000 - 64);
    expect(cost).toBeCloseTo((again * 2.7) / 1e6);
    // The list of calls tells the same.
    expect(context.calls.at(-1)).toMatchObject({ cause, tokens_again: again, again_cost_usd: cost });
    expect(lines.length).toBeGreaterThan(0);
  });

  it("shows the changed words of the line, and the line before it", () => {
    const later = [text("system", SYSTEM.replace("14:36", "14:37")), ...history.slice(1), text("user", "?")];
    const { cache_break: found } = read(
      "b",
      model("a", 1, history, { tokens_input: 8000, tokens_cached: 0 }),
      model("b", 100, later, { tokens_input: 8000, tokens_cached: 0 }),
    );
    expect(found?.lines).toEqual([
      { type: "same", number: 1, text: "Be brief.", changed: [] },
      { type: "removed", number: 2, text: "Current time: 14:36", changed: [17, 19] },
      { type: "added", number: 2, text: "Current time: 14:37", changed: [17, 19] },
    ]);
    expect(found?.ttft_delta_ms).toBeNull();
  });

  it("tells an expired cache from one that the provider did not read, by the time between the calls", () => {
    const causeAfter = (ms: number) =>
      read(
        "c",
        model("a", 1, history, { tokens_input: 8000, tokens_cached: 0 }),
        model("b", 100, history, { tokens_input: 8000, tokens_cached: 7900, ttft_ms: 20 }),
        model("c", 200 + ms, history, { tokens_input: 8000, tokens_cached: 0, ttft_ms: 100 }),
      ).cache_break;
    expect(causeAfter(1000)).toMatchObject({ cause: "unknown", lines: [], ttft_delta_ms: 80 });
    expect(causeAfter(6 * 60_000)?.cause).toBe("expired");
  });

  it("finds no break where nothing tells of a cache, or where only the beginning is cached by request", () => {
    const calls = (attributes: object) => [
      model("a", 1, history, { tokens_input: 8000, ...attributes }),
      model("b", 100, [...history, text("user", "?")], { tokens_input: 8000, ...attributes }),
    ];
    expect(read("b", ...calls({}))).toMatchObject({ cache_break: null, tokens_cached: null });
    expect(read("b", ...calls({ provider: "anthropic", tokens_cached: 0 })).cache_break).toBeNull();
    const byRequest = { provider: "anthropic", tokens_cached: 2000, tokens_cache_write: 0 };
    expect(read("b", ...calls(byRequest)).cache_break).toBeNull();
  });

  it("compares conversations of one agent with themselves", () => {
    const plan = (turn: number) => [text("system", words(2000, "plan")), text("user", `${turn}`)];
    const sort = (turn: number) => [text("system", words(2000, "sort")), text("user", `${turn}`)];
    const usage = { tokens_input: 5000, tokens_cached: 4900, tool_definitions: undefined };
    const context = read(
      "d",
      model("a", 1, plan(1), usage),
      model("b", 100, sort(1), usage),
      model("c", 200, plan(2), usage),
      model("d", 300, sort(2), usage),
    );
    expect(context.compared_with).toBe("b");
    expect(context.calls.map(({ cause, tokens_again: again }) => [cause, again])).toEqual(
      Array.from({ length: 4 }, () => [null, 0]),
    );
  });

  it("finds what is in the context several times, with what it costs", () => {
    const events = JSON.stringify({ events: words(400, "event") });
    const context = read(
      "a",
      model(
        "a",
        1,
        [
          text("user", "?"),
          calling(call("c1", "track"), call("c2", "track"), call("c3", "other")),
          result("c1", events),
          result("c2", events),
          result("c3", words(300, "x")),
          text("user", `${words(300, "x")} more`),
        ],
        { tokens_input: 6000 },
      ),
    );
    expect(context.duplicates).toMatchObject([
      { kind: "results", name: "track", times: 2, messages: [3, 4], call_ids: ["c1", "c2"], is_exact: true },
      { kind: "results", name: "other", times: 2, messages: [5, 6], is_exact: false },
    ]);
    for (const { tokens_again: again, cost_usd: cost } of context.duplicates)
      expect(cost).toBeCloseTo((again * 3) / 1e6, 5);
    expect(context.parts.find(({ kind }) => kind === "results")?.equal_items).toBe(2);
  });

  it("is undefined for a span that is no model call, and that of the call inside for a wrapper", () => {
    expect(contextOf([agent, model("a", 1, history)], "agent", () => MODEL)).toBeUndefined();
    const inner = { ...model("inner", 2, []), parent_span_id: "wrapper" };
    const context = read("wrapper", { ...model("wrapper", 1, history) }, inner);
    expect(context).toMatchObject({ span_id: "inner", calls_total: 1 });
    expect(context.parts.map(({ kind }) => kind)).toContain("system");
  });

  it("is there for the same spans as the page of the trace expects", () => {
    const child = (id: string, parent: string, type = "llm") =>
      newSpan(id, parent, 0, 1, { span_type: type, attributes: {} });
    const wrappers = [
      agent,
      child("several", "agent"),
      child("step", "several", "task"),
      child("one", "step"),
      child("inside", "one"),
      child("other", "several"),
      child("alone", "agent"),
      child("tool", "alone", "tool"),
    ];
    const traces = [wrappers, ...capturedTraces().map(({ spans }) => spans)];
    for (const spans of traces)
      for (const node of buildSpanTree(spans).nodes)
        expect([node.id, isOneCall(node)]).toEqual([
          node.id,
          node.span.span_type === "llm" && contextOf(spans, node.id, () => MODEL) !== undefined,
        ]);
  });

  it("reads the facts of very many calls in small steps", () => {
    let reads = 0;
    const counted = <Outline extends object>(outline: Outline): Outline =>
      new Proxy(outline, {
        get(target, key) {
          reads++;
          return Reflect.get(target, key) as unknown;
        },
      });
    const count = 10_000;
    const outlines = Array.from({ length: count }, (_, n) =>
      counted(outlineOf(model(`call ${n}`, n, [], { tokens_cached: n }), agent.start_time)),
    );
    const steps = ContextReader.create(outlines, `call ${count - 1}`, () => MODEL);
    let most = 0;
    for (let done = false; !done; most = Math.max(most, reads)) {
      reads = 0;
      done = steps.next().done === true;
    }
    // Sorting reads the start of each call twice, all other work a thousand calls.
    expect(most).toBeLessThan(3 * count);
  });

  it("reads cycles of parents, and parents that are missing", () => {
    const a = { ...model("a", 1, history), parent_span_id: "b" };
    const b = newSpan("b", "a", 1, 5);
    expect(contextOf([a, b], "a", () => undefined)).toMatchObject({ agent: null, window_tokens: null });
  });

  it("adds up to the reported tokens for any messages", () => {
    const part = fc.oneof(
      fc.record({ type: fc.constantFrom("text", "reasoning"), content: fc.string({ unit: "binary" }) }),
      fc.record({
        type: fc.constant("tool_call"),
        id: fc.string(),
        name: fc.string(),
        arguments: fc.jsonValue(),
      }),
      fc.record({ type: fc.constant("tool_call_response"), id: fc.string(), response: fc.jsonValue() }),
      fc.record({
        type: fc.constant("blob"),
        mime_type: fc.constant("image/png"),
        content: fc.base64String(),
      }),
      fc.jsonValue(),
    );
    const message = fc.oneof(
      fc.record({ role: fc.constantFrom("system", "user", "assistant", "tool", "x"), parts: fc.array(part) }),
      fc.record({ role: fc.constant("user"), content: fc.string() }),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(
        fc.array(fc.array(message), { minLength: 1, maxLength: 4 }),
        fc.nat(100_000),
        (calls, tokens) => {
          const spans = calls.map((input, index) =>
            model(`${index}`, index * 100, input as object[], { tokens_input: tokens, tokens_cached: 0 }),
          );
          for (const span of spans) {
            const context = read(span.span_id, ...spans);
            expect(sumOf(context)).toBe(context.tokens);
            if (tokens > 0) expect(context.tokens).toBe(tokens);
            for (const each of context.parts) expect(each.tokens).toBeGreaterThanOrEqual(0);
          }
        },
      ),
      { numRuns: randomRuns(30) },
    );
  });

  it("scales to whole numbers that add up", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { minLength: 1 }),
        fc.nat(),
        (list, total) => {
          const scaled = scaleTokens(list, total);
          expect(scaled.reduce((sum, tokens) => sum + tokens, 0)).toBe(total);
        },
      ),
    );
  });
});

describe.each(
  capturedTraces().map((trace) => [`${trace.name} ${trace.traceId.slice(0, 6)}`, trace] as const),
)("the contexts of %s", (_name, { spans }) => {
  const calls = spans.filter(({ span_type: type }) => type === "llm");

  it("add up to the reported tokens, also from previews", () => {
    const previews = spans.map((span) => shortenTexts(span) as NormalizedSpan);
    for (const span of calls)
      for (const list of [spans, previews]) {
        const context = contextOf(list, span.span_id, () => MODEL);
        if (context === undefined) continue;
        expect(sumOf(context)).toBe(context.tokens);
        const own = list.find(({ span_id: id }) => id === context.span_id)?.attributes["tokens_input"];
        if (typeof own === "number" && own > 0) expect(context.tokens).toBe(own);
        expect(context.calls.some(({ span_id: id }) => id === context.span_id)).toBe(true);
      }
  });
});
