import type { NormalizedSpan } from "../api-schema/trace.js";
import { unreadableAttributes } from "../span/unreadable-attributes.js";

/**
 * Writes a span of an answer. One that cannot be written, nested too deep or too long for a text, is written without its
 * attributes and events: the other spans of its trace are answered.
 *
 * @param shape - what is written of it.
 */
export function spanJson(span: NormalizedSpan, shape: (span: NormalizedSpan) => unknown): string {
  try {
    return JSON.stringify(shape(span));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return JSON.stringify({ ...span, attributes: unreadableAttributes(error), events: [] });
  }
}
