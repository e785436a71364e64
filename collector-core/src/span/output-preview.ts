import type { NormalizedSpan } from "../api-schema/trace.js";
import type { MaybePromise } from "../runtime/maybe-promise.js";
import type { TimeSlice } from "../runtime/time-slice.js";
import { writeInSteps } from "./json-in-steps.js";
import { truncateCodePoints } from "./kept-text.js";
import { isRecord } from "./span-facts.js";
import { isSmallSpan, readPartly, readSmall, type StoredSpan } from "./stored-span.js";

const PREVIEW_LENGTH = 300;

/** Attributes with the output of a call. */
export const OUTPUT_ATTRIBUTES: ReadonlySet<string> = new Set([
  "completion_text",
  "completion_messages",
  "output_text",
]);

/** Reads a preview of the output of a span: its text, or the first tool call. A large span is read in time slices. */
export function readOutputPreview(stored: StoredSpan, timeSlice: TimeSlice): MaybePromise<string | null> {
  if (isSmallSpan(stored)) return outputPreview(readSmall(stored));
  return Promise.resolve(readPartly(stored, OUTPUT_ATTRIBUTES, timeSlice)).then(outputPreview);
}

function outputPreview({ attributes }: NormalizedSpan): string | null {
  const plain = attributes["completion_text"] ?? attributes["output_text"];
  if (typeof plain === "string" && plain !== "") return truncateCodePoints(plain, PREVIEW_LENGTH);
  const messages: unknown = attributes["completion_messages"];
  for (const message of Array.isArray(messages) ? (messages as unknown[]) : []) {
    const parts: unknown = isRecord(message) ? message["parts"] : undefined;
    for (const part of Array.isArray(parts) ? (parts as unknown[]) : []) {
      if (!isRecord(part)) continue;
      const { type, content, name, arguments: given } = part;
      if (type === "text" && typeof content === "string" && content !== "")
        return truncateCodePoints(content, PREVIEW_LENGTH);
      if (type === "tool_call" && typeof name === "string")
        return truncateCodePoints(`${name}(${beginningOfJson(given ?? {})})`, PREVIEW_LENGTH);
    }
  }
  return null;
}

/** The JSON of a value, cut to somewhat more than a preview shows. */
function beginningOfJson(value: unknown): string {
  let text = "";
  const steps = writeInSteps(value, (piece) => (text += piece));
  while (text.length < 2 * PREVIEW_LENGTH && steps.next().done !== true);
  return text;
}
