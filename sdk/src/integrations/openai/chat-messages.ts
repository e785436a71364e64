import type { Message, MessagePart } from "../../wire/index.js";
import { elementsOf, field, fieldsOf, textOf } from "../json-fields.js";
import {
  audioParts,
  contentParts,
  contentText,
  partsText,
  reasoningParts,
  refusalParts,
  toolCallPart,
  toolResultPart,
} from "./message-parts.js";

/** The messages of a chat request, copied: the application goes on writing into its own. */
export function chatMessages(messages: unknown): Message[] {
  return elementsOf(messages).flatMap((message) => {
    const role = textOf(field(message, "role"));
    return role === undefined ? [] : [{ role, parts: chatMessageParts(message) }];
  });
}

/** The parts of one chat message, of a request or of an answer: thoughts first, then the text, then the calls. */
export function chatMessageParts(message: unknown): MessagePart[] {
  const fields = fieldsOf(message);
  if (fields === undefined) return [];
  if (fields["role"] === "tool") {
    return [toolResultPart(fields["tool_call_id"], fields["content"])];
  }
  if (fields["role"] === "function") return [toolResultPart(fields["name"], fields["content"])];
  const legacyCall = fieldsOf(fields["function_call"]);
  return [
    ...reasoningParts(reasoningText(fields)),
    ...contentParts(fields["content"]),
    ...refusalParts(fields["refusal"]),
    ...audioParts(fields["audio"]),
    ...elementsOf(fields["tool_calls"]).flatMap(chatToolCall),
    ...(legacyCall === undefined ? [] : [toolCallPart("", legacyCall["name"], legacyCall["arguments"])]),
  ];
}

/**
 * What the model thought: `reasoning_content` of DeepSeek and its likes, `reasoning` of OpenRouter and Groq, or
 * OpenRouter's details alone.
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
  const custom = fieldsOf(fields["custom"]);
  if (custom !== undefined) return [toolCallPart(fields["id"], custom["name"], custom["input"])];
  const called = fields["function"];
  return [toolCallPart(fields["id"], field(called, "name"), field(called, "arguments"))];
}

/**
 * What a reader takes for the prompt: the user's last words. The whole conversation is in `prompt_messages`; here it
 * would begin with the same instructions on every call.
 */
export function promptText(messages: readonly Message[]): string | undefined {
  const lastOfUser = messages.findLast(({ role, parts }) => role === "user" && partsText(parts) !== "");
  if (lastOfUser !== undefined) return partsText(lastOfUser.parts);
  // What the model said before is an answer, wherever it stands: `captureCompletion` decides about it.
  const all = messages
    .filter(({ role }) => role !== "assistant")
    .map(({ parts }) => partsText(parts))
    .filter((text) => text !== "");
  return textOf(all.join("\n\n"));
}

/** The text that a model answered; a refusal is its answer too. */
export function answerText(messages: readonly Message[]): string | undefined {
  return textOf(partsText(messages[0]?.parts ?? []));
}

/** The text of a prompt that is no conversation: legacy completions and embeddings take one or a list of them. */
export function plainInputText(input: unknown): string | undefined {
  if (typeof input === "string") return textOf(input);
  return textOf(
    elementsOf(input)
      .map((part) => (typeof part === "string" ? part : contentText(field(part, "content") ?? [part])))
      .filter((text) => text !== "")
      .join("\n"),
  );
}
