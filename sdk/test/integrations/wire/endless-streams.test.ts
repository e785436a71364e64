import { expect, it } from "vitest";
import type { ModelOperation } from "../../../src/integrations/model-client/operation.js";
import { anthropicMessage } from "../../../src/integrations/wire/anthropic.js";
import { bedrockConverse } from "../../../src/integrations/wire/bedrock-converse.js";
import { cohereChatV2 } from "../../../src/integrations/wire/cohere-chat-v2.js";
import { geminiInteraction } from "../../../src/integrations/wire/gemini-interactions.js";
import { geminiContent } from "../../../src/integrations/wire/gemini.js";
import { ollamaChat } from "../../../src/integrations/wire/ollama.js";
import { openaiChat } from "../../../src/integrations/wire/openai-chat.js";
import { openaiCompletions } from "../../../src/integrations/wire/openai-completions.js";
import { openaiResponses } from "../../../src/integrations/wire/openai-responses.js";

/** As many values are longer than the bound of a response. */
const COUNT = 10_000;
/** And so are as many fields with long names. */
const FIELDS = 2000;
const fieldAt = (index: number): string => `a field with a long name, of which there are many: ${index}`;

/** Chunks of streams that add a part, or a field, with each chunk. */
const STREAMS: Readonly<
  Record<string, readonly [ModelOperation, (index: number) => object, count?: number]>
> = {
  "choices of a chat": [openaiChat, (index) => ({ choices: [{ index, delta: { content: "a" } }] })],
  "tool calls of a chat": [
    openaiChat,
    (index) => ({
      choices: [{ index: 0, delta: { tool_calls: [{ index, id: `i${index}`, function: { name: "f" } }] } }],
    }),
  ],
  "items of a response": [
    openaiResponses,
    (index) => ({
      type: "response.output_item.added",
      output_index: index,
      item: { type: "function_call", name: "f" },
    }),
  ],
  "texts of a response": [
    openaiResponses,
    (index) => ({ type: "response.output_text.delta", output_index: 0, content_index: index, delta: "a" }),
  ],
  "blocks of a message": [
    anthropicMessage,
    (index) => ({ type: "content_block_start", index, content_block: { type: "tool_use", name: "f" } }),
  ],
  "fields of a message": [
    anthropicMessage,
    (index) => ({
      type: "message_delta",
      delta: { [fieldAt(index)]: 1 },
      usage: { [fieldAt(index)]: 1 },
    }),
    FIELDS,
  ],
  "parts of a candidate": [
    geminiContent,
    () => ({ candidates: [{ content: { parts: [{ functionCall: { name: "f" } }] } }] }),
  ],
  "texts and thoughts of a candidate": [
    geminiContent,
    (index) => ({ candidates: [{ content: { parts: [{ text: "a", thought: index % 2 === 0 }] } }] }),
  ],
  "counts of a candidate": [geminiContent, (index) => ({ usageMetadata: { [fieldAt(index)]: 1 } }), FIELDS],
  "fields of an interaction": [
    geminiInteraction,
    (index) => ({ event_type: "interaction.start", interaction: { [fieldAt(index)]: 1 } }),
    FIELDS,
  ],
  "fields of a step": [
    geminiInteraction,
    (index) => ({ event_type: "step.delta", index: 0, delta: { type: "image", [fieldAt(index)]: 1 } }),
    FIELDS,
  ],
  "blocks of Bedrock": [
    bedrockConverse,
    (index) => ({ contentBlockStart: { contentBlockIndex: index, start: { toolUse: { name: "f" } } } }),
  ],
  "errors of Bedrock": [bedrockConverse, () => ({ throttlingException: { message: "slow" } })],
};

it.each(Object.keys(STREAMS))("an endless stream does not fill the memory with %s", (name) => {
  const [operation, chunkAt, count = COUNT] = STREAMS[name] ?? [];
  const accumulator = operation?.createAccumulator?.();
  for (let index = 0; index < count; index++) accumulator?.add(chunkAt?.(index));
  expect(JSON.stringify(accumulator?.response()).length).toBeLessThan(90_000);
});

const PIECE = "a".repeat(1000);

/** Chunks of streams with many texts, each of which has fewer characters than a span keeps. */
const TEXTS: Readonly<Record<string, readonly [ModelOperation, (index: number) => object]>> = {
  "choices of a chat": [openaiChat, (index) => ({ choices: [{ index, delta: { content: PIECE } }] })],
  "choices of a completion": [openaiCompletions, (index) => ({ choices: [{ index, text: PIECE }] })],
  "arguments of a chat": [
    openaiChat,
    (index) => ({
      choices: [{ index: 0, delta: { tool_calls: [{ index, function: { arguments: PIECE } }] } }],
    }),
  ],
  "texts of a response": [
    openaiResponses,
    (index) => ({ type: "response.output_text.delta", output_index: index, delta: PIECE }),
  ],
  "blocks of a message": [
    anthropicMessage,
    (index) => ({ type: "content_block_delta", index, delta: { type: "text_delta", text: PIECE } }),
  ],
  "candidates of Gemini": [
    geminiContent,
    (index) => ({ candidates: [{ index, content: { parts: [{ text: PIECE }] } }] }),
  ],
  "steps of an interaction": [
    geminiInteraction,
    (index) => ({ event_type: "step.delta", index, delta: { type: "text", text: PIECE } }),
  ],
  "blocks of Bedrock": [
    bedrockConverse,
    (index) => ({ contentBlockDelta: { contentBlockIndex: index, delta: { text: PIECE } } }),
  ],
  "contents of Cohere": [
    cohereChatV2,
    (index) => ({ type: "content-delta", index, delta: { message: { content: { text: PIECE } } } }),
  ],
};

