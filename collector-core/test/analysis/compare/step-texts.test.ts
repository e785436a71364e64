import { describe, expect, it } from "vitest";
import { compareStepTexts } from "../../../src/analysis/compare/step-texts.js";
import { capturedTraces } from "../captured-traces.js";
import { newSpan } from "../spans.js";

const call = (attributes: object) => [
  newSpan("call", null, 0, 10, { span_type: "llm", attributes: { ...attributes } }),
];
const message = (role: string, content: string) => ({ role, content });
const tool = (name: string, description: string) => ({ type: "function", name, description, parameters: {} });

const BEFORE = {
  model: "m",
  temperature: 0.2,
  customer: "gold",
  tokens_input: 3986,
  tokens_output: 227,
  prompt_messages: [
    message("system", "Be brief."),
    message("user", "Where is it?"),
    message("tool", "4 docs"),
  ],
  tool_definitions: [tool("credit", "Adds a credit to the order."), tool("mail", "Sends.")],
  completion_text: "It is late.",
};
const AFTER = {
  ...BEFORE,
  temperature: 0.7,
  customer: "silver",
  tokens_input: 5890,
  tokens_output: 388,
  prompt_messages: [
    message("system", "Be concrete and brief."),
    message("user", "Where is it?"),
    message("assistant", "I look."),
    message("tool", "6 docs"),
  ],
  tool_definitions: [
    tool("credit", "Adds delivery credit."),
    tool("mail", "Sends."),
    tool("note", "Writes."),
  ],
  completion_text: "It is late and in Lyon.",
};

describe("the texts of two steps", () => {
  it("are in sections, with equal pieces beside each other", () => {
    const { sections, parameters, attributes, isModelCall } = compareStepTexts(call(BEFORE), call(AFTER));
    expect(isModelCall).toBe(true);
    expect(
      sections.map(({ name, items }) => [name, items.map(({ kind, label }) => `${kind} ${label}`)]),
    ).toEqual([
      ["system", ["changed system"]],
      ["tools", ["changed credit", "same mail", "only_b note"]],
      ["input", ["same user", "only_b assistant", "changed tool"]],
      ["output", ["changed assistant"]],
    ]);
    expect(parameters.map(({ name, a, b, isEqual }) => [name, a, b, isEqual])).toEqual([
      ["temperature", 0.2, 0.7, false],
      ["model", "m", "m", true],
    ]);
    expect(attributes.map(({ name, a, b }) => [name, a, b])).toEqual([["customer", "gold", "silver"]]);
  });

  it("have estimated tokens that add up to what the provider reported", () => {
    const { sections } = compareStepTexts(call(BEFORE), call(AFTER));
    const tokens = new Map(sections.map((section) => [section.name, section.tokens]));
    const input = ["system", "tools", "input"] as const;
    expect(input.reduce((sum, name) => sum + (tokens.get(name) ?? 0), 0)).toBe(5890 - 3986);
    expect(tokens.get("output")).toBe(388 - 227);
  });

  it("are shown for a step that only one run has", () => {
    const { sections } = compareStepTexts(undefined, call(AFTER));
    expect(sections.flatMap(({ items }) => items).every(({ kind }) => kind === "only_b")).toBe(true);
  });

  it("are those of the wrapper of a call where the call itself has none", () => {
    const inner = newSpan("inner", "call", 0, 5, {
      span_type: "llm",
      attributes: { model: "m", tokens_input: 9 },
    });
    const both = compareStepTexts([inner, ...call(BEFORE)], [inner, ...call(AFTER)]);
    expect(both.sections.map(({ name }) => name)).toEqual(["system", "tools", "input", "output"]);
    expect(both.isModelCall).toBe(true);
  });

  it("show the difference inside JSON, whatever the order of its fields", () => {
    const run = (output: string) => [
      newSpan("t", null, 0, 1, { span_type: "tool", attributes: { output_text: output } }),
    ];
    const { sections } = compareStepTexts(
      run('{"state":"IN_TRANSIT","eta":"18:00"}'),
      run('{"eta":"18:00","state":"AT_DEPOT"}'),
    );
    const changed = sections[0]?.items[0]?.diff?.pieces.filter(({ kind }) => kind !== "same");
    expect(changed?.map(({ text }) => text)).toEqual(["IN_TRANSIT", "AT_DEPOT"]);
  });

  it("are equal for a span and itself, in every captured trace", () => {
    for (const { spans } of capturedTraces())
      for (const span of spans) {
        const { sections, parameters, attributes } = compareStepTexts([span], [structuredClone(span)]);
        expect(sections.flatMap(({ items }) => items).filter(({ kind }) => kind !== "same")).toEqual([]);
        expect([...parameters, ...attributes].filter(({ isEqual }) => !isEqual)).toEqual([]);
      }
  });
});
