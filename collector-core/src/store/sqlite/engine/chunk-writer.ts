import { encodeChunk, type EncodedChunk } from "../records/chunk-codec.js";
import { signatureOf } from "../records/chunk-signature.js";
import type { SpanPlace } from "./span-places.js";

/** A chunk is closed when it has this many bytes; a larger record is a chunk by itself. */
export const CHUNK_BYTES = 64 * 1024;

/** A closed chunk: consecutive records, the unit that is compressed, searched and removed. */
export interface ClosedChunk {
  readonly id: number;
  /** The records. */
  readonly raw: Buffer;
  /** As the file keeps them. */
  readonly encoded: EncodedChunk;
  /** See `chunk-signature.ts`. */
  readonly signature: Uint8Array | null;
  /** Spans in its records, also those that are not stored. */
  readonly spans: number;
  /** The newest trace when it was closed: it has no span of a newer one. */
  readonly lastSequence: number;
  /** Store time of its last record. */
  readonly lastMs: number;
}

/** How far the records of all chunks have come. */
export interface ChunkPosition {
  readonly chunk: number;
  /** Bytes of its records. */
  readonly bytes: number;
}

/**
 * Collects records into chunks. Keeps every chunk until the file has it for good. A chunk is compressed when it is closed, by the
 * append that fills it: a commit may have many of them.
 */
export class ChunkWriter {
  #id: number;
  #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #length = 0;
  #spans = 0;
  #lastMs = 0;
  /** Closed since the last commit, oldest first. */
  #closed: ClosedChunk[] = [];

  /** @param nextId - greater than the id of every chunk in the file. */
  constructor(nextId: number) {
    this.#id = nextId;
  }

  /** The id of the open chunk. */
  get openId(): number {
    return this.#id;
  }

  /** The records of the open chunk, valid until the next call. */
  get open(): Pick<ClosedChunk, "raw" | "spans" | "lastMs"> {
    return { raw: this.#buffer.subarray(0, this.#length), spans: this.#spans, lastMs: this.#lastMs };
  }

  /** The end of all records. */
  get position(): ChunkPosition {
    return { chunk: this.#id, bytes: this.#length };
  }

  /** The place of the next span. */
  get nextPlace(): SpanPlace {
    return { chunk: this.#id, ordinal: this.#spans };
  }

  /** The records between two positions, the first of which is not before the last commit. */
  between(from: ChunkPosition, to: ChunkPosition = this.position): Buffer[] {
    const records: Buffer[] = [];
    for (const { id, raw } of [...this.#closed, { id: this.#id, raw: this.open.raw }]) {
      if (id < from.chunk || id > to.chunk) continue;
      const start = id === from.chunk ? from.bytes : 0;
      const end = id === to.chunk ? to.bytes : raw.length;
      if (end > start) records.push(raw.subarray(start, end));
    }
    return records;
  }

  /** Chunks closed since the last {@link dropClosed}, oldest first. */
  get closed(): readonly ClosedChunk[] {
    return this.#closed;
  }

  /** Appends a copy of a record. @returns the place of its first span. */
  add(record: Buffer, spans: number, lastSequence: number, nowMs: number): SpanPlace {
    if (this.#length > 0 && this.#length + record.length > CHUNK_BYTES) this.close(lastSequence);
    if (record.length > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(record.length);
    record.copy(this.#buffer, this.#length);
    const place = { chunk: this.#id, ordinal: this.#spans };
    this.#length += record.length;
    this.#spans += spans;
    this.#lastMs = nowMs;
    return place;
  }

  /** Closes the open chunk, unless it is empty. */
  close(lastSequence: number): void {
    if (this.#length === 0) return;
    const raw = this.#buffer.subarray(0, this.#length);
    this.#closed.push({
      id: this.#id,
      raw,
      encoded: encodeChunk(raw),
      signature: signatureOf(raw),
      spans: this.#spans,
      lastSequence,
      lastMs: this.#lastMs,
    });
    this.#id++;
    this.#buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    this.#length = 0;
    this.#spans = 0;
  }

  /** Leaves an id to a chunk that cannot be read. */
  skip(): void {
    this.#id++;
  }

  /** Forgets the closed chunks, which the file has for good. */
  dropClosed(): void {
    this.#closed = [];
  }

  /** The records of a chunk that is not in the file yet. */
  find(id: number): Buffer | undefined {
    if (id === this.#id) return this.#buffer.subarray(0, this.#length);
    return this.#closed.find((chunk) => chunk.id === id)?.raw;
  }
}
