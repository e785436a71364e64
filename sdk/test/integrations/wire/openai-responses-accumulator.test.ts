import { expect, it } from "vitest";
import { openaiResponses } from "../../../src/integrations/wire/openai-responses.js";
import { messagesIn, streamed } from "./streamed.js";

it("a stream that ends early becomes a response of the parts that arrived", () => {
  const attributes = streamed(openaiResponses, [
    {
      type: "response.created",
      response: { id: "resp_1", model: "gpt-5", status: "in_progress", output: [] },
    },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { type: "reasoning", id: "rs_1", summary: [] },
    },
    { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0, delta: "Hm" },
    {
      type: "response.output_item.added",
      output_index: 1,
      item: { type: "message", role: "assistant", content: [] },
    },
    { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "Hel" },
    { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "lo" },
    { type: "response.refusal.delta", output_index: 1, content_index: 1, delta: "No" },
    {
      type: "response.output_item.added",
      output_index: 2,
      item: { type: "function_call", call_id: "c", name: "f", arguments: "" },
    },
    { type: "response.function_call_arguments.delta", output_index: 2, delta: '{"a":' },
  ]);
  expect(attributes).toMatchObject({ model: "gpt-5", response_id: "resp_1" });
  expect(attributes).not.toHaveProperty("finish_reason");
  expect(messagesIn(attributes)).toEqual([
    {
      role: "assistant",
      parts: [
        { type: "reasoning", content: "Hm" },
        { type: "text", content: "Hello" },
        { type: "refusal", content: "No" },
        { type: "tool_call", id: "c", name: "f", arguments: '{"a":' },
      ],
    },
  ]);
});
