import { hashNumber, type Hash64 } from "../../../hashing/seeded-hash.js";
import type { SqlDatabase, SqlRow, SqlStatement } from "../driver/sqlite-driver.js";
import type { SpanPlace } from "./span-places.js";
import { prepareAll } from "./trace-tables.js";

/** Evicted traces that the file remembers. */
const MAX_KEYS = 200_000;
/** Removed at once beyond that: a millisecond. */
const SURPLUS_KEYS = 250;

const SQL = {
  find: "SELECT chunk, ordinal, chunks FROM evicted WHERE key_hash = ?",
  add: "INSERT OR IGNORE INTO evicted (key_hash, at_ms, chunk, ordinal, chunks) VALUES (?, ?, ?, ?, ?)",
  replace: "UPDATE evicted SET at_ms = ?2, chunk = ?3, ordinal = ?4, chunks = ?5 WHERE key_hash = ?1",
  setChunks: "UPDATE evicted SET chunks = ?2 WHERE key_hash = ?1",
  count: "SELECT count(*) AS keys FROM evicted",
  trim: "DELETE FROM evicted WHERE key_hash IN (SELECT key_hash FROM evicted ORDER BY at_ms LIMIT ?)",
} as const;

/** An evicted trace. */
export interface EvictedTrace {
  /** Its spans before this place are gone. Those after it are of a trace that came again. */
  readonly before: SpanPlace;
  /** Chunks that may have text of it, ascending. */
  readonly chunks: readonly number[];
}

/** Remembers recently evicted traces, so that spans that arrive later are recognized as late (contract 3). */
export class EvictedKeys {
  readonly #statements: Readonly<Record<keyof typeof SQL, SqlStatement>>;
  readonly #maxKeys: number;
  #count: number;

  /** @param maxKeys - keys that are remembered. Default: 200,000. */
  constructor(db: SqlDatabase, maxKeys = MAX_KEYS) {
    this.#maxKeys = maxKeys;
    this.#statements = prepareAll(db, SQL);
    this.#count = this.#countKeys();
  }

  find(hash: Hash64): EvictedTrace | undefined {
    const row = this.#count === 0 ? undefined : this.#statements.find.get(hashNumber(hash));
    if (row === undefined) return undefined;
    return {
      before: { chunk: Number(row["chunk"]), ordinal: Number(row["ordinal"]) },
      chunks: chunksIn(row),
    };
  }

  add(hash: Hash64, nowMs: number, { before, chunks }: EvictedTrace): void {
    const { add, replace, trim } = this.#statements;
    const row = [hashNumber(hash), nowMs, before.chunk, before.ordinal, JSON.stringify(chunks)] as const;
    if (add.run(...row).changes === 0) replace.run(...row);
    else this.#count++;
    if (this.#count > this.#maxKeys + SURPLUS_KEYS) this.#count -= trim.run(SURPLUS_KEYS).changes;
  }

  /** Remembers that a chunk has a span that came after the trace was evicted and was not stored. */
  addChunk(hash: Hash64, chunk: number): void {
    const chunks = this.find(hash)?.chunks;
    if (chunks === undefined || chunks.includes(chunk)) return;
    this.#statements.setChunks.run(hashNumber(hash), JSON.stringify([...chunks, chunk]));
  }

  #countKeys(): number {
    return Number(this.#statements.count.get()?.["keys"] ?? 0);
  }
}

/** Damaged chunks are none: spans of the trace may stay in them after it came again and was removed. */
function chunksIn(row: SqlRow): number[] {
  try {
    return JSON.parse(String(row["chunks"])) as number[];
  } catch {
    return [];
  }
}
