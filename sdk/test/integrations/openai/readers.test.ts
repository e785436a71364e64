import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chatCompletions } from "../../../src/integrations/openai/chat-completions.js";
import { completions } from "../../../src/integrations/openai/completions.js";
import { embeddings } from "../../../src/integrations/openai/embeddings.js";
import { contentParts } from "../../../src/integrations/openai/message-parts.js";
import type { ModelOperation } from "../../../src/integrations/model-client/operation.js";
import { responses } from "../../../src/integrations/openai/responses.js";
import { chatChunk } from "../../replay/written-exchange.js";

function streamed(operation: ModelOperation, chunks: readonly unknown[]): Readonly<Record<string, unknown>> {
  const accumulator = operation.createAccumulator?.();
  for (const chunk of chunks) accumulator?.add(chunk);
  return operation.readResponse(accumulator?.response());
}

const messagesIn = (attributes: Readonly<Record<string, unknown>>) => attributes["completion_messages"];

describe("the request of a chat completion", () => {
  it("becomes messages with every kind of part", () => {
    const { prompt_messages: messages } = chatCompletions.readRequest({
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

  it("tells its parameters, the user's last words and the tools, and no header of an MCP server", () => {
    const attributes = chatCompletions.readRequest({
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

describe("an image in a message", () => {
  const partOf = (url: string) => contentParts([{ type: "image_url", image_url: { url } }])[0];

  it("is a blob where its data stands in the address, else a link", () => {
    const blob = { type: "blob", modality: "image", content: "QUJD,=" };
    expect(partOf("data:image/png;base64,QUJD,=")).toEqual({ ...blob, mime_type: "image/png" });
    expect(partOf("data:image/png;name=a;base64,QUJD,=")).toEqual({ ...blob, mime_type: "image/png" });
    expect(partOf("data:;base64,QUJD,=")).toEqual({ ...blob, mime_type: "" });
    for (const uri of ["data:image/png,QUJD", "data:image/png;base64", "https://a.b/c;base64,d", ""])
      expect(partOf(uri)).toEqual({ type: "uri", modality: "image", mime_type: "image/*", uri });
  });

  it("is read at once, however long an address without data is", () => {
    const before = performance.now();
    for (const unit of ["a", ";", ";base64", "data:"]) partOf(`data:${unit.repeat(300_000)}`);
    expect(performance.now() - before).toBeLessThan(2000);
  });
});

describe("a streamed chat completion", () => {
  it("puts several answers and their tool calls together, however their pieces are mixed", () => {
    const call = (index: number, piece: object) => ({ tool_calls: [{ index, ...piece }] });
    const attributes = streamed(chatCompletions, [
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

  it("tells tool calls apart where a provider leaves the index out", () => {
    const attributes = streamed(chatCompletions, [
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

  it("tells whole tool calls apart that come without an index in one chunk", () => {
    const calls = ["a", "b"].map((id) => ({ id, function: { name: id, arguments: "{}" } }));
    expect(
      messagesIn(streamed(chatCompletions, [chatChunk({ tool_calls: calls }, "tool_calls")])),
    ).toMatchObject([
      {
        parts: [
          { id: "a", name: "a" },
          { id: "b", name: "b" },
        ],
      },
    ]);
  });

  it("tells calls apart that all have one index (Google's endpoint), and not by ids that change (vLLM)", () => {
    const piece = (id: string, called: object) =>
      chatChunk({ tool_calls: [{ index: 0, id, function: called }] });
    const chunks = [
      piece("a", { name: "f", arguments: '{"x":1}' }),
      piece("b", { name: "g", arguments: '{"y"' }),
      piece("b2", { arguments: ":2}" }),
      chatChunk({}, "tool_calls"),
    ];
    expect(messagesIn(streamed(chatCompletions, chunks))).toMatchObject([
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
        streamed(chatCompletions, [
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

  it("keeps at most a span's worth of a text without end", () => {
    const piece = "x".repeat(100_000);
    const attributes = streamed(
      chatCompletions,
      Array.from({ length: 100 }, () => chatChunk({ content: piece })),
    );
    expect(String(attributes["completion_text"]).length).toBeLessThan(1_100_000);
  });

  it("gives what the unstreamed answer gives, wherever its text and its arguments are cut", () => {
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
          const whole = chatCompletions.readResponse({
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
          expect(streamed(chatCompletions, [...text, ...calls, chatChunk({}, "tool_calls")])).toEqual(whole);
        },
      ),
    );
  });
});

/** The text in pieces, cut at these places. */
function cut(text: string, places: readonly number[]): string[] {
  const at = [...new Set(places.map((place) => place % (text.length + 1)))].sort(
    (left, right) => left - right,
  );
  return [0, ...at].map((start, index) => text.slice(start, at[index] ?? text.length));
}

describe("the responses API", () => {
  it("reads instructions, items and built-in tools of a request", () => {
    const attributes = responses.readRequest({
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

  it("says why a response was cut short", () => {
    const attributes = responses.readResponse({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Half" }] }],
    });
    expect(attributes).toMatchObject({ finish_reason: "max_output_tokens", completion_text: "Half" });
  });

  it("puts together what had come of a stream that ends before its response", () => {
    const attributes = streamed(responses, [
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
});

describe("the other APIs", () => {
  it("a streamed legacy completion is folded, several answers apart", () => {
    const chunk = (index: number, text: string, finish: string | null = null) => ({
      id: "cmpl-1",
      model: "gpt-3.5-turbo-instruct",
      choices: [{ index, text, finish_reason: finish }],
    });
    const usage = { id: "cmpl-1", choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } };
    const chunks = [chunk(0, "A"), chunk(1, "X"), chunk(0, "B", "stop"), chunk(1, "", "length"), usage];
    expect(streamed(completions, chunks)).toMatchObject({
      completion_text: "AB",
      finish_reason: "stop,length",
      tokens_input: 3,
      tokens_output: 4,
      completion_messages: [{ parts: [{ content: "AB" }] }, { parts: [{ content: "X" }] }],
    });
  });

  it("an embedding's input may be one text, several, or tokens", () => {
    expect(embeddings.readRequest({ model: "m", input: "one" })["input_text"]).toBe("one");
    expect(embeddings.readRequest({ model: "m", input: ["one", "two"] })["input_text"]).toBe("one\ntwo");
    expect(embeddings.readRequest({ model: "m", input: [[1, 2], [3]] })).not.toHaveProperty("input_text");
  });
});

describe("numbers that make no sense", () => {
  it("are left out, and a missing one is never a zero", () => {
    const usage = {
      prompt_tokens: -1,
      completion_tokens: 1.5,
      prompt_tokens_details: { cached_tokens: "7" },
    };
    const attributes = chatCompletions.readResponse({ usage, choices: [] });
    for (const key of ["tokens_input", "tokens_output", "tokens_cached", "tokens_reasoning"]) {
      expect(attributes).not.toHaveProperty(key);
    }
  });
});

it("no reader throws, whatever it is given", () => {
  const operations = [chatCompletions, responses, completions, embeddings];
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (value) => {
      for (const operation of operations) {
        operation.readRequest(value);
        operation.readRequest({
          messages: value,
          input: value,
          tools: value,
          instructions: value,
          prompt: value,
        });
        operation.readRequest({
          messages: [value, { role: "user", content: value }],
          input: [value, { content: value }],
        });
        operation.readResponse(value);
        operation.readResponse({ choices: value, output: value, usage: value });
        operation.readResponse({
          choices: [value, { message: value }],
          output: [value],
          usage: { prompt_tokens: value },
        });
        operation.readFailure?.(value);
        streamed(operation, [
          value,
          { choices: [value, { delta: value }, { delta: { tool_calls: [value, { function: value }] } }] },
          { type: "response.output_item.added", item: value },
          { type: "response.output_text.delta", delta: value, output_index: value, content_index: value },
          { type: "response.completed", response: value },
        ]);
      }
    }),
    { numRuns: 300, examples: [[{ arguments: [0n] }], [{ arguments: { toJSON: () => undefined } }]] },
  );
});
