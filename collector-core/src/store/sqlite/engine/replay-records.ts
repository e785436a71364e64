import type { ReadChunk } from "./chunk-reader.js";
import type { ParsedRecord } from "./span-indexer.js";
import type { SpanPlace } from "./span-places.js";

/**
 * Visits the records of a chunk in order.
 *
 * @param range - the chunk, and the store time of its first and of its last record.
 * @param visit - called with the store time of each record. The file does not have it: the wall clock tells it, except where that
 * was wrong.
 */
export function replayRecords(
  chunk: ReadChunk,
  range: { readonly chunk: number; readonly fromMs: number; readonly toMs: number },
  visit: (parsed: ParsedRecord, place: SpanPlace, atMs: number) => void,
): void {
  for (const [at, record] of chunk.soundRecords()) {
    const arrivedMs = record.isImport ? range.toMs : record.contextOf(0).receivedAtMs;
    const atMs = Math.min(Math.max(arrivedMs, range.fromMs), range.toMs);
    const place = { chunk: range.chunk, ordinal: chunk.firstOrdinalOf(at) };
    visit({ record, spans: record.parse() }, place, atMs);
  }
}
