import { describe, expect, it } from "vitest";
import type { Attributes, Message } from "../../src/wire/index.js";
import { listenToConsole, recordingSdk, type Sdk } from "../fresh-sdk.js";

const PROMPT: Message[] = [
  { role: "system", parts: [{ type: "text", content: "secret rules" }] },
  {
    role: "assistant",
    parts: [
      { type: "text", content: "secret answer" },
      { type: "tool_call", id: "c1", name: "look", arguments: { name: "secret Ann" } },
    ],
  },
  { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: { row: "secret row" } }] },
];
const COMPLETION: Message[] = [
  {
    role: "assistant",
    parts: [
      { type: "text", content: "secret words" },
      { type: "tool_call", id: "c2", name: "look", arguments: { name: "secret Bob" } },
    ],
    finish_reason: "stop",
  },
];

/** Makes calls of each kind with texts in all attributes, and returns the attributes. */
function runCalls({ llm, tool, observe, takeSpans }: Sdk): Attributes[] {
  observe("everything", (span) => {
    span.setAttributes({
      model: "m",
      tool_name: "t",
      prompt_text: "secret prompt",
      prompt_messages: PROMPT,
      tool_definitions: [{ type: "function", name: "look", description: "secret use" }],
      completion_text: "secret completion",
      completion_messages: COMPLETION,
      input_text: "secret input",
      output_text: "secret output",
      note: "secret note",
      tokens_input: 3,
    });
    span.addEvent("step", { prompt_text: "secret step" });
    span.recordError(new Error("secret message"));
  });
  llm({ model: "m" }, (prompt: string) => `${prompt} too`)("secret question");
  tool("login", (password: string) => `secret session ${password.length}`)("secret word");
  return takeSpans().map(({ attributes = {}, events = [] }) => ({
    ...attributes,
    ...(events[0] === undefined ? {} : { event: events[0].attributes ?? {} }),
  }));
}

describe("the capture switches apply to every text", () => {
  it("capturePrompt: false drops prompts, tool definitions, tool arguments and inputs", async () => {
    const [everything, call, login] = runCalls(await recordingSdk({ capturePrompt: false }));
    for (const key of ["prompt_text", "prompt_messages", "tool_definitions", "input_text"])
      expect(everything).not.toHaveProperty(key);
    expect(everything?.["completion_messages"]).toEqual([
      {
        role: "assistant",
        parts: [
          { type: "text", content: "secret words" },
          { type: "tool_call", id: "c2", name: "look" },
        ],
        finish_reason: "stop",
      },
    ]);
    expect(everything?.["event"]).toEqual({});
    expect(call).toEqual({ model: "m", completion_text: "secret question too" });
    expect(login).toEqual({ tool_name: "login", output_text: "secret session 11" });
  });

  it("captureCompletion: false drops completions, tool results and outputs, also those that a prompt repeats", async () => {
    const [everything, call, login] = runCalls(await recordingSdk({ captureCompletion: false }));
    for (const key of ["completion_text", "completion_messages", "output_text"])
      expect(everything).not.toHaveProperty(key);
    expect(everything?.["prompt_messages"]).toEqual([
      { role: "system", parts: [{ type: "text", content: "secret rules" }] },
      {
        role: "assistant",
        parts: [{ type: "tool_call", id: "c1", name: "look", arguments: { name: "secret Ann" } }],
      },
      { role: "tool", parts: [{ type: "tool_call_response", id: "c1" }] },
    ]);
    expect(call).toEqual({ model: "m", prompt_text: "secret question" });
    expect(login).toEqual({ tool_name: "login", input_text: "secret word" });
  });

  it("streams are not recorded either", async () => {
    const { llm, takeSpans } = await recordingSdk({ captureCompletion: false });
    for await (const chunk of llm(async function* () {
      yield "secret";
    })())
      expect(chunk).toBe("secret");
    expect(JSON.stringify(takeSpans())).not.toContain("secret");
  });

  it('capture: "metadata" sends no texts', async () => {
    const [everything, ...others] = runCalls(await recordingSdk({ capture: "metadata" }));
    expect(everything).toEqual({
      model: "m",
      tool_name: "t",
      tokens_input: 3,
      note: "secret note",
      error_type: "Error",
      event: {},
    });
    expect(others).toEqual([{ model: "m" }, { tool_name: "login" }]);
  });
});

describe("mask", () => {
  it("changes every text before it is queued, gets the name of its attribute, and does not change names", async () => {
    const keys = new Set<string>();
    const sdk = await recordingSdk({
      mask(text, key) {
        keys.add(key);
        return text.replaceAll("secret", "***");
      },
    });
    const attributes = runCalls(sdk);
    expect(JSON.stringify(attributes)).not.toContain("secret");
    expect(attributes[0]).toMatchObject({
      prompt_messages: [
        { role: "system", parts: [{ type: "text", content: "*** rules" }] },
        {
          role: "assistant",
          parts: [{ content: "*** answer" }, { name: "look", arguments: { name: "*** Ann" } }],
        },
        { role: "tool", parts: [{ response: { row: "*** row" } }] },
      ],
      note: "*** note",
      error_message: "*** message",
      model: "m",
    });
    expect([...keys].sort()).toEqual([
      "completion_messages",
      "completion_text",
      "error_message",
      "error_stack",
      "input_text",
      "note",
      "output_text",
      "prompt_messages",
      "prompt_text",
      "tool_definitions",
    ]);
  });

  it("gets session and user, which can be an e-mail address", async () => {
    const { observe, setUser, takeSpans } = await recordingSdk({
      mask: (text) => text.replace("ann@example.com", "[email]"),
    });
    observe("call", () => setUser("ann@example.com"));
    expect(takeSpans()[0]?.attributes).toEqual({ user_id: "[email]" });
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("secret");
      },
    ],
    ["returns no text", () => undefined],
  ])("if the mask %s, the text is left out with one warning, and the call continues", async (_, mask) => {
    const heard = listenToConsole();
    const { llm, takeSpans } = await recordingSdk({ mask: mask as never });
    expect(llm((prompt: string) => prompt)("secret")).toBe("secret");
    expect(takeSpans()[0]?.attributes).toEqual({
      prompt_text: "[mask failed]",
      completion_text: "[mask failed]",
    });
    expect(heard.warnings).toHaveLength(1);
    expect(heard.warnings[0]).not.toContain("secret");
  });
});
