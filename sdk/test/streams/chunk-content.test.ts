import { expect, it } from "vitest";
import { readChunk } from "../../src/streams/chunk-content.js";

it.each([
  ["text", "Hi", true, "Hi"],
  ["no text", "", false, ""],
  ["a role alone", { choices: [{ delta: { role: "assistant" } }] }, false, undefined],
  ["reasoning", { choices: [{ delta: { reasoning_content: "hm" } }] }, true, undefined],
  ["a refusal", { choices: [{ delta: { refusal: "no" } }] }, true, undefined],
  ["audio", { choices: [{ delta: { audio: { data: "aGk=" } } }] }, true, undefined],
  ["usage alone", { choices: [], usage: { prompt_tokens: 1 } }, false, undefined],
  ["an event that announces", { type: "response.created", response: { id: "r" } }, false, undefined],
  ["a text event", { type: "response.output_text.delta", delta: "Hi" }, true, "Hi"],
  ["a reasoning event", { type: "response.reasoning_text.delta", delta: "hm" }, true, undefined],
  ["a message event", { type: "content_block_delta", delta: { type: "text_delta", text: "Hi" } }, true, "Hi"],
  ["a message start", { type: "message_start", message: { content: [] } }, false, undefined],
  ["a candidate", { candidates: [{ content: { parts: [{ text: "Hi" }] } }] }, true, "Hi"],
  ["an unknown shape", { foo: 1 }, true, undefined],
])("%s", (_, chunk, isGenerated, text) => {
  expect(readChunk(chunk)).toEqual({ isGenerated, text });
});
