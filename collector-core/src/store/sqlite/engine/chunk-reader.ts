import { LRUCache } from "lru-cache";
import type { Span } from "@obspan/sdk/wire";
import { decodeChunk, MAX_CHUNK_BYTES } from "../records/chunk-codec.js";
import { readRecords, type BatchRecord } from "../records/batch-record.js";
import type { ChunkWriter } from "./chunk-writer.js";
import type { RecordedSpan } from "./buffered-span.js";
import type { SpanPlace } from "./span-places.js";
import type { SqlDatabase, SqlStatement } from "../driver/sqlite-driver.js";

/** Decompressed chunks that are kept: the traces of a page share a few. */
const CACHED_BYTES = 8 * 2 ** 20;

/** A span in the records of a chunk. */
export interface SpanInRecord {
  readonly record: BatchRecord;
  /** Position in the record. */
  readonly index: number;
}

/** Called for a record whose content is not sound, with the number of its spans, which are left out. */
type OnUnsoundRecord = (spans: number, problem: Error) => void;

/** The records of a chunk. */
export class ReadChunk {
  readonly raw: Buffer;
  readonly #records: BatchRecord[] = [];
  /** The ordinal of the first span of each record. */
  readonly #firstOrdinals: number[] = [];
  readonly #onUnsound: OnUnsoundRecord;

  constructor(raw: Buffer, onUnsound: OnUnsoundRecord) {
    this.raw = raw;
    this.#onUnsound = onUnsound;
    let ordinal = 0;
    for (const record of readRecords(raw)) {
      this.#records.push(record);
      this.#firstOrdinals.push(ordinal);
      ordinal += record.spanCount;
    }
  }

  /** Their content is not checked: see {@link soundRecord}. */
  get records(): readonly BatchRecord[] {
    return this.#records;
  }

  /** A record; undefined if its bytes were damaged, or if its content is not what a collector writes. */
  soundRecord(at: number): BatchRecord | undefined {
    const record = this.#records[at];
    if (record === undefined || record.isLost) return undefined;
    const { problem } = record;
    if (problem === undefined) return record;
    this.#onUnsound(record.spanCount, problem);
    return undefined;
  }

  /** The records of which the content is sound, with their positions. */
  *soundRecords(): Generator<readonly [at: number, record: BatchRecord]> {
    for (const at of this.#records.keys()) {
      const record = this.soundRecord(at);
      if (record !== undefined) yield [at, record];
    }
  }

  /** The ordinal of the first span of a record. */
  firstOrdinalOf(record: number): number {
    return this.#firstOrdinals[record] ?? 0;
  }

  /** The span with an ordinal; undefined if the chunk has none, or if its record is not sound. */
  find(ordinal: number): SpanInRecord | undefined {
    let low = 0;
    let high = this.#records.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#firstOrdinals[middle] as number) <= ordinal) low = middle + 1;
      else high = middle;
    }
    const record = this.soundRecord(low - 1);
    if (record === undefined) return undefined;
    const index = ordinal - this.firstOrdinalOf(low - 1);
    return index < record.spanCount ? { record, index } : undefined;
  }
}

/** Called for a chunk that cannot be read, or one record of it, with the number of its spans, which are left out. */
export type OnCorruptChunk = (chunk: number, spans: number, error: unknown) => void;

/** Reads chunks: those that are not in the file yet from the writer, others from the file. */
export class ChunkReader {
  readonly #writer: ChunkWriter;
  readonly #select: SqlStatement;
  readonly #onCorrupt: OnCorruptChunk;
  readonly #corrupt = new Set<number>();
  readonly #maxChunkBytes: number;
  readonly #cached = new LRUCache<number, ReadChunk>({
    maxSize: CACHED_BYTES,
    sizeCalculation: ({ raw }) => raw.length + 1024,
  });

  /** @param maxChunkBytes - a larger chunk is corrupt. */
  constructor(
    db: SqlDatabase,
    writer: ChunkWriter,
    onCorrupt: OnCorruptChunk,
    maxChunkBytes = MAX_CHUNK_BYTES,
  ) {
    this.#maxChunkBytes = Math.min(MAX_CHUNK_BYTES, maxChunkBytes);
    this.#writer = writer;
    this.#select = db.prepare("SELECT spans, codec, checksum, data FROM chunk WHERE id = ?");
    this.#onCorrupt = onCorrupt;
  }

  /** The chunk with that id; undefined if it was removed or cannot be read. */
  read(id: number): ReadChunk | undefined {
    const inMemory = this.#writer.find(id);
    if (inMemory !== undefined)
      return id === this.#writer.openId ? this.#open(inMemory) : this.#keep(id, inMemory);
    const cached = this.#cached.get(id);
    if (cached !== undefined) return cached;
    if (this.#corrupt.has(id)) return undefined;
    const row = this.#select.get(id);
    if (row === undefined) return undefined;
    const { codec, checksum, data } = row;
    if (!(data instanceof Uint8Array)) return undefined;
    try {
      return this.#keep(id, decodeChunk(Number(codec), Number(checksum), data, this.#maxChunkBytes));
    } catch (error) {
      this.#corrupt.add(id);
      this.#onCorrupt(id, Number(row["spans"]), error);
      return undefined;
    }
  }

  /** The span at a place; undefined if it cannot be read. */
  find({ chunk, ordinal }: SpanPlace): SpanInRecord | undefined {
    return this.read(chunk)?.find(ordinal);
  }

  /** Drops a chunk from the cache, because it was removed or written again. */
  invalidate(id: number): void {
    this.#cached.delete(id);
  }

  #keep(id: number, raw: Buffer): ReadChunk {
    const known = this.#cached.get(id);
    if (known !== undefined) return known;
    const chunk = this.#readChunk(id, raw);
    this.#cached.set(id, chunk);
    return chunk;
  }

  /** The index of the open chunk, made again when it has grown. */
  #lastOpen: { readonly id: number; readonly chunk: ReadChunk } | undefined;

  #open(raw: Buffer): ReadChunk {
    const id = this.#writer.openId;
    const known = this.#lastOpen;
    if (known?.id === id && known.chunk.raw.length === raw.length) return known.chunk;
    const chunk = this.#readChunk(id, raw);
    this.#lastOpen = { id, chunk };
    return chunk;
  }

  #readChunk(id: number, raw: Buffer): ReadChunk {
    return new ReadChunk(raw, (spans, problem) => this.#onCorrupt(id, spans, problem));
  }
}

/** Parses one span; undefined if it was removed. */
export function readRecordedSpan({ record, index }: SpanInRecord): RecordedSpan | undefined {
  const json = record.jsonOf(index);
  if (json === undefined) return undefined;
  const span = JSON.parse(json.bytes.toString("utf8", json.start, json.end)) as Span;
  return recordedSpan(record, index, span);
}

/** A parsed span of a record with what the record says of it. */
export function recordedSpan(record: BatchRecord, index: number, span: Span): RecordedSpan {
  return {
    span,
    context: record.contextOf(index),
    generatedSpanId: record.generatedSpanIdOf(index),
    labels: record.labelsOf(index),
    countsUsage: record.countsUsage(index),
    computedCostUsd: record.computedCostOf(index),
  };
}
