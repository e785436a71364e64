import { eachInSteps, type Steps } from "../in-steps.js";
import type { SpanMessage, SpanPart } from "../message.js";
import type { Run } from "../run.js";
import { isRecord, parseJsonText } from "../values.js";
import type { MessageUnit } from "./message-units.js";

/** The messages with only those of their parts that are in some units, with pauses. */
export function* messagesWith(
  messages: readonly SpanMessage[],
  units: ReadonlySet<MessageUnit>,
): Steps<SpanMessage[]> {
  const parts = new Set<SpanPart>();
  yield* eachInSteps(units, (unit) => {
    for (const part of unit.parts) parts.add(part);
  });
  const found: SpanMessage[] = [];
  yield* eachInSteps(messages, (message) => {
    const kept = message.parts.filter((part) => parts.has(part));
    if (kept.length === 0) return;
    found.push(kept.length === message.parts.length ? message : { ...message, parts: kept });
  });
  return found;
}

/** Fields of a request to a model. */
const REQUEST_FIELDS = ["messages", "prompt", "contents"];

/** Whether a message is the request of a model call as JSON, and the call itself is in the run with its messages. */
export function isWrapped({ parts }: SpanMessage, { calls }: Run): boolean {
  const [part] = parts;
  if (parts.length !== 1 || part?.kind !== "text" || typeof part.text !== "string") return false;
  if (!calls.some(({ input }) => input.length > 0)) return false;
  const value = parseJsonText(part.text);
  return isRecord(value) && REQUEST_FIELDS.some((field) => Object.hasOwn(value, field));
}
