import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openaiChat } from "../../../src/integrations/wire/openai-chat.js";
import { chatChunk } from "../../replay/written-exchange.js";
import { messagesIn, streamed } from "./streamed.js";

describe("a streamed chat completion", () => {
  it("accumulates several choices and their tool calls from mixed pieces", () => {
    const call = (index: number, piece: object) => ({ tool_calls: [{ index, ...piece }] });
    const attributes = streamed(openaiChat, [
      chatChunk({ role: "assistant", content: "" }, null, 0),
      chatChunk({ role: "assistant", content: "B" }, null, 1),
      chatChunk(call(0, { id: "c0", type: "function", function: { name: "f", arguments: "" } })),
      chatChunk(call(1, { id: "c1", type: "function", function: { name: "g", arguments: '{"b"' } })),
      chatChunk(call(0, { function: { arguments: '{"a":1}' } })),
      chatChunk({ content: "ye" }, null, 1),
      chatChunk(call(1, { function: { arguments: ":2}" } })),
      chatChunk({}, "tool_calls", 0),
      chatChunk({}, "stop", 1),
    ]);
    expect(attributes["finish_reason"]).toBe("tool_calls,stop");
    expect(messagesIn(attributes)).toEqual([
      {
        role: "assistant",
        finish_reason: "tool_calls",
        parts: [
          { type: "tool_call", id: "c0", name: "f", arguments: { a: 1 } },
          { type: "tool_call", id: "c1", name: "g", arguments: { b: 2 } },
        ],
      },
      { role: "assistant", finish_reason: "stop", parts: [{ type: "text", content: "Bye" }] },
    ]);
  });

  it("separates tool calls without an index", () => {
    const attributes = streamed(openaiChat, [
      chatChunk({ tool_calls: [{ id: "a", function: { name: "f", arguments: '{"x":' } }] }),
      chatChunk({ tool_calls: [{ function: { arguments: "1}" } }] }),
      chatChunk({ tool_calls: [{ id: "b", function: { name: "g", arguments: { y: 2 } } }] }, "tool_calls"),
    ]);
    expect(messagesIn(attributes)).toMatchObject([
      {
        parts: [
          { id: "a", arguments: { x: 1 } },
          { id: "b", name: "g", arguments: { y: 2 } },
        ],
      },
    ]);
  });

  it("separates complete tool calls without an index in one chunk", () => {
    const calls = ["a", "b"].map((id) => ({ id, function: { name: id, arguments: "{}" } }));
    expect(messagesIn(streamed(openaiChat, [chatChunk({ tool_calls: calls }, "tool_calls")]))).toMatchObject([
      {
        parts: [
          { id: "a", name: "a" },
          { id: "b", name: "b" },
        ],
      },
    ]);
  });

  it("separates calls that share an index (Google's endpoint), but not by changing ids (vLLM)", () => {
    const piece = (id: string, called: object) =>
      chatChunk({ tool_calls: [{ index: 0, id, function: called }] });
    const chunks = [
      piece("a", { name: "f", arguments: '{"x":1}' }),
      piece("b", { name: "g", arguments: '{"y"' }),
      piece("b2", { arguments: ":2}" }),
      chatChunk({}, "tool_calls"),
    ];
    expect(messagesIn(streamed(openaiChat, chunks))).toMatchObject([
      {
        parts: [
          { id: "a", name: "f", arguments: { x: 1 } },
          { id: "b", name: "g", arguments: { y: 2 } },
        ],
      },
    ]);
  });

  it("keeps reasoning, refusal, audio and the legacy function call", () => {
    expect(
      messagesIn(
        streamed(openaiChat, [
          chatChunk({ role: "assistant", reasoning_content: "Hm" }),
          chatChunk({ reasoning_content: "m." }),
          chatChunk({ reasoning_details: [{ type: "reasoning.text", text: " So" }] }),
          chatChunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "." }] }] }),
          chatChunk({ refusal: "N" }),
          chatChunk({ refusal: "o." }),
          chatChunk({ audio: { id: "au", transcript: "Say " } }),
          chatChunk({ audio: { data: "AA", transcript: "it" } }),
          chatChunk({ audio: { data: "BB" } }),
          chatChunk({ function_call: { name: "f", arguments: "{" } }),
          chatChunk({ function_call: { arguments: "}" } }, "function_call"),
        ]),
      ),
    ).toEqual([
      {
        role: "assistant",
        finish_reason: "function_call",
        parts: [
          { type: "reasoning", content: "Hmm. So." },
          { type: "refusal", content: "No." },
          { type: "text", content: "Say it" },
          { type: "blob", modality: "audio", mime_type: "audio/*", content: "AABB" },
          { type: "tool_call", id: "", name: "f", arguments: {} },
        ],
      },
    ]);
  });

  it("keeps only as much of an endless text as a span can have", () => {
    const piece = "x".repeat(100_000);
    const attributes = streamed(
      openaiChat,
      Array.from({ length: 100 }, () => chatChunk({ content: piece })),
    );
    expect(String(attributes["completion_text"]).length).toBeLessThan(1_100_000);
  });

  it("equals the response that is not streamed, wherever its text and arguments are cut", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", minLength: 1 }),
        fc.dictionary(fc.string(), fc.string()),
        fc.array(fc.nat(), { maxLength: 8 }),
        (content, args, cuts) => {
          const json = JSON.stringify(args);
          const text = cut(content, cuts).map((piece) => chatChunk({ content: piece }));
          const calls = cut(json, cuts).map((piece, position) =>
            chatChunk({
              tool_calls: [
                { index: 0, ...(position === 0 && { id: "c" }), function: { name: "f", arguments: piece } },
              ],
            }),
          );
          const whole = openaiChat.readResponse({
            id: "chatcmpl-1",
            model: "gpt-5-mini-2025-08-07",
            choices: [
              {
                message: {
                  role: "assistant",
                  content,
                  tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: json } }],
                },
                finish_reason: "tool_calls",
              },
            ],
          });
          expect(streamed(openaiChat, [...text, ...calls, chatChunk({}, "tool_calls")])).toEqual(whole);
        },
      ),
    );
  });
});

/** Cuts a text into pieces at these positions. */
function cut(text: string, places: readonly number[]): string[] {
  const at = [...new Set(places.map((place) => place % (text.length + 1)))].sort(
    (left, right) => left - right,
  );
  return [0, ...at].map((start, index) => text.slice(start, at[index] ?? text.length));
}
