import { hashNumber } from "../../../hashing/seeded-hash.js";
import type { SpanHasher } from "../../../hashing/span-hashes.js";
import type { TraceKey } from "../../../interfaces.js";
import type { EvictedKeys } from "./evicted-keys.js";
import type { FileWriter } from "./file-writer.js";
import { chunksOf, type SpanPlace, type TracePlaces } from "./span-places.js";
import type { ChunkRange, TextEraser } from "./text-eraser.js";
import type { TraceBuffer } from "./trace-buffer.js";
import type { StoredTraceRow, TraceTables } from "./trace-tables.js";
import type { SqlDatabase, SqlStatement } from "../driver/sqlite-driver.js";

/** Options of {@link TraceRemover}. */
export interface TraceRemoverOptions {
  readonly db: SqlDatabase;
  readonly buffer: TraceBuffer;
  readonly tables: TraceTables;
  readonly evicted: EvictedKeys;
  readonly file: FileWriter;
  readonly eraser: TextEraser;
  readonly hasher: SpanHasher;
  readonly nowMs: () => number;
  /** The place of the span that is being written, or of the next one. */
  readonly place: () => SpanPlace;
}

/** Chunks whose spans a rebuild has not indexed. */
export interface OtherChunks {
  readonly chunks: readonly number[];
  readonly range: ChunkRange;
}

/** Removes traces: evicted ones leave their chunks, removed ones are erased from them as well. */
export class TraceRemover {
  readonly #options: TraceRemoverOptions;
  readonly #removeEvaluations: SqlStatement;

  constructor(options: TraceRemoverOptions) {
    this.#options = options;
    this.#removeEvaluations = options.db.prepare("DELETE FROM evaluation WHERE trace_hash = ?");
  }

  /**
   * Evicts traces and remembers their keys. Traces with spans that were not flushed lose them too.
   *
   * @returns their number.
   */
  evict(sequences: readonly number[]): number {
    if (sequences.length === 0) return 0;
    const { file, tables, evicted, hasher, nowMs, place } = this.#options;
    file.begin();
    let removed = 0;
    for (const sequence of sequences) {
      const row = tables.read(sequence);
      if (row === undefined) continue;
      const chunks = this.removeRows(row);
      const hash = hasher.trace(row.key.tenant, row.key.traceId);
      evicted.add(hash, nowMs(), { before: place(), chunks });
      removed++;
    }
    return removed;
  }

  /** Removes a trace from the tables and from the buffer. @returns the chunks with spans of it, stored or not. */
  removeRows(row: StoredTraceRow): number[] {
    const { file, tables, buffer } = this.#options;
    const { places } = row;
    file.removedFrom(chunksOf(places));
    tables.remove(row.sequence);
    file.spanCount -= places.spans.length + places.evaluations.length;
    file.checkValueSet(row.valueSet);
    const buffered = buffer.get(row.key);
    const chunks = chunksWithText(buffered === undefined ? [places] : [places, buffer.placesOf(buffered)]);
    if (buffered !== undefined) buffer.drop(buffered);
    return chunks;
  }

  /**
   * Removes a trace for good. Its text leaves the chunks with the steps of the eraser. Everything must be committed, and the open
   * chunk closed.
   *
   * @param others - further chunks that may have spans of it.
   * @returns false if the tables have no such trace.
   */
  remove(key: TraceKey, others?: OtherChunks): boolean {
    const { file, tables, hasher, eraser } = this.#options;
    const sequence = tables.find(key);
    const row = sequence === undefined ? undefined : tables.read(sequence);
    if (row === undefined && others === undefined) return false;
    file.begin();
    const chunks = row === undefined ? [] : this.removeRows(row);
    eraser.add(key, [...chunks, ...(others?.chunks ?? [])], others?.range);
    this.#removeEvaluations.run(hashNumber(hasher.trace(key.tenant, key.traceId)));
    return row !== undefined;
  }
}

/** The chunks with spans of a trace, stored or not. */
function chunksWithText(states: readonly TracePlaces[]): number[] {
  const chunks = states.flatMap((places) => [...chunksOf(places), ...places.staleChunks]);
  return [...new Set(chunks)].sort((a, b) => a - b);
}
