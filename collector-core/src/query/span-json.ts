import type { NormalizedSpan } from "../api-schema/trace.js";
import { unreadableAttributes } from "../span/unreadable-attributes.js";

/**
 * Writes a span of a response. A span that `JSON.stringify` cannot write, because it is nested too deep or too long for a
 * string, is written without its attributes and events, so that the other spans of the trace can be read.
 *
 * @param shape - selects what to write.
 */
export function spanJson(span: NormalizedSpan, shape: (span: NormalizedSpan) => unknown): string {
  try {
    return JSON.stringify(shape(span));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return JSON.stringify({ ...span, attributes: unreadableAttributes(error), events: [] });
  }
}
