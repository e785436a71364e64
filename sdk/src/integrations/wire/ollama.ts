import type { Message, MessagePart } from "../../wire/index.js";
import { countOf, elementsOf, field, textOf } from "../json-fields.js";
import { appendLimited, keepLimited, newTextRoom } from "../model-client/append-limited.js";
import type { ModelOperation, StreamAccumulator } from "../model-client/operation.js";
import { definedOnly, nonEmpty, type ReadAttributes } from "../model-client/read-attributes.js";
import { reasoningParts, textParts, toolCallPart, toolResultPart } from "./message-parts.js";
import { completionText, promptText } from "./message-texts.js";
import { toolDefinitions } from "./openai-content.js";
import { plainInputText } from "./openai-messages.js";
import { failureIn } from "./response-failure.js";

/** Ollama's `/api/chat`. Streams are lines of JSON; the last one has `done: true` and the counts. */
export const ollamaChat: ModelOperation = {
  name: "chat",
  spanType: "llm",
  readRequest: (request) => {
    const messages = elementsOf(field(request, "messages")).flatMap((message) => toMessage(message));
    return readRequest(request, messages);
  },
  readResponse,
  readFailure,
  createAccumulator,
};

/** Ollama's `/api/generate`. */
export const ollamaGenerate: ModelOperation = {
  name: "text_completion",
  spanType: "llm",
  readRequest: (request) => {
    const prompt = { role: "user", content: field(request, "prompt"), images: field(request, "images") };
    return readRequest(request, [
      ...elementsOf([field(request, "system")]).flatMap((content) => toMessage({ role: "system", content })),
      ...toMessage(prompt),
    ]);
  },
  readResponse,
  readFailure,
  createAccumulator,
};

/** Ollama's `/api/embed`, and the older `/api/embeddings` for a single text. */
export const ollamaEmbed: ModelOperation = {
  name: "embeddings",
  spanType: "embedding",
  readRequest: (request) =>
    definedOnly({
      model: textOf(field(request, "model")),
      dimensions: field(request, "dimensions"),
      input_text: plainInputText(field(request, "input") ?? field(request, "prompt")),
    }),
  readResponse: (response) =>
    definedOnly({
      model: textOf(field(response, "model")),
      tokens_input: countOf(field(response, "prompt_eval_count")),
      embedding_count:
        elementsOf(field(response, "embeddings")).length ||
        Math.min(1, elementsOf(field(response, "embedding")).length),
    }),
  readFailure,
};

function readRequest(request: unknown, messages: readonly Message[]): ReadAttributes {
  const options = field(request, "options");
  const format = field(request, "format");
  return definedOnly({
    model: textOf(field(request, "model")),
    temperature: field(options, "temperature"),
    top_p: field(options, "top_p"),
    seed: field(options, "seed"),
    stop: field(options, "stop"),
    max_tokens: field(options, "num_predict"),
    response_format: typeof format === "object" && format !== null ? "json_schema" : textOf(format),
    prompt_text: promptText(messages),
    prompt_messages: nonEmpty(messages),
    tool_definitions: nonEmpty(toolDefinitions(field(request, "tools"))),
  });
}

function readResponse(response: unknown): ReadAttributes {
  const finishReason = textOf(field(response, "done_reason"));
  // `/api/generate` has the text on the response itself.
  const message = field(response, "message") ?? {
    content: field(response, "response"),
    thinking: field(response, "thinking"),
  };
  const messages = toMessage(message, "assistant").map((read) => ({
    ...read,
    ...(finishReason !== undefined && { finish_reason: finishReason }),
  }));
  return definedOnly({
    model: textOf(field(response, "model")),
    // Older versions leave out the count if the whole prompt was cached.
    tokens_input: countOf(field(response, "prompt_eval_count")),
    tokens_output: countOf(field(response, "eval_count")),
    finish_reason: finishReason,
    completion_text: completionText(messages),
    completion_messages: nonEmpty(messages),
  });
}

function readFailure(response: unknown): ReturnType<typeof failureIn> {
  return failureIn([field(response, "error")]);
}

/** None for a message without role and content. */
function toMessage(message: unknown, defaultRole?: string): Message[] {
  const role = textOf(field(message, "role")) ?? defaultRole;
  if (role === undefined) return [];
  const content = field(message, "content");
  // Results of tools have the name of the tool instead of the id of a call.
  if (role === "tool") return [{ role, parts: [toolResultPart(field(message, "tool_name"), content)] }];
  const parts = [
    ...reasoningParts(field(message, "thinking")),
    ...textParts(content),
    ...elementsOf(field(message, "images")).flatMap(imagePart),
    ...elementsOf(field(message, "tool_calls")).map((call) => {
      const called = field(call, "function");
      return toolCallPart(field(call, "id"), field(called, "name"), field(called, "arguments"));
    }),
  ];
  return parts.length === 0 ? [] : [{ role, parts }];
}

/** Base64, or the path of a file, which only the client knows: it is not base64. The client's arrays of bytes are not kept. */
function imagePart(image: unknown): MessagePart[] {
  const modality = "image";
  if (typeof image !== "string") return [{ type: "blob", modality, mime_type: "image/*", content: "" }];
  return image.includes(".")
    ? [{ type: "uri", modality, mime_type: "image/*", uri: image }]
    : [{ type: "blob", modality, mime_type: "image/*", content: image }];
}

function createAccumulator(): StreamAccumulator {
  let last: unknown = {};
  let error: unknown;
  let text = "";
  let thinking = "";
  const calls: unknown[] = [];
  const room = newTextRoom();
  let isChat = true;
  let isComplete = false;
  return {
    add(chunk) {
      if (typeof chunk !== "object" || chunk === null) return false;
      last = chunk;
      isComplete ||= field(chunk, "done") === true;
      error ??= field(chunk, "error");
      const message = field(chunk, "message");
      if (field(chunk, "response") !== undefined) isChat = false;
      const source = message ?? chunk;
      const piece = textOf(field(source, "content")) ?? textOf(field(source, "response")) ?? "";
      const thought = textOf(field(source, "thinking")) ?? "";
      const called = elementsOf(field(message, "tool_calls"));
      text = appendLimited(text, piece);
      thinking = appendLimited(thinking, thought);
      for (const call of called.slice(0, MAX_TOOL_CALLS - calls.length)) {
        const kept = keepLimited(call, room);
        if (kept !== undefined) calls.push(kept);
      }
      return piece !== "" || thought !== "" || called.length > 0;
    },
    response: () => ({
      ...(last as object),
      error,
      ...(isChat
        ? { message: { role: "assistant", content: text, thinking, tool_calls: calls } }
        : { response: text, thinking }),
    }),
    isComplete: () => isComplete,
  };
}

/** Most tool calls of one response that are kept. */
const MAX_TOOL_CALLS = 1000;
