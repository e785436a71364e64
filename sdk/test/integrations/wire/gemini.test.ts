import { describe, expect, it } from "vitest";
import type { ModelOperation } from "../../../src/integrations/model-client/operation.js";
import { geminiContent } from "../../../src/integrations/wire/gemini.js";
import { geminiEmbeddings } from "../../../src/integrations/wire/gemini-embeddings.js";
import { geminiInteraction } from "../../../src/integrations/wire/gemini-interactions.js";
import { recordedExchanges, type Exchange } from "../../replay/exchange.js";
import { expectedTokens } from "../../replay/expected-tokens.js";
import { readExchange, toolCallCount, type ReadExchange } from "./read-fixture.js";
import { messagesIn, streamed } from "./streamed.js";

const READERS: Readonly<Record<string, ModelOperation>> = {
  generateContent: geminiContent,
  embedContent: geminiEmbeddings,
  interactions: geminiInteraction,
};
const EXCHANGES = recordedExchanges().filter(({ api }) => api in READERS);

/** Reads an exchange; the model of `generateContent` is in the URL. */
function read(exchange: Exchange, pieceSize?: number): ReadExchange {
  const { path, body } = exchange.request;
  const [, model] = /models\/([^:]+):/.exec(path) ?? [];
  const request = { ...exchange.request, body: { ...(model !== undefined && { model }), ...body } };
  return readExchange(READERS[exchange.api] ?? geminiContent, { ...exchange, request }, pieceSize);
}

it("has recordings", () => expect(EXCHANGES.length).toBeGreaterThanOrEqual(9));

describe.each(EXCHANGES)("$id", (exchange) => {
  it("is read with the model, the provider's numbers and the tool calls", () => {
    const { attributes, failure } = read(exchange);
    expect(attributes["model"] ?? null).toBe(exchange.expect.model);
    for (const [key, count] of Object.entries(expectedTokens(exchange)))
      expect(attributes[key] ?? null, key).toBe(count);
    expect(toolCallCount(attributes)).toBe(exchange.expect.tool_calls);
    expect(failure !== undefined).toBe(exchange.expect.error);
    if (exchange.api === "embedContent")
      expect(attributes).toMatchObject({ embedding_count: 1, input_text: expect.stringContaining("sky") });
    else expect(attributes).toMatchObject({ prompt_messages: expect.any(Array) });
  });
});

describe.each(EXCHANGES.filter(({ response }) => response.sse !== null))("$id", (exchange) => {
  it("is read the same wherever the stream is cut", () => {
    const whole = read(exchange, 1_000_000);
    expect(whole).toMatchObject({ hasFirstToken: true, isComplete: true });
    for (const size of [1, 7, 100]) expect(read(exchange, size)).toEqual(whole);
  });
});

/** Chunks of a stream that carry the same response. */
function chunksOf(response: {
  candidates: { content: { parts: object[]; role?: string }; finishReason: unknown }[];
}) {
  const [candidate] = response.candidates;
  const { parts = [], role } = candidate?.content ?? {};
  const pieces = parts.flatMap((part) => {
    const text = "text" in part ? String(part.text) : "";
    return text === ""
      ? [part]
      : [
          { ...part, text: text.slice(0, 5) },
          { ...part, text: text.slice(5) },
        ];
  });
  return pieces.map((part, index) => {
    const isLast = index === pieces.length - 1;
    const content = { parts: [part], role };
    const chunk = { content, ...(isLast && { finishReason: candidate?.finishReason }), index: 0 };
    return isLast ? { ...response, candidates: [chunk] } : { candidates: [chunk] };
  });
}

it.each(EXCHANGES.filter(({ api, response }) => api === "generateContent" && response.sse === null))(
  "$id gives the same attributes as its stream",
  ({ response }) => {
    const body = response.body as Parameters<typeof chunksOf>[0];
    expect(streamed(geminiContent, chunksOf(body))).toEqual(geminiContent.readResponse(body));
  },
);

describe("a request of generateContent", () => {
  it("is read with every kind of part, its tools and parameters", () => {
    expect(
      geminiContent.readRequest({
        model: "publishers/google/models/gemini-3.5-flash",
        systemInstruction: "Be brief.",
        contents: [
          {
            role: "user",
            parts: [
              { text: "What is this?" },
              { inlineData: { mimeType: "image/png", data: "QUJD" } },
              { fileData: { mimeType: "application/pdf", fileUri: "gs://bucket/a.pdf" } },
            ],
          },
          {
            role: "model",
            parts: [
              { text: "Hm.", thought: true },
              { functionCall: { id: "c1", name: "search", args: { q: "a" } }, thoughtSignature: "abc" },
            ],
          },
          {
            role: "user",
            parts: [{ functionResponse: { id: "c1", name: "search", response: { hits: 2 } } }],
          },
        ],
        tools: [
          { functionDeclarations: [{ name: "search", description: "Searches" }] },
          { googleSearch: {} },
        ],
        toolConfig: { functionCallingConfig: { mode: "ANY" } },
        generationConfig: {
          temperature: 0.5,
          maxOutputTokens: 100,
          thinkingConfig: { thinkingLevel: "LOW" },
        },
      }),
    ).toEqual({
      model: "gemini-3.5-flash",
      temperature: 0.5,
      max_tokens: 100,
      reasoning_effort: "LOW",
      tool_choice: "ANY",
      prompt_text: "What is this?",
      prompt_messages: [
        { role: "system", parts: [{ type: "text", content: "Be brief." }] },
        {
          role: "user",
          parts: [
            { type: "text", content: "What is this?" },
            { type: "blob", modality: "image", mime_type: "image/png", content: "QUJD" },
            { type: "uri", modality: "file", mime_type: "application/pdf", uri: "gs://bucket/a.pdf" },
          ],
        },
        {
          role: "assistant",
          parts: [
            { type: "reasoning", content: "Hm." },
            { type: "tool_call", id: "c1", name: "search", arguments: { q: "a" } },
          ],
        },
        { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: { hits: 2 } }] },
      ],
      tool_definitions: [
        { type: "function", name: "search", description: "Searches" },
        { type: "googleSearch", name: "googleSearch" },
      ],
    });
  });

  it.each([
    ["a text", "Hi"],
    ["a list of texts", ["Hi"]],
    ["a part", { text: "Hi" }],
    ["a content", { parts: [{ text: "Hi" }] }],
  ])("takes %s as contents", (_, contents) => {
    expect(geminiContent.readRequest({ model: "m", contents })["prompt_messages"]).toEqual([
      { role: "user", parts: [{ type: "text", content: "Hi" }] },
    ]);
  });
});

