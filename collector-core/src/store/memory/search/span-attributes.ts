import type { Steps } from "../../../runtime/steps.js";
import { parseInSteps } from "../../../span/json-in-steps.js";
import { isRecord } from "../../../span/span-facts.js";
import { SMALL_SPAN_BYTES } from "../../../span/stored-span.js";

/** Parses the JSON of a span, a large one in steps. @returns its attributes. */
export function* attributesInSteps(json: Buffer, start: number, end: number): Steps<unknown> {
  const isSmall = end - start <= SMALL_SPAN_BYTES;
  const span: unknown = isSmall
    ? JSON.parse(json.toString("utf8", start, end))
    : yield* parseInSteps(json, start);
  return isRecord(span) ? span["attributes"] : undefined;
}
