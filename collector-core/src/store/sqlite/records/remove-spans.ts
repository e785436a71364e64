import { readRecords, type BatchRecord } from "./batch-record.js";
import {
  bitBytes,
  BODY_END,
  BODY_START,
  CONTEXT_HEADER_BYTES,
  HEADER_BYTES,
  RECORD_FLAG,
  setBit,
  writeContext,
  writeHeader,
  type ContextTexts,
  type SpanNote,
} from "./record-layout.js";

/**
 * Removes spans from the records of a chunk for good: nothing of their JSON remains, and `null` keeps their place, so that
 * the ordinals of the other spans stay. Of a batch, all but its remaining spans goes.
 *
 * @param ordinals - indexes over all records of the chunk.
 */
export function removeSpans(chunk: Buffer, ordinals: ReadonlySet<number>): Buffer {
  const parts: Buffer[] = [];
  let first = 0;
  for (const record of readRecords(chunk)) {
    const { start, end, spanCount } = record;
    const isTouched = hasAny(ordinals, first, spanCount);
    parts.push(isTouched ? withoutSpans(record, ordinals, first) : chunk.subarray(start, end));
    first += spanCount;
  }
  return Buffer.concat(parts);
}

function hasAny(ordinals: ReadonlySet<number>, first: number, count: number): boolean {
  for (let index = 0; index < count; index++) if (ordinals.has(first + index)) return true;
  return false;
}

function withoutSpans(record: BatchRecord, ordinals: ReadonlySet<number>, first: number): Buffer {
  const { spanCount, isImport, isLost } = record;
  const uncounted = Buffer.alloc(bitBytes(spanCount));
  const removed = Buffer.alloc(bitBytes(spanCount));
  const contexts: Buffer[] = [];
  const notes: SpanNote[] = [];
  const body: Buffer[] = [Buffer.from(BODY_START)];
  let last: unknown;
  for (let index = 0; index < spanCount; index++) {
    if (index > 0) body.push(Buffer.from(","));
    const json = ordinals.has(first + index) ? undefined : record.jsonOf(index);
    if (json === undefined) {
      setBit(removed, 0, index);
      body.push(Buffer.from("null"));
      continue;
    }
    body.push(json.bytes.subarray(json.start, json.end));
    if (!record.countsUsage(index)) setBit(uncounted, 0, index);
    const note = record.noteOf(index);
    if (note !== undefined) notes.push(note);
    const context = record.contextOf(index);
    if (context === last) continue;
    last = context;
    const { tenant, service, env, version, receivedAtMs } = context;
    contexts.push(contextBytes(index, receivedAtMs, [tenant, service, env, version ?? null]));
  }
  body.push(Buffer.from(BODY_END));
  return recordOf({ spanCount, isImport, isLost, contexts, uncounted, removed, notes, body });
}

/** A record in place of damaged ones: it keeps the ordinals of their spans. */
export function lostRecord(spanCount: number): Buffer {
  const removed = Buffer.alloc(bitBytes(spanCount));
  for (let index = 0; index < spanCount; index++) setBit(removed, 0, index);
  const nulls = new Array<string>(spanCount).fill("null").join(",");
  return recordOf({
    spanCount,
    isImport: false,
    isLost: true,
    contexts: [],
    uncounted: Buffer.alloc(bitBytes(spanCount)),
    removed,
    notes: [],
    body: [Buffer.from(BODY_START + nulls + BODY_END)],
  });
}

interface RecordParts extends Pick<BatchRecord, "spanCount" | "isImport" | "isLost"> {
  readonly contexts: readonly Buffer[];
  /** A bit for each span. */
  readonly uncounted: Buffer;
  readonly removed: Buffer;
  readonly notes: readonly SpanNote[];
  readonly body: readonly Buffer[];
}

function recordOf(parts: RecordParts): Buffer {
  const { spanCount, isImport, isLost, contexts, uncounted, removed, notes, body } = parts;
  const noteBytes = Buffer.from(notes.length === 0 ? "" : JSON.stringify(notes));
  // A reader may ask for the context of any span.
  const contextsBytes =
    contexts.length === 0 ? contextBytes(0, 0, ["", "", "", null]) : Buffer.concat(contexts);
  const flags =
    RECORD_FLAG.hasUncounted |
    RECORD_FLAG.hasRemoved |
    (isImport ? RECORD_FLAG.isImport : 0) |
    (isLost ? RECORD_FLAG.isLost : 0);
  const header = Buffer.alloc(HEADER_BYTES);
  const rewritten = Buffer.concat([header, contextsBytes, uncounted, removed, noteBytes, ...body]);
  writeHeader(rewritten, 0, {
    length: rewritten.length,
    flags,
    spanCount,
    contextBytes: contextsBytes.length,
    noteBytes: noteBytes.length,
  });
  return rewritten;
}

function contextBytes(from: number, receivedAtMs: number, texts: ContextTexts): Buffer {
  const json = Buffer.from(JSON.stringify(texts));
  const bytes = Buffer.alloc(CONTEXT_HEADER_BYTES + json.length);
  writeContext(bytes, 0, from, receivedAtMs, json);
  return bytes;
}
