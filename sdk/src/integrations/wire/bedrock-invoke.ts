import { fromBase64 } from "../../platform/base64.js";
import { countOf, elementsOf, field, fieldsOf, parseJsonOrText, textOf } from "../json-fields.js";
import type { ModelOperation, StreamAccumulator } from "../model-client/operation.js";
import { definedOnly } from "../model-client/read-attributes.js";
import { anthropicMessage } from "./anthropic.js";
import { bedrockConverse, bedrockModel } from "./bedrock-converse.js";
import { INVOCATION_METRICS, withMetrics } from "./bedrock-metrics.js";
import { bedrockText } from "./bedrock-text.js";
import { cohereChatV1 } from "./cohere-chat-v1.js";
import { cohereRerank } from "./cohere-rerank.js";
import { openaiChat } from "./openai-chat.js";
import { plainInputText } from "./openai-messages.js";

/**
 * The reader of Amazon Bedrock's `InvokeModel` and `InvokeModelWithResponseStream` for a request. Each vendor's models have
 * bodies of their own. A request is the body, with the field `modelId` that the wire has in the path; a response is the body, with
 * the counts of the headers (`withHeaderCounts`).
 */
export function bedrockInvoke(request: unknown): ModelOperation {
  const model = textOf(field(request, "modelId")) ?? "";
  if (model.includes("embed") || field(request, "texts") !== undefined) return EMBED;
  return Array.isArray(field(request, "documents")) && field(request, "query") !== undefined ? RERANK : CHAT;
}

/** A kind of body, recognised by its fields. */
interface Format {
  readonly operation: ModelOperation;
  readonly isRequest: (body: unknown) => boolean;
  readonly isResponse: (body: unknown) => boolean;
  readonly isChunk: (chunk: unknown) => boolean;
}

const has = (value: unknown, ...keys: readonly string[]): boolean =>
  keys.some((key) => field(value, key) !== undefined);

const FORMATS: readonly Format[] = [
  {
    operation: anthropicMessage,
    isRequest: (body) => has(body, "anthropic_version"),
    isResponse: (body) => field(body, "type") === "message" || field(body, "type") === "error",
    isChunk: (chunk) => field(chunk, "type") === "message_start" || field(chunk, "type") === "error",
  },
  {
    operation: bedrockConverse,
    isRequest: (body) => has(body, "inferenceConfig", "schemaVersion", "toolConfig"),
    isResponse: (body) => has(field(body, "output"), "message"),
    isChunk: (chunk) =>
      has(chunk, "messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop"),
  },
  {
    operation: openaiChat,
    isRequest: (body) => has(body, "messages"),
    isResponse: (body) => has(elementsOf(field(body, "choices"))[0], "message"),
    isChunk: (chunk) => has(elementsOf(field(chunk, "choices"))[0], "delta"),
  },
  {
    operation: cohereChatV1,
    isRequest: (body) => has(body, "message"),
    isResponse: (body) => has(body, "text"),
    isChunk: (chunk) => has(chunk, "event_type"),
  },
];

const formatOf = (is: "isRequest" | "isResponse" | "isChunk", value: unknown): ModelOperation | undefined =>
  FORMATS.find((format) => format[is](value))?.operation;

const CHAT: ModelOperation = onBedrock({
  name: "chat",
  spanType: "llm",
  readRequest: (request) => (formatOf("isRequest", request) ?? bedrockText).readRequest(request),
  readResponse: (response) => (formatOf("isResponse", response) ?? bedrockText).readResponse(response),
  readFailure: (response) => formatOf("isResponse", response)?.readFailure?.(response),
  createAccumulator,
});

const EMBED: ModelOperation = onBedrock({
  name: "embeddings",
  spanType: "embedding",
  readRequest: (request) =>
    definedOnly({
      dimensions: field(request, "dimensions"),
      input_text: plainInputText(field(request, "inputText") ?? field(request, "texts")),
    }),
  readResponse: (response) =>
    definedOnly({
      tokens_input: countOf(field(response, "inputTextTokenCount")),
      embedding_count:
        elementsOf(field(response, "embeddings")).length || (has(response, "embedding") ? 1 : undefined),
    }),
});

const RERANK: ModelOperation = onBedrock(cohereRerank);

/** Adds the model, and the counts of Bedrock itself. */
function onBedrock(operation: ModelOperation): ModelOperation {
  return {
    ...operation,
    readRequest: (request) =>
      definedOnly({ ...operation.readRequest(request), model: bedrockModel(field(request, "modelId")) }),
    readResponse: (response) =>
      withMetrics(operation.readResponse(response), field(response, INVOCATION_METRICS)),
  };
}

function createAccumulator(): StreamAccumulator {
  let accumulator: StreamAccumulator | undefined;
  let metrics: unknown;
  return {
    add(event) {
      const chunk = chunkOf(event);
      metrics = field(chunk, INVOCATION_METRICS) ?? metrics;
      accumulator ??= (formatOf("isChunk", chunk) ?? bedrockText).createAccumulator?.();
      return accumulator?.add(chunk) ?? false;
    },
    response: () => ({ ...fieldsOf(accumulator?.response()), [INVOCATION_METRICS]: metrics }),
    isComplete: () => metrics !== undefined || accumulator?.isComplete() === true,
  };
}

/** An event has the bytes of a chunk, which are base64 on the wire. */
function chunkOf(event: unknown): unknown {
  const bytes = field(field(event, "chunk"), "bytes") ?? field(event, "bytes");
  if (typeof bytes === "string") return parseJsonOrText(new TextDecoder().decode(fromBase64(bytes)));
  return bytes instanceof Uint8Array ? parseJsonOrText(new TextDecoder().decode(bytes)) : event;
}
