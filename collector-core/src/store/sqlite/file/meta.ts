import type { SqlDatabase, SqlValue } from "../driver/sqlite-driver.js";

/** The keys of the table `meta`. */
export type MetaKey =
  | "store_id"
  | "hash_seed"
  | "created_ms"
  /** Store time of the last commit, and the wall clock at that moment. */
  | "clock_ms"
  | "wall_ms"
  /** The id of the open chunk, and the sequence of the newest trace: both only grow. */
  | "open_chunk"
  | "last_seq"
  /** See `file-counts.ts`. */
  | "counts"
  /** The codecs of the chunks in the file, one bit each. Triggers set them. */
  | "codecs"
  /** 1 while the derived tables are being rebuilt. */
  | "rebuild"
  /** 1 while bytes that the file does not use may have text of a removed trace. */
  | "erasing";

/** Bytes of `hash_seed`: two integers of 32 bits. */
export const SEED_BYTES = 8;

/** The value of a key; undefined if it is not set. */
export function readMeta(db: SqlDatabase, key: MetaKey): SqlValue | undefined {
  return db.prepare("SELECT value FROM meta WHERE key = ?").get(key)?.["value"];
}

export function writeMeta(db: SqlDatabase, key: MetaKey, value: SqlValue): void {
  db.prepare("INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value").run(
    key,
    value,
  );
}