it.each(Object.keys(TEXTS))("the texts of one response have a bound together: %s", (name) => {
  const [operation, chunkAt] = TEXTS[name] ?? [];
  const accumulator = operation?.createAccumulator?.();
  for (let round = 0; round < 5; round++)
    for (let index = 0; index < 1000; index++) accumulator?.add(chunkAt?.(index));
  const { length } = JSON.stringify(accumulator?.response());
  expect(length).toBeGreaterThan(3_000_000);
  expect(length).toBeLessThan(4_500_000);
});

const LONG = "a".repeat(100_000);

/** Chunks of streams with many values other than texts, each of which a span could keep. */
const VALUES: Readonly<Record<string, readonly [ModelOperation, (index: number) => object]>> = {
  "images of a candidate": [
    geminiContent,
    () => ({ candidates: [{ content: { parts: [{ inlineData: { data: LONG } }] } }] }),
  ],
  "lists of a candidate": [
    geminiContent,
    () => ({
      candidates: [{ content: { parts: [{ functionCall: { args: new Array<number>(1000).fill(1) } }] } }],
    }),
  ],
  "counts of a candidate": [geminiContent, (index) => ({ usageMetadata: { [`k${index % 100}`]: LONG } })],
  "roles and ends of candidates": [
    geminiContent,
    (index) => ({ candidates: [{ index, content: { role: LONG }, finishReason: LONG }] }),
  ],
  "items of a response": [
    openaiResponses,
    (index) => ({
      type: "response.output_item.done",
      output_index: index,
      item: { type: "image_generation_call", result: LONG },
    }),
  ],
  "calls of Ollama": [
    ollamaChat,
    () => ({ message: { tool_calls: [{ function: { name: "f", arguments: { text: LONG } } }] } }),
  ],
  "names of the calls of a chat": [
    openaiChat,
    (index) => ({
      choices: [{ index: 0, delta: { tool_calls: [{ index, id: LONG, function: { name: LONG } }] } }],
    }),
  ],
  "ends and errors of a chat": [
    openaiChat,
    (index) => ({ choices: [{ index, finish_reason: LONG, error: { message: LONG }, delta: {} }] }),
  ],
  "blocks of a message": [
    anthropicMessage,
    (index) => ({ type: "content_block_start", index, content_block: { type: "text", text: LONG } }),
  ],
  "fields of a message": [
    anthropicMessage,
    (index) => ({ type: "message_delta", delta: { [`k${index}`]: LONG }, usage: { [`k${index}`]: LONG } }),
  ],
  "tools of Bedrock": [
    bedrockConverse,
    (index) => ({ contentBlockStart: { contentBlockIndex: index, start: { toolUse: { name: LONG } } } }),
  ],
  "calls of Cohere": [
    cohereChatV2,
    (index) => ({ index, delta: { message: { tool_calls: { id: LONG, function: { name: LONG } } } } }),
  ],
  "steps of an interaction": [
    geminiInteraction,
    (index) => ({ event_type: "step.start", index, step: { type: "image", data: LONG } }),
  ],
};

it.each(Object.keys(VALUES))("all values of one response have a bound together: %s", (name) => {
  const [operation, chunkAt] = VALUES[name] ?? [];
  const accumulator = operation?.createAccumulator?.();
  for (let index = 0; index < 1000; index++) accumulator?.add(chunkAt?.(index));
  const { length } = JSON.stringify(accumulator?.response());
  expect(length).toBeGreaterThan(100_000);
  expect(length).toBeLessThan(5_000_000);
});

it("keeps the counts at the end of a response that is larger than its bound", () => {
  const accumulator = geminiContent.createAccumulator?.();
  for (let index = 0; index < 100; index++)
    accumulator?.add({ candidates: [{ content: { parts: [{ inlineData: { data: LONG } }] } }] });
  accumulator?.add({ candidates: [{ finishReason: "STOP" }], usageMetadata: { promptTokenCount: 7 } });
  expect(accumulator?.response()).toMatchObject({
    usageMetadata: { promptTokenCount: 7 },
    candidates: [{ finishReason: "STOP" }],
  });
});

it("parses the arguments of a thousand calls of a message up to a total", async () => {
  const args = `{"text":"${"a".repeat(100_000)}"}`;
  const call = { type: "function", id: "c", function: { name: "f", arguments: args } };
  const request = (calls: number) => ({
    messages: [{ role: "assistant", tool_calls: new Array<object>(calls).fill(call) }],
  });
  const parsedIn = (calls: number): number => {
    const { prompt_messages: messages } = openaiChat.readRequest(request(calls)) as {
      prompt_messages: { parts: { arguments: unknown }[] }[];
    };
    return messages[0]?.parts.filter((part) => typeof part.arguments === "object").length ?? 0;
  };
  expect(parsedIn(1000)).toBe(79);
  await Promise.resolve();
  expect(parsedIn(20)).toBe(20);
});

it("joins the texts of a prompt up to what a span keeps", () => {
  const content = new Array<object>(1000).fill({ type: "text", text: "a".repeat(1_000_000) });
  const { prompt_text: text } = openaiChat.readRequest({ messages: [{ role: "user", content }] });
  expect(String(text).length).toBeLessThan(1_100_000);
});
