import { describe, expect, it } from "vitest";
import type { NormalizedSpan } from "../../src/api-schema/trace.js";
import { messagesOf } from "../../src/analysis/messages.js";
import { readRun } from "../../src/analysis/run.js";
import { buildSpanTree } from "../../src/analysis/span-tree.js";
import { repeatedMessages } from "../../src/analysis/transcript/repeated-messages.js";
import { newSpan } from "./spans.js";

const text = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });
const call = (id: string) => ({
  role: "assistant",
  parts: [{ type: "tool_call", id, name: "get_order", arguments: { order: 48190 } }],
});
const result = (id: string, response: string) => ({
  role: "tool",
  parts: [{ type: "tool_call_response", id, response }],
});
const model = (id: string, startMs: number, input: object[], output: object[], parent = "agent") =>
  newSpan(id, parent, startMs, 5, {
    span_type: "llm",
    attributes: { prompt_messages: input, completion_messages: output } as never,
  });
const agent = (id = "agent", startMs = 0) =>
  newSpan(id, null, startMs, 100, { span_type: "agent", attributes: { agent: "support" } });

const START = [text("system", "Be brief."), text("user", "Where is my order?")];

/** `12 of call a`: how many of the shown messages are folded, and as in which call. */
function repeatedIn(spans: readonly NormalizedSpan[], id: string): string | undefined {
  const span = spans.find(({ span_id: each }) => each === id);
  if (span === undefined) throw new Error(`There is no span ${id}.`);
  const found = repeatedMessages(readRun(buildSpanTree(spans)), span);
  if (found === undefined) return undefined;
  const shown = messagesOf(span).input.filter(({ key }) => found.keys.has(key));
  return `${shown.length} of ${found.isLast ? "the call before" : found.before.id}`;
}

describe("repeatedMessages", () => {
  it("finds what the call before sent or answered, and leaves what is new", () => {
    const spans = [
      agent(),
      model("a", 1, START, [text("assistant", "Let me look.")]),
      model("b", 10, [...START, text("assistant", "Let me look."), text("user", "Thank you")], []),
    ];
    expect(repeatedIn(spans, "a")).toBeUndefined();
    expect(repeatedIn(spans, "b")).toBe("3 of the call before");
  });

  it("shows a tool call whose result is new, with all that follows", () => {
    const spans = [
      agent(),
      model("a", 1, START, [call("c1")]),
      model("b", 10, [...START, call("c1"), result("c1", "in Lyon")], [call("c2")]),
      model("c", 20, [...START, call("c1"), result("c1", "in Lyon"), call("c2"), result("c2", "late")], []),
    ];
    expect(repeatedIn(spans, "b")).toBe("2 of the call before");
    expect(repeatedIn(spans, "c")).toBe("3 of the call before");
  });

  it("takes the same words said again for a new message", () => {
    const spans = [
      agent(),
      model("a", 1, [...START, text("user", "Go on.")], [text("assistant", "Done.")]),
      model(
        "b",
        10,
        [...START, text("user", "Go on."), text("assistant", "Done."), text("user", "Go on.")],
        [],
      ),
    ];
    expect(repeatedIn(spans, "b")).toBe("4 of the call before");
  });

  it("stops at the first message that differs, and compares with the conversation that goes on", () => {
    const other = [text("system", "Be brief."), text("user", "Another question")];
    const spans = [
      agent(),
      model("a", 1, START, [text("assistant", "Soon.")]),
      model("b", 10, other, []),
      model("c", 20, [...START, text("assistant", "Soon."), text("user", "When?")], []),
      model("d", 30, [text("system", "Be long."), ...START.slice(1)], []),
    ];
    expect(repeatedIn(spans, "c")).toBe("3 of a");
    expect(repeatedIn(spans, "d")).toBeUndefined();
  });

  it("goes on where an agent was started again, and not in another agent", () => {
    const spans = [
      agent(),
      model("a", 1, START, []),
      agent("again", 50),
      model("b", 51, START, [], "again"),
      newSpan("other", null, 60, 20, { span_type: "agent", attributes: { agent: "refunds" } }),
      model("c", 61, START, [], "other"),
    ];
    expect(repeatedIn(spans, "b")).toBe("2 of the call before");
    expect(repeatedIn(spans, "c")).toBeUndefined();
  });

  it("knows a whole text by its preview", () => {
    const long = "word ".repeat(2000);
    const cut = { truncated: true, bytes: long.length, preview: long.slice(0, 400) };
    const spans = [
      agent(),
      model("a", 1, [{ role: "user", parts: [{ type: "text", content: cut }] }, START[1] ?? {}], []),
      model("b", 10, [text("user", long), START[1] ?? {}], []),
    ];
    expect(repeatedIn(spans, "b")).toBe("2 of the call before");
  });
});
