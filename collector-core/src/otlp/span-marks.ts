import type { TraceRemains } from "../span/trace-remains.js";
import { readTraceRemains } from "../span/trace-remains.js";
import type { JsonTexts } from "./json-texts.js";
import type { OtlpSpan } from "./received-spans.js";

/** What a file has with a span beside the span itself. Other readers see two attributes that they do not know. */
export interface SpanMarks {
  /** Of the trace, on its first span in the file. */
  readonly remains?: TraceRemains | undefined;
  /** The span cap may have dropped the inner call of this wrapper. */
  readonly isWrapper?: boolean;
}

/** The attribute with {@link TraceRemains} as JSON. */
export const TRACE_REMAINS = "obspan.trace";
/** True on a wrapper. */
export const WRAPPER = "obspan.wrapper";

/** The remains, their totals, and lists of texts in the totals. */
const MAX_DEPTH = 3;
/** Remains with the longest labels have less. */
const MAX_LENGTH = 256 * 1024;

/** Reads the marks of a span that Obspan exported; undefined if it has none. Invalid ones are ignored. */
export function readMarks({ attributes }: OtlpSpan, texts: JsonTexts): SpanMarks | undefined {
  const text = attributes.get(TRACE_REMAINS);
  const isWrapper = attributes.get(WRAPPER) === true;
  if (text === undefined && !isWrapper) return undefined;
  const isText = typeof text === "string" && text.length <= MAX_LENGTH;
  return { isWrapper, remains: isText ? readTraceRemains(texts.parse(text, MAX_DEPTH)) : undefined };
}
