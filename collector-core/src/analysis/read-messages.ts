import { mapInSteps, runSteps, type Steps } from "./in-steps.js";
import { formOf, type SpanMessage, type SpanPart } from "./message.js";
import { readItem, readPart } from "./read-part.js";
import { isLongText, isRecord } from "./values.js";

/**
 * Reads messages of any sender: in the shape of contract 1, and as the APIs of OpenAI, Anthropic, Google, Amazon Bedrock, the
 * AI SDK and LangChain have them. What is not understood is kept as JSON.
 *
 * @param key - of the attribute that holds the messages.
 * @param firstIndex - the index of the first value in it.
 */
export function readMessages(values: readonly unknown[], key: string, firstIndex = 0): SpanMessage[] {
  return runSteps(readMessagesInSteps(values, key, firstIndex));
}

/** Messages between two pauses. */
const PAUSE = 512;

/** The same with pauses: there may be very many messages, and parts of one message. */
export function* readMessagesInSteps(
  values: readonly unknown[],
  key: string,
  firstIndex = 0,
): Steps<SpanMessage[]> {
  const messages: SpanMessage[] = [];
  for (const [index, value] of values.entries()) {
    if (index % PAUSE === PAUSE - 1) yield;
    messages.push(yield* readMessage(value, `${key}.${firstIndex + index}`));
  }
  return messages;
}

function* readMessage(value: unknown, key: string): Steps<SpanMessage> {
  if (isLongText(value)) return { key, role: "user", form: "prose", parts: [{ kind: "text", text: value }] };
  if (!isRecord(value)) return { key, role: "other", form: "data", parts: [{ kind: "json", value }] };
  const parts = yield* partsOf(value);
  const role = roleOf(value, parts);
  const finishReason = value["finish_reason"];
  return {
    key,
    role,
    form: formOf(role),
    parts,
    ...(typeof finishReason === "string" ? { finishReason } : {}),
  };
}

/** The types of LangChain's messages, which have no role. */
const TYPED_ROLES: ReadonlySet<string> = new Set(["human", "ai", "system", "tool", "function"]);

function roleOf({ role, type }: Fields, parts: readonly SpanPart[]): string {
  if (typeof role === "string" && role !== "") return role;
  if (typeof type === "string" && TYPED_ROLES.has(type)) return type;
  // Items of a conversation in OpenAI's Responses API.
  const [part] = parts;
  if (part?.kind === "call" || part?.kind === "reasoning") return "assistant";
  return part?.kind === "result" ? "tool" : "other";
}

type Fields = Readonly<Record<string, unknown>>;

function* partsOf(message: Fields): Steps<SpanPart[]> {
  const { parts, content } = message;
  if (Array.isArray(parts)) return yield* mapInSteps(parts as unknown[], readPart);
  const answered = message["tool_call_id"] ?? message["toolCallId"];
  if (typeof answered === "string" && content !== undefined)
    return [{ kind: "result", id: answered, response: content }];
  const calls = message["tool_calls"] ?? message["toolCalls"];
  const called = Array.isArray(calls) ? yield* mapInSteps(calls as unknown[], readItem) : [];
  const list = contentParts(content);
  if (list === undefined && called.length === 0)
    return [message["role"] === undefined ? readItem(message) : { kind: "json", value: message }];
  const reasoning = message["reasoning_content"];
  return [
    ...(isLongText(reasoning) && reasoning !== "" ? [{ kind: "reasoning", text: reasoning } as const] : []),
    ...(yield* mapInSteps(list ?? [], readPart)),
    ...called,
  ];
}

function contentParts(content: unknown): readonly unknown[] | undefined {
  if (Array.isArray(content)) return content as unknown[];
  return isLongText(content) ? [content] : undefined;
}
