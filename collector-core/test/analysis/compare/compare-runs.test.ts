import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareRuns, isDifferent, type Comparison } from "../../../src/analysis/compare/compare-runs.js";
import { pairAnswer } from "../../../src/analysis/compare/comparison-answer.js";
import { readRun } from "../../../src/analysis/run.js";
import { buildSpanTree } from "../../../src/analysis/span-tree.js";
import { capturedTraces } from "../captured-traces.js";
import { newSpan } from "../spans.js";
import { newSummary, runOf, spansOf, stepsRun, type Step } from "./run-of.js";

const compare = (a: readonly Step[], b: readonly Step[]): Comparison =>
  compareRuns(stepsRun(a, "a"), stepsRun(b, "b"));

/** `3=1` for the third step of A beside the first of B, `-` where one is missing. */
const shapeOf = ({ pairs }: Comparison): string[] =>
  pairs.map(({ a, b }) => `${a?.number ?? "-"}=${b?.number ?? "-"}`);

describe("the comparison of two runs", () => {
  it.each(capturedTraces().map((trace) => [`${trace.name} ${trace.traceId.slice(0, 6)}`, trace] as const))(
    "has no difference between a run and itself: %s",
    (_name, { spans }) => {
      const copy = structuredClone(spans);
      const trace = newSummary();
      const [a, b] = [spans, copy].map((each) => ({ trace, run: readRun(buildSpanTree(each)) }));
      if (a === undefined || b === undefined) throw new Error("no run");
      const { pairs, firstDivergence, deltas } = compareRuns(a, b);
      expect(pairs.map((pair) => [pair.a?.node.id, pair.matchedBy, isDifferent(pair)])).toEqual(
        pairs.map((pair) => [pair.b?.node.id, "content", false]),
      );
      expect(pairs.map(({ a: step }) => step?.number).toSorted((x, y) => Number(x) - Number(y))).toEqual(
        a.run.steps.map((_step, index) => index + 1),
      );
      expect(firstDivergence).toBeUndefined();
      expect(pairs.every((pair) => [0, null].includes(pair.deltas.duration_ms.delta))).toBe(true);
      expect(deltas.duration_ms.delta).toBe(0);
    },
  );

  it("finds a step that was inserted, and one that was removed", () => {
    const before: Step[] = [
      { model: "m", says: "look" },
      { tool: "get_order", with: '{"id":1}' },
      { tool: "get_order", with: '{"id":2}' },
      { model: "m", says: "done" },
    ];
    const after = [...before.slice(0, 2), { tool: "retry", with: "{}" }, ...before.slice(2)];
    const added = compare(before, after);
    expect(shapeOf(added)).toEqual(["1=1", "2=2", "-=3", "3=4", "4=5"]);
    expect(added.firstDivergence).toBe(2);
    expect(shapeOf(compare(after, before))).toEqual(["1=1", "2=2", "3=-", "4=3", "5=4"]);
  });

  it("matches the same tool with the same arguments before a tool of the same name", () => {
    const a: Step[] = [{ tool: "search", with: '{"q":"rain"}', gives: "wet" }];
    const b: Step[] = [
      { tool: "search", with: '{"q":"sun"}', gives: "dry" },
      { tool: "search", with: '{ "q": "rain" }', gives: "damp" },
    ];
    const { pairs } = compare(a, b);
    expect(pairs.map((pair) => [pair.a?.number, pair.b?.number, pair.matchedBy])).toEqual([
      [undefined, 1, undefined],
      [1, 2, "content"],
    ]);
    expect(pairs[1]?.differences).toEqual(["output"]);
    expect(pairs[1]?.changedShare).toBe(1);
  });

  it("matches a model call by the tool that it called, where names are equal", () => {
    const a: Step[] = [{ model: "m", says: "b" }, { tool: "b" }, { model: "m", says: "end" }];
    const b: Step[] = [
      { model: "m", says: "c" },
      { tool: "c" },
      { model: "m", says: "b" },
      { tool: "b" },
      { model: "m", says: "end" },
    ];
    expect(shapeOf(compare(a, b))).toEqual(["-=1", "-=2", "1=3", "2=4", "3=5"]);
  });

  it("matches model calls of other names by their place, but not tools", () => {
    const call = (name: string) =>
      newSpan("call", "root", 0, 10, { name, span_type: "llm", attributes: { model: name } });
    const tool = (name: string) => newSpan("tool", "root", 20, 10, { name, span_type: "tool" });
    const root = newSpan("root", null, 0, 50, { span_type: "agent" });
    const { pairs } = compareRuns(
      runOf([root, call("chat small"), tool("get_order")]),
      runOf([root, call("chat large"), tool("send_mail")]),
    );
    expect(
      pairs.map(({ a, b, matchedBy, differences }) => [a?.name, b?.name, matchedBy, differences]),
    ).toEqual([
      ["chat small", "chat large", "position", ["name", "model"]],
      ["get_order", undefined, undefined, []],
      [undefined, "send_mail", undefined, []],
    ]);
  });

  it("names what differs: error, model, settings, instructions, tools, input, output", () => {
    const one = (attributes: object, fields: object = {}) =>
      runOf([
        newSpan("call", null, 0, 10, {
          name: "answer",
          span_type: "llm",
          attributes: { ...attributes },
          ...fields,
        }),
      ]);
    const messages = (system: string, user: string) => [
      { role: "system", content: system },
      { role: "user", content: user },
    ];
    const base = {
      model: "m",
      temperature: 0.2,
      prompt_messages: messages("Be brief.", "Hi"),
      tool_definitions: [{ type: "function", name: "search", parameters: {} }],
      completion_text: "Hello",
    };
    const differences = (change: object, fields: object = {}) =>
      compareRuns(one(base), one({ ...base, ...change }, fields)).pairs[0]?.differences;
    expect(differences({})).toEqual([]);
    expect(differences({ temperature: 0.7 })).toEqual(["parameters"]);
    expect(differences({ model: "n" })).toEqual(["model"]);
    expect(differences({ prompt_messages: messages("Be long.", "Hi") })).toEqual(["system"]);
    expect(differences({ prompt_messages: messages("Be brief.", "Ho") })).toEqual(["input"]);
    expect(differences({ tool_definitions: [] })).toEqual(["tools"]);
    expect(differences({ completion_text: "Bye" })).toEqual(["output"]);
    expect(differences({ error_message: "timeout" }, { status: "ERROR" })).toEqual(["error"]);
  });

  it("tells long texts apart that begin alike and are equally long", () => {
    const says = (end: string): Step[] => [{ model: "m", says: `${"word ".repeat(2000)}${end}` }];
    const { pairs } = compare(says("one"), says("two"));
    expect(pairs[0]?.differences).toEqual(["output"]);
  });

  it("does not care which of several parallel tools starts first", () => {
    const run = (order: readonly string[]) =>
      runOf([
        newSpan("root", null, 0, 400, { span_type: "agent" }),
        ...order.map((name, index) =>
          newSpan(name, "root", 10 + index, 100, {
            name,
            span_type: "tool",
            attributes: { input_text: name },
          }),
        ),
        newSpan("later", "root", 200, 10, { name: "a", span_type: "tool" }),
      ]);
    const { firstDivergence } = compareRuns(run(["a", "b", "c"]), run(["c", "a", "b"]));
    expect(firstDivergence).toBeUndefined();
  });

  it("reads the figures of a call from its wrapper where the call itself has none", () => {
    const run = (tokens: number) =>
      runOf([
        newSpan("wrapper", null, 0, 9, {
          span_type: "llm",
          attributes: { tokens_input: tokens, completion_text: "x" },
        }),
        newSpan("inner", "wrapper", 1, 5, { span_type: "llm", attributes: { model: "m" } }),
      ]);
    const { pairs } = compareRuns(run(10), run(30));
    expect(pairs.map(({ a, deltas }) => [a?.call?.sources.length, deltas.tokens_input.delta])).toEqual([
      [2, 20],
    ]);
    expect(pairs[0]?.differences).toEqual([]);
  });

  it("adds up no binary fractions, and leaves out figures that one run does not have", () => {
    const call = (cost: number | undefined) =>
      runOf([
        newSpan("c", null, 0, 5, {
          span_type: "llm",
          attributes: { tokens_input: 10, ...(cost === undefined ? {} : { cost_usd: cost }) },
        }),
      ]);
    const [pair] = compareRuns(call(0.1), call(0.3)).pairs;
    expect(pair?.deltas.cost_usd).toEqual({ a: 0.1, b: 0.3, delta: 0.2 });
    const [other] = compareRuns(call(0.1), call(undefined)).pairs;
    expect(other?.deltas.cost_usd).toEqual({ a: 0.1, b: null, delta: null });
  });

  it("says of each step whether its cost was reported or computed", () => {
    const step = newSpan("c", null, 0, 5, { span_type: "llm", cost_usd: 0.1 });
    const run = (source: "reported" | "computed") => runOf([{ ...step, cost_source: source }]);
    const [pair] = compareRuns(run("reported"), run("computed")).pairs;
    const answer = pair && pairAnswer(pair);
    expect([answer?.a?.cost_source, answer?.b?.cost_source]).toEqual(["reported", "computed"]);
    const [none] = compareRuns(runOf([newSpan("t", null, 0, 5)]), run("reported")).pairs;
    expect(none && pairAnswer(none).a?.cost_source).toBeNull();
  });

  it("compares the scores of both runs by type", () => {
    const scores = (values: Readonly<Record<string, number>>) => ({
      scores: Object.entries(values).map(([type, score]) => ({ type, score, label: null })),
    });
    const comparison = compareRuns(
      runOf([], scores({ old: 1, faithfulness: 0.93 })),
      runOf([], scores({ faithfulness: 0.88, new: 0.5 })),
    );
    expect(comparison.scores.map(({ type, delta }) => [type, delta])).toEqual([
      ["faithfulness", -0.05],
      ["old", null],
      ["new", null],
    ]);
  });

  const step = fc.oneof(
    fc.record({
      tool: fc.constantFrom("a", "b", "c"),
      with: fc.constantFrom("1", "2", "3"),
      gives: fc.constantFrom("x", "y"),
    }),
    fc.record({ model: fc.constantFrom("m", "n"), says: fc.constantFrom("x", "y", "z") }),
  );
  const steps = fc.array(step, { maxLength: 30 });

  it("keeps the order of both runs, and has every step exactly once", () => {
    fc.assert(
      fc.property(steps, steps, (a, b) => {
        const { pairs } = compare(a, b);
        const numbers = (side: "a" | "b") => pairs.flatMap((pair) => pair[side]?.number ?? []);
        expect(numbers("a")).toEqual(a.map((_step, index) => index + 1));
        expect(numbers("b")).toEqual(b.map((_step, index) => index + 1));
      }),
    );
  });

  it("finds the same differences in both directions, with the opposite sign", () => {
    fc.assert(
      fc.property(steps, steps, (a, b) => {
        const seen = ({ pairs }: Comparison, isSwapped: boolean) =>
          pairs
            .map(({ a: inA, b: inB, differences, changedShare, deltas }) =>
              JSON.stringify([
                (isSwapped ? inB : inA)?.number,
                (isSwapped ? inA : inB)?.number,
                differences,
                changedShare,
                (isSwapped ? -1 : 1) * (deltas.duration_ms.delta ?? 0) + 0,
              ]),
            )
            .toSorted();
        expect(seen(compare(b, a), true)).toEqual(seen(compare(a, b), false));
      }),
    );
  });

  it("finds what was inserted anywhere, and nothing else", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20 }), (length, at) => {
        const before = Array.from({ length }, (_, n): Step => ({ tool: `t${n % 3}`, with: String(n) }));
        const place = Math.min(at, length);
        const after = before.toSpliced(place, 0, { tool: "new", with: "{}" });
        const { pairs, firstDivergence } = compare(before, after);
        expect(pairs.filter(isDifferent).map(({ a, b }) => [a, b?.name])).toEqual([[undefined, "new"]]);
        expect(firstDivergence).toBe(place);
      }),
    );
  });

  it("compares runs of many equal steps without work that grows with the square", () => {
    const many = (count: number, every: number) =>
      Array.from({ length: count }, (_, n): Step => ({ tool: "poll", with: String(n % every) }));
    const [a, b] = [many(8000, 2), many(9000, 3)];
    const { pairs } = compareRuns(runOf(spansOf(a, "a")), runOf(spansOf(b, "b")));
    expect(pairs.filter(({ a: inA }) => inA !== undefined)).toHaveLength(8000);
    expect(pairs.filter(({ b: inB }) => inB !== undefined)).toHaveLength(9000);
  });
});
