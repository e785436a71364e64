import { traceKeyText } from "../../../span/trace-key-text.js";
import type { SqlDatabase, SqlStatement } from "../driver/sqlite-driver.js";
import type { ChunkReader, ReadChunk } from "./chunk-reader.js";
import { CHUNK_NUMBERS, hasSoundChunkNumbers, type ChunkNumbers } from "./chunk-rows.js";
import { chunksOf } from "./span-places.js";
import { prepareAll, type TraceTables } from "./trace-tables.js";

const SQL = {
  next: `SELECT ${CHUNK_NUMBERS} FROM chunk WHERE id > ? AND data IS NOT NULL ORDER BY id LIMIT 1`,
} as const;

/** Options of {@link ChunkRepair}. */
export interface ChunkRepairOptions {
  readonly db: SqlDatabase;
  readonly tables: Pick<TraceTables, "findPlaces">;
  readonly reader: ChunkReader;
  /** The sequence of the newest trace. */
  readonly newestSequence: () => number;
  /** Store time. */
  readonly nowMs: () => number;
  readonly onDamaged: (chunk: number) => void;
}

/** Computes the damaged numbers of chunks again, from their records and from the rows of their traces. */
export class ChunkRepair {
  readonly #options: ChunkRepairOptions;
  readonly #statements: Readonly<Record<keyof typeof SQL, SqlStatement>>;

  constructor(options: ChunkRepairOptions) {
    this.#options = options;
    this.#statements = prepareAll(options.db, SQL);
  }

  /** The numbers of a chunk. Where they are not known, they are such that nothing is removed or left out too early. */
  numbersOf(damaged: ChunkNumbers): ChunkNumbers {
    const { reader, newestSequence, nowMs, onDamaged } = this.#options;
    const { id } = damaged;
    onDamaged(id);
    const chunk = reader.read(id);
    const next = this.#statements.next.get(id);
    const isBounded = next !== undefined && hasSoundChunkNumbers(next);
    return {
      id,
      traces: chunk === undefined ? Math.max(1, damaged.traces) : this.#countTraces(id, chunk),
      spans: chunk === undefined ? 0 : countSpans(chunk),
      rawBytes: chunk?.raw.length ?? 0,
      // The chunk after it was closed later, and may have newer traces.
      lastMs: isBounded ? Number(next["last_ms"]) : nowMs(),
      lastSequence: isBounded ? Number(next["last_seq"]) : newestSequence(),
    };
  }

  #countTraces(id: number, chunk: ReadChunk): number {
    const seen = new Set<string>();
    let traces = 0;
    for (const [, record] of chunk.soundRecords()) {
      for (const [index, span] of record.parse().entries()) {
        if (span === null) continue;
        const key = { tenant: record.contextOf(index).tenant, traceId: span.trace_id };
        const text = traceKeyText(key);
        if (seen.has(text)) continue;
        seen.add(text);
        const found = this.#options.tables.findPlaces(key);
        if (found !== undefined && chunksOf(found.places).has(id)) traces++;
      }
    }
    return traces;
  }
}

function countSpans({ records }: ReadChunk): number {
  return records.reduce((spans, { spanCount }) => spans + spanCount, 0);
}
