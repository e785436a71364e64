import { describe, expect, it } from "vitest";
import { readEvaluatedText } from "../../src/evaluation/evaluated-text.js";

const LONG = "x".repeat(8_000_000);
/** More characters than any judge gets of one span, as JSON. */
const MOST = 250_000;

const call = (name: string, args: unknown): object => ({ type: "tool_call", name, arguments: args });
const message = (role: string, ...parts: object[]): object => ({ role, parts });
const text = (content: string): object => ({ type: "text", content });
const many = <T>(count: number, item: T): T[] => new Array<T>(count).fill(item);

describe("what a judge gets of a span is bounded", () => {
  it.each<[string, Record<string, unknown>]>([
    ["the role of a turn", { prompt_messages: [message(LONG, text("a")), message("user", text("b"))] }],
    [
      "the name of a call of a turn",
      { prompt_messages: [message("assistant", text("a"), call(LONG, {})), message("user", text("b"))] },
    ],
    [
      "20,000 calls of a turn",
      { prompt_messages: [message("assistant", text("a"), ...many(20_000, call("t", { a: 1 })))] },
    ],
    ["100,000 short turns", { prompt_messages: many(100_000, message("assistant", text("a"))) }],
    [
      "100,000 empty results of tools",
      { prompt_messages: many(100_000, message("tool", { type: "tool_call_response", response: "" })) },
    ],
    [
      "the text of a turn",
      { prompt_messages: [message("assistant", text(LONG)), message("user", text(LONG))] },
    ],
    ["the system instructions", { prompt_messages: [message("system", text(LONG))] }],
    [
      "a result of a tool",
      { prompt_messages: [message("tool", { type: "tool_call_response", response: LONG })] },
    ],
    [
      "the modality of a file",
      { prompt_messages: [message("user", { type: "blob", modality: LONG, mime_type: LONG })] },
    ],
    ["the name of a call of the answer", { completion_messages: [message("assistant", call(LONG, {}))] }],
    [
      "the arguments of a call of the answer",
      { completion_messages: [message("assistant", call("t", { a: LONG }))] },
    ],
    [
      "calls of the answer",
      { completion_messages: [message("assistant", ...many(20_000, call("t", { a: "y".repeat(3000) })))] },
    ],
    ["the name of a tool", { tool_definitions: many(100, { name: LONG, description: LONG }) }],
    ["the plain texts", { prompt_text: LONG, completion_text: LONG }],
  ])("%s", (_what, attributes) => {
    const evaluated = readEvaluatedText(attributes);
    expect(Object.keys(evaluated)).not.toEqual([]);
    expect(JSON.stringify(evaluated).length).toBeLessThan(MOST);
  });

  it("keeps the first calls of the answer and the latest turns", () => {
    const calls = Array.from({ length: 40 }, (_, n) => call(`t${n}`, { a: "y".repeat(3000) }));
    const turns = Array.from({ length: 50 }, (_, n) =>
      message("assistant", text(`${n} ${"y".repeat(3000)}`)),
    );
    const { tool_calls, conversation } = readEvaluatedText({
      prompt_messages: [...turns, message("user", text("hello"))],
      completion_messages: [message("assistant", ...calls)],
    });
    expect(tool_calls?.map(({ name }) => name)).toEqual(["t0", "t1", "t2", "t3", "t4", "t5"]);
    expect(conversation?.map(({ text: each }) => each.split(" ")[0])).toEqual([
      "44",
      "45",
      "46",
      "47",
      "48",
      "49",
    ]);
  });
});
