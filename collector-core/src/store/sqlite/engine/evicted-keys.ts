import { hashNumber, type Hash64 } from "../../../hashing/seeded-hash.js";
import type { SqlDatabase, SqlRow, SqlStatement } from "../driver/sqlite-driver.js";
import { checksumOfRow } from "../records/sealed.js";
import type { SpanPlace } from "./span-places.js";
import { isChunkId, listOf } from "../../traces/stored-shape.js";
import { prepareAll } from "./trace-tables.js";

/** Evicted traces that the file remembers. */
const MAX_KEYS = 200_000;
/** Removed at once beyond that: a millisecond. */
const SURPLUS_KEYS = 250;

const SQL = {
  find: "SELECT key_hash, at_ms, chunk, ordinal, chunks, checksum FROM evicted WHERE key_hash = ?",
  add: "INSERT OR IGNORE INTO evicted (key_hash, at_ms, chunk, ordinal, chunks, checksum) VALUES (?, ?, ?, ?, ?, ?)",
  replace:
    "UPDATE evicted SET at_ms = ?2, chunk = ?3, ordinal = ?4, chunks = ?5, checksum = ?6 WHERE key_hash = ?1",
  trim: "DELETE FROM evicted WHERE key_hash IN (SELECT key_hash FROM evicted ORDER BY at_ms LIMIT ?)",
} as const;

/** An evicted trace. */
export interface EvictedTrace {
  /** Its spans before this place are gone. Those after it are of a trace that came again. */
  readonly before: SpanPlace;
  /** Chunks that may have text of it, ascending. */
  readonly chunks: readonly number[];
}

/** Options of {@link EvictedKeys}. */
export interface EvictedKeysOptions {
  /** Keys that the file has. */
  readonly count: number;
  readonly onDamaged: (keyHash: number) => void;
  /** Keys that are remembered. Default: 200,000. */
  readonly maxKeys?: number;
}

/** Remembers recently evicted traces, so that spans that arrive later are recognized as late (contract 3). */
export class EvictedKeys {
  readonly #statements: Readonly<Record<keyof typeof SQL, SqlStatement>>;
  readonly #maxKeys: number;
  readonly #onDamaged: EvictedKeysOptions["onDamaged"];
  #count: number;

  constructor(db: SqlDatabase, { count, onDamaged, maxKeys = MAX_KEYS }: EvictedKeysOptions) {
    this.#maxKeys = maxKeys;
    this.#onDamaged = onDamaged;
    this.#statements = prepareAll(db, SQL);
    this.#count = count;
  }

  /** Keys that are remembered. */
  get count(): number {
    return this.#count;
  }

  /** What is remembered of a trace; undefined if it was not evicted, or if the row is damaged. */
  find(hash: Hash64): EvictedTrace | undefined {
    const row = this.#find(hash);
    return (
      row && {
        before: { chunk: Number(row["chunk"]), ordinal: Number(row["ordinal"]) },
        chunks: chunksIn(row),
      }
    );
  }

  #find(hash: Hash64): SqlRow | undefined {
    const row = this.#count === 0 ? undefined : this.#statements.find.get(hashNumber(hash));
    if (row === undefined || isSoundEvicted(row)) return row;
    this.#onDamaged(hashNumber(hash));
    return undefined;
  }

  add(hash: Hash64, nowMs: number, { before, chunks }: EvictedTrace): void {
    const { add, replace, trim } = this.#statements;
    const row = toRow(hash, nowMs, before, chunks);
    if (add.run(...row).changes === 0) replace.run(...row);
    else this.#count++;
    if (this.#count > this.#maxKeys + SURPLUS_KEYS) this.#count -= trim.run(SURPLUS_KEYS).changes;
  }

  /** Remembers that a chunk has a span that came after the trace was evicted and was not stored. */
  addChunk(hash: Hash64, chunk: number): void {
    const row = this.#find(hash);
    if (row === undefined) return;
    const chunks = chunksIn(row);
    if (chunks.includes(chunk)) return;
    const before = { chunk: Number(row["chunk"]), ordinal: Number(row["ordinal"]) };
    this.#statements.replace.run(...toRow(hash, Number(row["at_ms"]), before, [...chunks, chunk]));
  }
}

/** The values of a row, with their checksum. */
function toRow(hash: Hash64, atMs: number, { chunk, ordinal }: SpanPlace, chunks: readonly number[]) {
  const numbers = [hashNumber(hash), atMs, chunk, ordinal] as const;
  const text = JSON.stringify(chunks);
  return [...numbers, text, checksumOfRow(numbers, text)] as const;
}

/** True if a row of the table `evicted` is what was written. Rows of version 3 have no checksum. */
export function isSoundEvicted({
  key_hash,
  at_ms,
  chunk,
  ordinal,
  chunks,
  checksum = null,
}: SqlRow): boolean {
  const numbers = [key_hash, at_ms, chunk, ordinal].map(Number);
  return checksum === null || checksum === checksumOfRow(numbers, String(chunks));
}

const areChunks = listOf(isChunkId);

/** Damaged chunks are none: spans of the trace may stay in them after it came again and was removed. */
function chunksIn(row: SqlRow): number[] {
  try {
    const chunks: unknown = JSON.parse(String(row["chunks"]));
    return areChunks(chunks) ? (chunks as number[]) : [];
  } catch {
    return [];
  }
}
