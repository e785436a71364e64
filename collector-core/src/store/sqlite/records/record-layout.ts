import type { TraceRemains } from "../../../span/trace-remains.js";

/**
 * The layout of a record, little-endian:
 *
 * | bytes | content                                                                                         |
 * | ----- | ----------------------------------------------------------------------------------------------- |
 * | 4     | length of the record                                                                            |
 * | 1     | {@link FORMAT}                                                                                  |
 * | 1     | {@link RECORD_FLAG}                                                                             |
 * | 2     | 0                                                                                               |
 * | 4     | number of spans                                                                                 |
 * | 4     | bytes of the contexts                                                                           |
 * | 4     | bytes of the notes                                                                              |
 * |       | contexts: index of the first span (4), bytes of the texts (4), time of receipt (8), texts       |
 * |       | a bit for each span that does not count usage, if there is one                                  |
 * |       | a bit for each removed span, if there is one                                                    |
 * |       | notes: JSON of {@link SpanNote}[]                                                               |
 * |       | body: JSON of an object with `spans`                                                            |
 */
export const FORMAT = 1;

/** Offsets of the fields of the header. */
export const HEADER = {
  length: 0,
  format: 4,
  flags: 5,
  spanCount: 8,
  contextBytes: 12,
  noteBytes: 16,
} as const;
export const HEADER_BYTES = 20;

/** Bytes of a context without its texts. */
export const CONTEXT_HEADER_BYTES = 16;

export const RECORD_FLAG = {
  isImport: 1,
  /** There is a bit for each span that does not count usage. */
  hasUncounted: 2,
  /** There is a bit for each removed span. */
  hasRemoved: 4,
} as const;

/**
 * What is known of a span beside its JSON: index, generated id, the labels of a span that the collector created, and what a
 * file tells of its trace, if this append creates it.
 */
export type SpanNote = readonly [
  index: number,
  generatedSpanId: string | null,
  labels?: readonly [model: string, agent: string] | null,
  remains?: TraceRemains,
];

/** The texts of a context as JSON, which keeps lone surrogates. */
export type ContextTexts = readonly [tenant: string, service: string, env: string, version: string | null];

/** Bytes of a bit for each of `count` spans. */
export function bitBytes(count: number): number {
  return (count + 7) >>> 3;
}

export const BODY_START = '{"spans":[';
export const BODY_END = "]}";
