import { isRecord } from "../is-record.js";
import type { JsonValue } from "../wire/index.js";

/** Removes earlier completions and tool results, which a prompt repeats. */
export function withoutCompletions(messages: JsonValue | undefined): JsonValue | undefined {
  return mapParts(messages, (part, role) => {
    if (part["type"] === "tool_call_response") return without(part, "response");
    return role === "assistant" && part["type"] !== "tool_call" ? undefined : part;
  });
}

/** Removes the arguments of tool calls: `capturePrompt` covers them too (sdk.md). */
export function withoutArguments(messages: JsonValue | undefined): JsonValue | undefined {
  return mapParts(messages, (part) => (part["type"] === "tool_call" ? without(part, "arguments") : part));
}

type JsonRecord = Record<string, JsonValue>;

function mapParts(
  messages: JsonValue | undefined,
  change: (part: JsonRecord, role: JsonValue | undefined) => JsonRecord | undefined,
): JsonValue | undefined {
  if (!Array.isArray(messages)) return undefined;
  return messages.map((message) => {
    if (!isRecord(message) || !Array.isArray(message["parts"])) return {};
    const role = message["role"];
    const parts = message["parts"].flatMap((part) => (isRecord(part) ? (change(part, role) ?? []) : []));
    return { ...message, parts };
  });
}

function without(part: JsonRecord, key: string): JsonRecord {
  return Object.fromEntries(Object.entries(part).filter(([name]) => name !== key));
}
