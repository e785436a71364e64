import type { NormalizedSpan } from "../api-schema/trace.js";
import { attributeOf, attributesOf } from "./attributes.js";
import { eachInSteps, filterInSteps, mapInSteps, runSteps, type Steps } from "./in-steps.js";
import { formOf, type MessageForm, type SpanMessage } from "./message.js";
import { readMessagesInSteps } from "./read-messages.js";
import { isLongText, parseJsonText, type LongText } from "./values.js";

/** The input and output messages of a span. */
export interface SpanMessages {
  readonly input: readonly SpanMessage[];
  readonly output: readonly SpanMessage[];
}

/** Attributes that hold messages, best first: conversations, then texts of model calls, then texts of any span. */
const SOURCES = [
  { input: "prompt_messages", output: "completion_messages", roles: ["user", "assistant"] },
  { input: "prompt_text", output: "completion_text", roles: ["user", "assistant"] },
  { input: "input_text", output: "output_text", roles: ["input", "output"] },
] as const;

/**
 * Reads the messages of a span. Tool results are attached to the calls that they answer; results without a call stay
 * separate messages.
 */
export function messagesOf(span: NormalizedSpan): SpanMessages {
  return runSteps(messagesInSteps(span));
}

/** The same with pauses: a span may have very many messages. */
export function* messagesInSteps(span: NormalizedSpan): Steps<SpanMessages> {
  const { input, output } = yield* recordedInSteps(span);
  const linked = yield* linkInSteps([...input, ...output]);
  return {
    input: yield* filterInSteps(linked.slice(0, input.length), isShown),
    output: yield* filterInSteps(linked.slice(input.length), isShown),
  };
}

/** The messages of a span as they were recorded: results of tools are in messages of their own. */
export function recordedMessages(span: NormalizedSpan): SpanMessages {
  return runSteps(recordedInSteps(span));
}

/** The same with pauses. */
export function* recordedInSteps(span: NormalizedSpan): Steps<SpanMessages> {
  return { input: yield* recordedSide(span, "input"), output: yield* recordedSide(span, "output") };
}

/** The attributes that contain the messages, for the raw view. */
export function messageSources(span: NormalizedSpan): Readonly<Record<string, unknown>> {
  const attributes = attributesOf(span);
  const keys = SOURCES.flatMap(({ input, output }) => [input, output]);
  const present = keys.filter((key) => Object.hasOwn(attributes, key));
  return Object.fromEntries(present.map((key) => [key, attributes[key]]));
}

/** The messages that a span received or sent, with pauses. */
export function* recordedSide(span: NormalizedSpan, direction: keyof SpanMessages): Steps<SpanMessage[]> {
  for (const source of SOURCES) {
    const key = source[direction];
    const value = attributeOf(span, key);
    if (value === undefined || value === null || value === "") continue;
    const role = source.roles[direction === "input" ? 0 : 1];
    const messages = yield* fromValue(
      value,
      role,
      key,
      CONVERSES.has(span.span_type) ? "prose" : formOf(role),
    );
    if (messages.length > 0) return messages;
  }
  return [];
}

/** Types of spans whose texts come from users and models. */
const CONVERSES: ReadonlySet<string> = new Set(["agent", "llm"]);

function* fromValue(value: unknown, role: string, key: string, form: MessageForm): Steps<SpanMessage[]> {
  if (Array.isArray(value)) return yield* readMessagesInSteps(value, key);
  if (!isLongText(value)) return [{ key, role, form, parts: [{ kind: "json", value }] }];
  const parsed = typeof value === "string" ? parseJsonText(value) : undefined;
  // Many apps store a conversation in the text attribute as JSON.
  if (Array.isArray(parsed) && parsed.length > 0 && parsed.every(looksLikeMessage)) {
    return yield* readMessagesInSteps(parsed, key);
  }
  return [{ key, role, form, parts: [{ kind: "text", text: value }] }];
}

function looksLikeMessage(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && "role" in value && ("content" in value || "parts" in value)
  );
}

/** Attaches results to the calls that they answer, with pauses. Results without a call stay. */
export function* linkInSteps(messages: readonly SpanMessage[]): Steps<SpanMessage[]> {
  const results = new Map<string, unknown>();
  const calls = new Set<string>();
  yield* eachInSteps(messages, ({ parts }) => {
    for (const part of parts) {
      if (part.kind === "result" && part.id !== "") results.set(part.id, part.response);
      if (part.kind === "call") calls.add(part.id);
    }
  });
  return yield* mapInSteps(messages, (message) => ({
    ...message,
    parts: message.parts
      .filter((part) => part.kind !== "result" || !calls.has(part.id))
      .map((part) =>
        part.kind === "call" && results.has(part.id)
          ? { ...part, result: { response: results.get(part.id) } }
          : part,
      ),
  }));
}

function isShown({ parts }: SpanMessage): boolean {
  return parts.length > 0;
}

/** The characters of a text, or the bytes of a truncated one. */
export function lengthOf(text: LongText): { readonly amount: number; readonly unit: "characters" | "bytes" } {
  return typeof text === "string"
    ? { amount: text.length, unit: "characters" }
    : { amount: text.bytes, unit: "bytes" };
}
