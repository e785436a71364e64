import { describe, expect, it } from "vitest";
import { openaiChat } from "../../../src/integrations/wire/openai-chat.js";

describe("the request of a chat completion", () => {
  it("becomes messages with every kind of part", () => {
    const { prompt_messages: messages } = openaiChat.readRequest({
      model: "gpt-5-mini",
      messages: [
        { role: "developer", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
            { type: "image_url", image_url: { url: "https://example.com/cat.jpg", detail: "low" } },
            { type: "input_audio", input_audio: { data: "BBBB", format: "mp3" } },
            { type: "file", file: { file_data: "data:application/pdf;base64,CCCC", filename: "bill.pdf" } },
          ],
        },
        {
          role: "assistant",
          content: null,
          reasoning_content: "An animal.",
          tool_calls: [
            { id: "call_1", type: "function", function: { name: "look", arguments: '{"at":"cat"}' } },
            { id: "call_2", type: "custom", custom: { name: "draw", input: "a cat" } },
          ],
        },
        { role: "tool", tool_call_id: "call_1", content: '{"is":"a cat"}' },
        { role: "tool", tool_call_id: "call_2", content: [{ type: "text", text: "drawn" }] },
        { role: "assistant", refusal: "I cannot say." },
      ],
    });
    expect(messages).toEqual([
      { role: "developer", parts: [{ type: "text", content: "Be brief." }] },
      {
        role: "user",
        parts: [
          { type: "text", content: "What is this?" },
          { type: "blob", modality: "image", mime_type: "image/png", content: "AAAA" },
          { type: "uri", modality: "image", mime_type: "image/*", uri: "https://example.com/cat.jpg" },
          { type: "blob", modality: "audio", mime_type: "audio/mp3", content: "BBBB" },
          {
            type: "blob",
            modality: "file",
            mime_type: "application/pdf",
            content: "CCCC",
            file_name: "bill.pdf",
          },
        ],
      },
      {
        role: "assistant",
        parts: [
          { type: "reasoning", content: "An animal." },
          { type: "tool_call", id: "call_1", name: "look", arguments: { at: "cat" } },
          { type: "tool_call", id: "call_2", name: "draw", arguments: "a cat" },
        ],
      },
      { role: "tool", parts: [{ type: "tool_call_response", id: "call_1", response: { is: "a cat" } }] },
      { role: "tool", parts: [{ type: "tool_call_response", id: "call_2", response: "drawn" }] },
      { role: "assistant", parts: [{ type: "refusal", content: "I cannot say." }] },
    ]);
  });

  it("has its parameters, the user's last message and the tools, without headers of an MCP server", () => {
    const attributes = openaiChat.readRequest({
      model: "gpt-5-mini",
      messages: [
        { role: "system", content: "Help." },
        { role: "user", content: "First" },
        { role: "assistant", content: "Yes" },
        { role: "user", content: "Second" },
      ],
      temperature: 0.2,
      max_completion_tokens: 50,
      reasoning_effort: "low",
      response_format: { type: "json_schema", json_schema: { name: "a" } },
      tool_choice: { type: "function", function: { name: "look" } },
      tools: [
        {
          type: "function",
          function: { name: "look", description: "Looks", parameters: { type: "object" } },
        },
        { type: "custom", custom: { name: "draw", format: { type: "text" } } },
        {
          type: "mcp",
          server_label: "shop",
          server_url: "https://mcp",
          headers: { Authorization: "secret" },
        },
      ],
      functions: [{ name: "old", parameters: { type: "object" } }],
    });
    expect(attributes).toMatchObject({
      model: "gpt-5-mini",
      temperature: 0.2,
      max_tokens: 50,
      reasoning_effort: "low",
      response_format: "json_schema",
      tool_choice: "look",
      prompt_text: "Second",
      tool_definitions: [
        { type: "function", name: "look", description: "Looks", parameters: { type: "object" } },
        { type: "custom", name: "draw", parameters: { type: "text" } },
        { type: "mcp", name: "shop" },
        { type: "function", name: "old", parameters: { type: "object" } },
      ],
    });
    expect(JSON.stringify(attributes)).not.toContain("secret");
  });
});
