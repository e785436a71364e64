import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bedrockConverse } from "../../../src/integrations/wire/bedrock-converse.js";
import { bedrockInvoke } from "../../../src/integrations/wire/bedrock-invoke.js";
import { cohereChatV1 } from "../../../src/integrations/wire/cohere-chat-v1.js";
import { cohereChatV2 } from "../../../src/integrations/wire/cohere-chat-v2.js";
import { cohereEmbed } from "../../../src/integrations/wire/cohere-embed.js";
import { cohereRerank } from "../../../src/integrations/wire/cohere-rerank.js";
import { mistralChat, mistralEmbeddings, mistralFim } from "../../../src/integrations/wire/mistral.js";
import { ollamaChat, ollamaEmbed, ollamaGenerate } from "../../../src/integrations/wire/ollama.js";
import { streamed } from "./streamed.js";

const OPERATIONS = [
  bedrockConverse,
  bedrockInvoke({}),
  bedrockInvoke({ modelId: "amazon.titan-embed-text-v2:0" }),
  cohereChatV1,
  cohereChatV2,
  cohereEmbed,
  cohereRerank,
  mistralChat,
  mistralEmbeddings,
  mistralFim,
  ollamaChat,
  ollamaEmbed,
  ollamaGenerate,
];

/** Fields of requests, responses and chunks, at any level. */
const NAMES = [
  ...[
    "messages",
    "message",
    "content",
    "role",
    "tools",
    "toolConfig",
    "toolSpec",
    "system",
    "inferenceConfig",
  ],
  ...["output", "usage", "meta", "tokens", "choices", "results", "outputs", "stopReason", "finish_reason"],
  ...[
    "contentBlockStart",
    "contentBlockDelta",
    "contentBlockIndex",
    "delta",
    "start",
    "toolUse",
    "input",
    "text",
  ],
  ...["reasoningContent", "toolResult", "image", "source", "bytes", "chunk", "json", "throttlingException"],
  ...[
    "tool_calls",
    "tool_results",
    "tool_plan",
    "function",
    "arguments",
    "index",
    "event_type",
    "type",
    "response",
  ],
  ...["images", "thinking", "options", "done", "error", "embeddings", "texts", "chat_history", "modelId"],
];

const { anything } = fc.letrec((tie) => ({
  anything: fc.oneof(
    { maxDepth: 5 },
    fc.anything({ withBigInt: true, withNullPrototype: true, maxDepth: 1 }),
    fc.constantFrom("stream-end", "text-generation", "message-end", "message_start", "user", "tool", "ERROR"),
    fc.array(tie("anything"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie("anything"), { maxKeys: 6 }),
  ),
}));

it("no reader throws, whatever the request, response or stream is", () => {
  fc.assert(
    fc.property(anything, fc.array(anything, { maxLength: 4 }), (value, chunks) => {
      for (const operation of OPERATIONS) {
        operation.readRequest(value);
        operation.readResponse(value);
        operation.readFailure?.(value);
        if (operation.createAccumulator === undefined) continue;
        const response = streamed(operation, chunks);
        operation.readFailure?.(response);
      }
    }),
    { numRuns: 1000 },
  );
});

describe("an event of Converse that reports a failure", () => {
  it("fails the response, and keeps the part that arrived", () => {
    const accumulator = bedrockConverse.createAccumulator?.();
    accumulator?.add({ contentBlockDelta: { contentBlockIndex: 0, delta: { text: "So" } } });
    accumulator?.add({ modelStreamErrorException: { message: "The model broke." } });
    const response = accumulator?.response();
    expect(bedrockConverse.readFailure?.(response)).toEqual({
      type: "modelStreamErrorException",
      message: "The model broke.",
    });
    expect(bedrockConverse.readResponse(response)["completion_text"]).toBe("So");
  });
});
