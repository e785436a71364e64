import { describe, expect, it } from "vitest";
import { imageAddress } from "../../src/analysis/image-address.js";
import { messagesOf } from "../../src/analysis/messages.js";
import { buildSpanTree } from "../../src/analysis/span-tree.js";
import { spanOfCall } from "../../src/analysis/tool-spans.js";
import { newSpan } from "./spans.js";

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

  it.each([
    ["chat completions", { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }],
    ["responses", { type: "input_image", image_url: "data:image/png;base64,AAAA" }],
    ["Anthropic", { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }],
    ["contract 1", { type: "blob", mime_type: "image/png", content: "AAAA" }],
  ])("reads an image as %s has it", (_name, image) => {
    const content = [{ type: "input_text", text: "What is this?" }, image];
    const { input } = messagesOf(withAttributes({ prompt_messages: [{ role: "user", content }] }));
    expect(input[0]?.parts).toEqual([
      { kind: "text", text: "What is this?" },
      { kind: "image", mimeType: "image/png", content: "AAAA" },
    ]);
  });

  it("reads a cut image, links to one elsewhere, and leaves other data as it is", () => {
    const head = "data:image/png;base64,";
    const cut = { truncated: true, bytes: 5000 + head.length, preview: `${head}AAAA` };
    const odd = { type: "image_url", image_url: { url: "data:text/html,<b>" } };
    const { input } = messagesOf(
      withAttributes({
        prompt_messages: [
          {
            role: "user",
            content: [
              { type: "image_url", image_url: { url: cut } },
              { type: "image_url", image_url: { url: "https://example.com/a.png" } },
              odd,
            ],
          },
        ],
      }),
    );
    expect(input[0]?.parts).toEqual([
      { kind: "image", mimeType: "image/png", content: { truncated: true, bytes: 5000, preview: "AAAA" } },
      { kind: "link", label: "image", uri: "https://example.com/a.png" },
      { kind: "json", value: odd },
    ]);
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

describe("messages as the APIs of providers have them", () => {
  const partsOf = (message: object) =>
    messagesOf(withAttributes({ prompt_messages: [message] })).input.map(({ role, parts }) => [
      role,
      ...parts,
    ]);
  const CALL = { kind: "call", id: "c1", name: "get_order", arguments: '{"order":1}' };
  const RESULT = { kind: "result", id: "c1", response: "shipped" };

  it.each([
    [
      "OpenAI, chat",
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "c1", type: "function", function: { name: "get_order", arguments: '{"order":1}' } },
        ],
      },
      [["assistant", CALL]],
    ],
    ["OpenAI, chat", { role: "tool", tool_call_id: "c1", content: "shipped" }, [["tool", RESULT]]],
    [
      "OpenAI, Responses",
      { type: "function_call", id: "fc_1", call_id: "c1", name: "get_order", arguments: '{"order":1}' },
      [["assistant", CALL]],
    ],
    [
      "OpenAI, Responses",
      { type: "function_call_output", call_id: "c1", output: "shipped" },
      [["tool", RESULT]],
    ],
    [
      "Anthropic",
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "x" },
          { type: "text", text: "I look." },
          { type: "tool_use", id: "c1", name: "get_order", input: { order: 1 } },
        ],
      },
      [
        [
          "assistant",
          { kind: "reasoning", text: "hm" },
          { kind: "text", text: "I look." },
          { ...CALL, arguments: { order: 1 } },
        ],
      ],
    ],
    [
      "Anthropic",
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "shipped" }] },
      [["user", RESULT]],
    ],
    [
      "the AI SDK",
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c1", toolName: "get_order", input: { order: 1 } }],
      },
      [["assistant", { ...CALL, arguments: { order: 1 } }]],
    ],
    [
      "the AI SDK",
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "c1", output: { type: "text", value: "shipped" } }],
      },
      [["tool", RESULT]],
    ],
    [
      "Google",
      {
        role: "model",
        parts: [{ text: "I look." }, { functionCall: { id: "c1", name: "get_order", args: { order: 1 } } }],
      },
      [["model", { kind: "text", text: "I look." }, { ...CALL, arguments: { order: 1 } }]],
    ],
    [
      "Amazon Bedrock",
      {
        role: "assistant",
        content: [{ toolUse: { toolUseId: "c1", name: "get_order", input: { order: 1 } } }],
      },
      [["assistant", { ...CALL, arguments: { order: 1 } }]],
    ],
    ["LangChain", { type: "human", content: "Hi" }, [["human", { kind: "text", text: "Hi" }]]],
    [
      "an image of OpenAI",
      { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,iVBO" } }] },
      [["user", { kind: "image", mimeType: "image/png", content: "iVBO" }]],
    ],
    [
      "an image of Anthropic",
      {
        role: "user",
        content: [{ type: "image", source: { type: "base64", media_type: "image/jpeg", data: "/9j/" } }],
      },
      [["user", { kind: "image", mimeType: "image/jpeg", content: "/9j/" }]],
    ],
    [
      "an image elsewhere",
      { role: "user", content: [{ type: "input_image", image_url: "https://example.com/a.png" }] },
      [["user", { kind: "link", label: "image", uri: "https://example.com/a.png" }]],
    ],
  ])("are read: %s", (_sender, message, expected) => {
    // A call shows its result, and a result without its call is a message.
    expect(partsOf(message)).toEqual(expected);
  });
});
