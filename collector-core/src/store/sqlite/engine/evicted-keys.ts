import { hashNumber, type Hash64 } from "../../../hashing/seeded-hash.js";
import type { SqlDatabase, SqlStatement } from "../driver/sqlite-driver.js";
import { prepareAll } from "./trace-tables.js";

/** Evicted traces that the file remembers. */
const MAX_KEYS = 200_000;
/** Removed at once beyond that. */
const SURPLUS_KEYS = 20_000;

const SQL = {
  has: "SELECT 1 FROM evicted WHERE key_hash = ? AND at_ms >= ?",
  add: "INSERT OR REPLACE INTO evicted (key_hash, at_ms) VALUES (?, ?)",
  count: "SELECT count(*) AS keys FROM evicted",
  trim: "DELETE FROM evicted WHERE key_hash IN (SELECT key_hash FROM evicted ORDER BY at_ms LIMIT ?)",
} as const;

/** Remembers recently evicted traces, so that spans that arrive later are recognized as late (contract 3). */
export class EvictedKeys {
  readonly #statements: Readonly<Record<keyof typeof SQL, SqlStatement>>;
  #count: number;

  constructor(db: SqlDatabase) {
    this.#statements = prepareAll(db, SQL);
    this.#count = this.#countKeys();
  }

  /** @param sinceMs - default: at any time. */
  has(hash: Hash64, sinceMs = 0): boolean {
    return this.#count > 0 && this.#statements.has.get(hashNumber(hash), sinceMs) !== undefined;
  }

  add(hash: Hash64, nowMs: number): void {
    this.#statements.add.run(hashNumber(hash), nowMs);
    this.#count++;
    if (this.#count <= MAX_KEYS + SURPLUS_KEYS) return;
    this.#statements.trim.run(SURPLUS_KEYS);
    this.#count = this.#countKeys();
  }

  /** Reads the number of keys again, because a transaction was rolled back. */
  recount(): void {
    this.#count = this.#countKeys();
  }

  #countKeys(): number {
    return Number(this.#statements.count.get()?.["keys"] ?? 0);
  }
}
