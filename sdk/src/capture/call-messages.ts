import { isRecord } from "../is-record.js";
import type { Message, MessagePart } from "../wire/index.js";

/** Reads messages in the format of chat APIs (`{ role, content }`). Returns undefined for any other value. */
export function readMessages(value: unknown): Message[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const messages: Message[] = [];
  for (const item of value as unknown[]) {
    if (!isRecord(item) || typeof item["role"] !== "string") return undefined;
    messages.push({ role: item["role"], parts: readParts(item) });
  }
  return messages;
}

function readParts(message: Record<string, unknown>): MessagePart[] {
  const { content, parts, tool_calls: toolCalls, tool_call_id: toolCallId } = message;
  const read: MessagePart[] = [];
  if (typeof toolCallId === "string")
    return [{ type: "tool_call_response", id: toolCallId, response: content ?? "" }];
  for (const part of [content, parts].flat()) {
    if (typeof part === "string") read.push({ type: "text", content: part });
    else if (isRecord(part)) read.push(readPart(part));
  }
  if (Array.isArray(toolCalls))
    for (const call of toolCalls as unknown[]) if (isRecord(call)) read.push(readToolCall(call));
  return read;
}

function readPart(part: Record<string, unknown>): MessagePart {
  const { type, text } = part;
  if (typeof text === "string") return { type: type === "reasoning" ? "reasoning" : "text", content: text };
  return { ...part, type: typeof type === "string" ? type : "unknown" };
}

function readToolCall(call: Record<string, unknown>): MessagePart {
  const { name, arguments: args } = isRecord(call["function"]) ? call["function"] : call;
  return {
    type: "tool_call",
    id: typeof call["id"] === "string" ? call["id"] : "",
    name: typeof name === "string" ? name : "",
    arguments: parseArguments(args),
  };
}

/** Arguments of a tool call are JSON text. Text that is not valid JSON stays text. */
function parseArguments(value: unknown): unknown {
  if (typeof value !== "string") return value ?? null;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
