import { describe, expect, it } from "vitest";
import { openaiResponses } from "../../../src/integrations/wire/openai-responses.js";

describe("the responses API", () => {
  it("reads instructions, items and built-in tools of a request", () => {
    const attributes = openaiResponses.readRequest({
      model: "gpt-5",
      instructions: "Be kind.",
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "Weather?" },
            { type: "input_image", image_url: "https://x/y.png" },
          ],
        },
        { type: "reasoning", id: "rs", summary: [{ type: "summary_text", text: "Thinking" }] },
        { type: "function_call", call_id: "c1", name: "weather", arguments: '{"city":"Rome"}' },
        { type: "function_call_output", call_id: "c1", output: '{"sun":true}' },
        { type: "item_reference", id: "msg_1" },
      ],
      max_output_tokens: 9,
      reasoning: { effort: "high" },
      text: { format: { type: "json_object" }, verbosity: "low" },
      tools: [{ type: "web_search" }, { type: "function", name: "weather", parameters: { type: "object" } }],
      previous_response_id: "resp_0",
    });
    expect(attributes).toMatchObject({
      max_tokens: 9,
      reasoning_effort: "high",
      verbosity: "low",
      response_format: "json_object",
      previous_response_id: "resp_0",
      prompt_text: "Weather?",
      tool_definitions: [
        { type: "web_search", name: "web_search" },
        { type: "function", name: "weather", parameters: { type: "object" } },
      ],
    });
    expect(attributes["prompt_messages"]).toEqual([
      { role: "system", parts: [{ type: "text", content: "Be kind." }] },
      {
        role: "user",
        parts: [
          { type: "text", content: "Weather?" },
          { type: "uri", modality: "image", mime_type: "image/*", uri: "https://x/y.png" },
        ],
      },
      {
        role: "assistant",
        parts: [
          { type: "reasoning", content: "Thinking" },
          { type: "tool_call", id: "c1", name: "weather", arguments: { city: "Rome" } },
        ],
      },
      { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: { sun: true } }] },
      { role: "assistant", parts: [{ type: "item_reference", id: "msg_1" }] },
    ]);
  });

  it("reads why a response was cut short", () => {
    const attributes = openaiResponses.readResponse({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Half" }] }],
    });
    expect(attributes).toMatchObject({ finish_reason: "max_output_tokens", completion_text: "Half" });
  });
});
