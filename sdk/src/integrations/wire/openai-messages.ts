import type { Message, MessagePart } from "../../wire/index.js";
import { elementsOf, field, fieldsOf, textOf } from "../json-fields.js";
import { joinTexts, reasoningParts, refusalParts, toolCallPart } from "./message-parts.js";
import { audioParts, contentParts, contentText, resultPart } from "./openai-content.js";

/** Copies the messages of a chat request: the app may change its own later. */
export function chatMessages(messages: unknown): Message[] {
  return elementsOf(messages).flatMap((message) => {
    const role = textOf(field(message, "role"));
    return role === undefined ? [] : [{ role, parts: chatMessageParts(message) }];
  });
}

/** The parts of a chat message, of a request or a response: reasoning first, then text, then calls. */
export function chatMessageParts(message: unknown): MessagePart[] {
  const fields = fieldsOf(message);
  if (fields === undefined) return [];
  if (field(fields, "role") === "tool") {
    return [resultPart(field(fields, "tool_call_id"), field(fields, "content"))];
  }
  if (field(fields, "role") === "function")
    return [resultPart(field(fields, "name"), field(fields, "content"))];
  const legacyCall = fieldsOf(field(fields, "function_call"));
  return [
    ...reasoningParts(reasoningText(fields)),
    ...contentParts(field(fields, "content")),
    ...refusalParts(field(fields, "refusal")),
    ...audioParts(field(fields, "audio")),
    ...elementsOf(field(fields, "tool_calls")).flatMap(chatToolCall),
    ...(legacyCall === undefined
      ? []
      : [toolCallPart("", field(legacyCall, "name"), field(legacyCall, "arguments"))]),
  ];
}

/**
 * The reasoning of a message: `reasoning_content` (DeepSeek and others), `reasoning` (OpenRouter and Groq), or
 * OpenRouter's `reasoning_details`.
 */
export function reasoningText(message: unknown): string {
  const plain = textOf(field(message, "reasoning_content")) ?? textOf(field(message, "reasoning"));
  if (plain !== undefined) return plain;
  return elementsOf(field(message, "reasoning_details"))
    .map((detail) => textOf(field(detail, "text")) ?? textOf(field(detail, "summary")) ?? "")
    .join("");
}

function chatToolCall(call: unknown): MessagePart[] {
  const fields = fieldsOf(call);
  if (fields === undefined) return [];
  const custom = fieldsOf(field(fields, "custom"));
  if (custom !== undefined)
    return [toolCallPart(field(fields, "id"), field(custom, "name"), field(custom, "input"))];
  const called = field(fields, "function");
  return [toolCallPart(field(fields, "id"), field(called, "name"), field(called, "arguments"))];
}

/** The text of a prompt without roles: legacy completions and embeddings take a text or a list of texts. */
export function plainInputText(input: unknown): string | undefined {
  if (typeof input === "string") return textOf(input);
  return textOf(
    joinTexts(
      elementsOf(input).map((part) =>
        typeof part === "string" ? part : contentText(field(part, "content") ?? [part]),
      ),
      "\n",
    ),
  );
}
