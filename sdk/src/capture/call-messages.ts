import { isArray, isRecord, ownValue } from "../is-record.js";
import { MAX_TEXT_LENGTH, toJsonValue } from "../span/json-value.js";
import type { Message, MessagePart } from "../wire/index.js";

/** Reads messages in the format of chat APIs (`{ role, content }`). Returns undefined for any other value. */
export function readMessages(value: unknown): Message[] | undefined {
  if (!isArray(value) || value.length === 0) return undefined;
  const messages: Message[] = [];
  for (const item of value) {
    const role = isRecord(item) && ownValue(item, "role");
    if (typeof role !== "string") return undefined;
    messages.push({ role, parts: readParts(item as object) });
  }
  return messages;
}

function readParts(message: object): MessagePart[] {
  const content = ownValue(message, "content");
  const toolCallId = ownValue(message, "tool_call_id");
  const toolCalls = ownValue(message, "tool_calls");
  const read: MessagePart[] = [];
  if (typeof toolCallId === "string")
    return [{ type: "tool_call_response", id: toolCallId, response: content ?? "" }];
  for (const part of [content, ownValue(message, "parts")].flatMap((value) =>
    isArray(value) ? value : [value],
  )) {
    if (typeof part === "string") read.push({ type: "text", content: part });
    else if (isRecord(part)) read.push(readPart(part));
  }
  if (isArray(toolCalls)) for (const call of toolCalls) if (isRecord(call)) read.push(readToolCall(call));
  return read;
}

function readPart(part: object): MessagePart {
  const type = ownValue(part, "type");
  const text = ownValue(part, "text");
  if (typeof text === "string") return { type: type === "reasoning" ? "reasoning" : "text", content: text };
  // Copied without its getters, which a spread would run.
  const copy = toJsonValue(part) as Record<string, unknown>;
  return { ...copy, type: typeof type === "string" ? type : "unknown" };
}

function readToolCall(call: object): MessagePart {
  const fn = ownValue(call, "function");
  const named = isRecord(fn) ? fn : call;
  return {
    type: "tool_call",
    id: textOrEmpty(ownValue(call, "id")),
    name: textOrEmpty(ownValue(named, "name")),
    arguments: parseArguments(ownValue(named, "arguments")),
  };
}

function textOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Arguments of a tool call are JSON text. Text that is not valid JSON, or longer than a span keeps, stays text. */
function parseArguments(value: unknown): unknown {
  try {
    return typeof value === "string" && value.length <= MAX_TEXT_LENGTH
      ? (JSON.parse(value) as unknown)
      : (value ?? null);
  } catch {
    return value;
  }
}