it("the input of Google's own tools counts as input, and thoughts as output", () => {
  const usageMetadata = {
    promptTokenCount: 10,
    toolUsePromptTokenCount: 5,
    cachedContentTokenCount: 4,
    candidatesTokenCount: 3,
    thoughtsTokenCount: 2,
  };
  expect(geminiContent.readResponse({ usageMetadata })).toEqual({
    tokens_input: 15,
    tokens_output: 5,
    tokens_cached: 4,
    tokens_reasoning: 2,
  });
});

it("a blocked prompt has the reason, and an error its status", () => {
  expect(geminiContent.readResponse({ promptFeedback: { blockReason: "SAFETY" } })).toEqual({
    finish_reason: "SAFETY",
  });
  const error = { code: 429, message: "Slow down.", status: "RESOURCE_EXHAUSTED" };
  expect(geminiContent.readFailure?.({ error })).toEqual({
    type: "RESOURCE_EXHAUSTED 429",
    message: "Slow down.",
  });
});

it("an interaction is read with its steps, tools and thoughts, plain and streamed", () => {
  const call = { type: "function_call", id: "c1", name: "search", arguments: { q: "a" } };
  const usage = {
    total_input_tokens: 9,
    total_output_tokens: 3,
    total_thought_tokens: 4,
    total_tool_use_tokens: 1,
  };
  const end = { id: "i1", model: "gemini-3.5-flash", status: "requires_action", usage };
  const steps = [
    { type: "user_input", content: [{ type: "text", text: "Find it." }] },
    { type: "thought", summary: [{ type: "text", text: "Hm." }], signature: "abc" },
    { type: "model_output", content: [{ type: "text", text: "Wait." }] },
    call,
  ];
  const plain = geminiInteraction.readResponse({ ...end, steps });
  const event = (type: string, index: number, more: object) => ({
    event_type: `step.${type}`,
    index,
    ...more,
  });
  const fromStream = streamed(geminiInteraction, [
    { event_type: "interaction.created", interaction: { id: "i1", status: "in_progress" } },
    event("start", 0, { step: { type: "thought" } }),
    event("delta", 0, { delta: { type: "thought_summary", content: { type: "text", text: "Hm." } } }),
    event("delta", 0, { delta: { type: "thought_signature", signature: "abc" } }),
    event("start", 1, { step: { type: "model_output" } }),
    event("delta", 1, { delta: { type: "text", text: "Wa" } }),
    event("delta", 1, { delta: { type: "text", text: "it." } }),
    event("start", 2, { step: { type: "function_call", id: "c1", name: "search" } }),
    event("delta", 2, { delta: { type: "arguments_delta", arguments: '{"q":' } }),
    event("delta", 2, { delta: { type: "arguments_delta", arguments: '"a"}' } }),
    { event_type: "interaction.completed", interaction: end },
  ]);
  expect(fromStream).toEqual(plain);
  expect(plain).toMatchObject({
    tokens_input: 10,
    tokens_output: 7,
    tokens_reasoning: 4,
    completion_text: "Wait.",
  });
  expect(messagesIn(plain)).toEqual([
    {
      role: "assistant",
      parts: [
        { type: "reasoning", content: "Hm." },
        { type: "text", content: "Wait." },
        { type: "tool_call", id: "c1", name: "search", arguments: { q: "a" } },
      ],
    },
  ]);
  const request = geminiInteraction.readRequest({
    model: "gemini-3.5-flash",
    input: [
      { role: "user", content: "Hi" },
      { type: "function_result", call_id: "c1", result: "found" },
    ],
    tools: [
      { type: "function", name: "search" },
      { type: "mcp_server", name: "files", headers: { a: "secret" } },
    ],
  });
  expect(request).toMatchObject({
    prompt_text: "Hi",
    prompt_messages: [
      { role: "user", parts: [{ type: "text", content: "Hi" }] },
      { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "found" }] },
    ],
    tool_definitions: [
      { type: "function", name: "search" },
      { type: "mcp_server", name: "files" },
    ],
  });
});
