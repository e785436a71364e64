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
  /** The bytes of the record were damaged. It keeps the ordinals of its spans, all of them removed. */
  isLost: 8,
} as const;

/**
 * What is known of a span beside its JSON: index, generated id, the labels of a span that the collector created, what a
 * file tells of its trace, if this append creates it, and the cost that the collector computed.
 */
export type SpanNote = readonly [
  index: number,
  generatedSpanId: string | null,
  labels?: readonly [model: string, agent: string] | null,
  remains?: TraceRemains | null,
  computedCostUsd?: number,
];

/** The texts of a context as JSON, which keeps lone surrogates. */
export type ContextTexts = readonly [tenant: string, service: string, env: string, version: string | null];

/** Bytes of a bit for each of `count` spans. */
export function bitBytes(count: number): number {
  return (count + 7) >>> 3;
}

/** Sets the bit of a span; the bits begin at `start`. */
export function setBit(bytes: Buffer, start: number, index: number): void {
  const at = start + (index >>> 3);
  bytes[at] = (bytes[at] as number) | (1 << (index & 7));
}

/** Fields of the header of a record. */
export interface RecordHeader {
  readonly length: number;
  readonly flags: number;
  readonly spanCount: number;
  readonly contextBytes: number;
  readonly noteBytes: number;
}

/** @returns the end. */
export function writeHeader(buffer: Buffer, start: number, header: RecordHeader): number {
  buffer.writeUInt32LE(header.length, start + HEADER.length);
  buffer[start + HEADER.format] = FORMAT;
  buffer[start + HEADER.flags] = header.flags;
  buffer.writeUInt16LE(0, start + HEADER.flags + 1);
  buffer.writeUInt32LE(header.spanCount, start + HEADER.spanCount);
  buffer.writeUInt32LE(header.contextBytes, start + HEADER.contextBytes);
  buffer.writeUInt32LE(header.noteBytes, start + HEADER.noteBytes);
  return start + HEADER_BYTES;
}

/** Writes a context. @param texts - JSON of {@link ContextTexts}. @returns the end. */
export function writeContext(
  buffer: Buffer,
  start: number,
  from: number,
  receivedAtMs: number,
  texts: Buffer,
): number {
  buffer.writeUInt32LE(from, start);
  buffer.writeUInt32LE(texts.length, start + 4);
  buffer.writeDoubleLE(receivedAtMs, start + 8);
  texts.copy(buffer, start + CONTEXT_HEADER_BYTES);
  return start + CONTEXT_HEADER_BYTES + texts.length;
}

export const BODY_START = '{"spans":[';
export const BODY_END = "]}";
