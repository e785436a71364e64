import { describe, expect, it } from "vitest";
import { imageAddress } from "../../../../../src/renderer/features/trace/model/message-parts.js";
import { messagesOf } from "../../../../../src/renderer/features/trace/model/messages.js";
import { buildSpanTree } from "../../../../../src/renderer/features/trace/model/span-tree.js";
import { spanOfCall } from "../../../../../src/renderer/features/trace/model/tool-spans.js";
import { newSpan } from "../spans.js";

const withAttributes = (attributes: object) => newSpan("s", null, 0, 1, { attributes: attributes as never });
const call = (id: string, name = "get_order") => ({ type: "tool_call", id, name, arguments: { order: 1 } });

describe("messagesOf", () => {
  it("reads conversations, and attaches results to their calls", () => {
    const { input, output } = messagesOf(
      withAttributes({
        prompt_messages: [
          { role: "system", parts: [{ type: "text", content: "Be brief." }] },
          { role: "assistant", parts: [{ type: "reasoning", content: "hm" }, call("c1"), call("c2")] },
          {
            role: "tool",
            parts: [
              { type: "tool_call_response", id: "c1", response: { ok: true } },
              { type: "tool_call_response", id: "lost", response: 7 },
            ],
          },
        ],
        completion_messages: [{ role: "assistant", parts: [call("c3")], finish_reason: "tool_use" }],
        prompt_text: "not this",
      }),
    );
    expect(input.map(({ role }) => role)).toEqual(["system", "assistant", "tool"]);
    expect(input[1]?.parts).toMatchObject([
      { kind: "reasoning", text: "hm" },
      { kind: "call", id: "c1", result: { response: { ok: true } } },
      { kind: "call", id: "c2" },
    ]);
    expect(input[1]?.parts[2]).not.toHaveProperty("result");
    expect(input[2]?.parts).toEqual([{ kind: "result", id: "lost", response: 7 }]);
    expect(output).toMatchObject([
      { finishReason: "tool_use", parts: [{ kind: "call", name: "get_order" }] },
    ]);
  });

  it("leaves out a message whose results are all attached to calls", () => {
    const { input } = messagesOf(
      withAttributes({
        prompt_messages: [
          { role: "assistant", parts: [call("c1")] },
          { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "done" }] },
        ],
      }),
    );
    expect(input).toHaveLength(1);
  });

  it("tells what users and models write from instructions and data", () => {
    const text = [{ type: "text", content: "def __init__(self):" }];
    const roles = ["user", "assistant", "model", "system", "developer", "tool", "function"];
    const { input } = messagesOf(
      withAttributes({ prompt_messages: roles.map((role) => ({ role, parts: text })) }),
    );
    expect(input.map(({ form }) => form)).toEqual([
      "prose",
      "prose",
      "prose",
      "plain",
      "plain",
      "data",
      "data",
    ]);
    const formsOf = (span_type: string) => {
      const attributes = { input_text: "a", output_text: "b" };
      const { input, output } = messagesOf(newSpan("s", null, 0, 1, { span_type, attributes }));
      return [...input, ...output].map(({ form }) => form);
    };
    expect(formsOf("agent")).toEqual(["prose", "prose"]);
    expect(formsOf("tool")).toEqual(["data", "data"]);
  });

  it("reads texts of a model call, texts of any span, and conversations written as text", () => {
    expect(messagesOf(withAttributes({ prompt_text: "Hi", completion_text: "Hello" }))).toMatchObject({
      input: [{ role: "user", parts: [{ kind: "text", text: "Hi" }] }],
      output: [{ role: "assistant" }],
    });
    expect(messagesOf(withAttributes({ input_text: "x" })).input).toMatchObject([{ role: "input" }]);
    const text = JSON.stringify([{ role: "user", content: [{ type: "text", text: "Hi" }] }]);
    expect(messagesOf(withAttributes({ prompt_text: text })).input).toMatchObject([
      { role: "user", parts: [{ kind: "text", text: "Hi" }] },
    ]);
  });

  it("keeps unknown parts as JSON, whatever their type", () => {
    const parts = [{ type: "constructor" }, { type: "__proto__" }, 7, null, { type: "text", content: 4 }];
    const { input } = messagesOf(
      withAttributes({ prompt_messages: [{ role: "user", parts }, 4, null, "bare"] }),
    );
    expect(input[0]?.parts.map(({ kind }) => kind)).toEqual(["json", "json", "json", "json", "json"]);
    expect(input).toHaveLength(4);
  });

  it("keeps long texts that came as previews", () => {
    const cut = { truncated: true, bytes: 2_100_000, preview: "Once" };
    expect(messagesOf(withAttributes({ completion_text: cut })).output[0]?.parts).toEqual([
      { kind: "text", text: cut },
    ]);
  });
});

describe("imageAddress", () => {
  it("accepts only base64 images", () => {
    expect(imageAddress("image/png", "iVBORw0KGgo=")).toBe("data:image/png;base64,iVBORw0KGgo=");
    expect(imageAddress("text/html", "PGI+")).toBeUndefined();
    expect(imageAddress('image/png"onload=', "PGI+")).toBeUndefined();
    expect(imageAddress("image/png", '"><script>')).toBeUndefined();
  });
});

describe("spanOfCall", () => {
  const tool = (id: string, name: string, attributes = {}) =>
    newSpan(id, "root", 1, 1, { name, span_type: "tool", attributes });
  const tree = buildSpanTree([
    newSpan("root", null, 0, 9),
    tool("a", "get_order"),
    tool("b", "ship"),
    tool("c", "ship", { tool_call_id: "c9" }),
  ]);
  const caller = tree.nodes[0];
  const find = (id: string, name: string) =>
    caller && spanOfCall(tree, caller, { kind: "call", id, name, arguments: {} })?.id;

  it("matches the call's id, otherwise a tool name that is unique", () => {
    expect(find("c9", "anything")).toBe("c");
    expect(find("c1", "get_order")).toBe("a");
    expect(find("c1", "ship")).toBeUndefined();
  });
});
