import type { Steps } from "../../../runtime/steps.js";
import type { SqlRow } from "../driver/sqlite-driver.js";
import { SqlError } from "../driver/sqlite-driver.js";
import { SeededHash } from "../../../hashing/seeded-hash.js";
import { CHUNK_NUMBERS, hasSoundChunkNumbers } from "../engine/chunk-rows.js";
import { parseEvaluation } from "../engine/evaluation-rows.js";
import { isSoundEvicted } from "../engine/evicted-keys.js";
import { isSoundPending } from "../engine/pending-rows.js";
import { decodePlaces } from "../engine/span-places.js";
import { isSoundStep } from "../engine/stats-steps.js";
import { parseErasure } from "../engine/text-eraser.js";
import { hasSoundNumbers } from "../engine/trace-numbers.js";
import { decodeState } from "../engine/trace-state.js";
import { parseSummary } from "../engine/trace-tables.js";
import { isSoundValueSet } from "../engine/value-sets.js";
import type { TraceFile } from "../open-trace-file.js";
import { DamageError } from "../records/sealed.js";

const ROWS_PER_STEP = 250;

/** Rows that are checked, and what in them may be damaged. */
interface CheckedRows {
  readonly table: string;
  readonly id: string;
  /** Selects the rows after an id. */
  readonly sql: string;
  /** Returns or throws {@link DamageError}, by the name of the part. */
  readonly parts: Readonly<Record<string, (row: SqlRow, hash: SeededHash) => unknown>>;
}

const CHECKED: readonly CheckedRows[] = [
  {
    table: "chunk",
    id: "id",
    sql: `SELECT ${CHUNK_NUMBERS} FROM chunk WHERE id > ? ORDER BY id`,
    parts: { numbers: (row) => requireSound(hasSoundChunkNumbers(row)) },
  },
  {
    table: "pending",
    id: "id",
    sql: "SELECT * FROM pending WHERE id > ? ORDER BY id",
    parts: { records: (row) => requireSound(isSoundPending(row)) },
  },
  {
    table: "trace",
    id: "seq",
    // Numbers of both tables have one checksum.
    sql: "SELECT t.*, d.* FROM trace t JOIN trace_detail d USING (seq) WHERE t.seq > ? ORDER BY t.seq",
    parts: {
      numbers: (row) => requireSound(hasSoundNumbers(row)),
      summary: (row) => parseSummary(row),
      state: (row) => decodeState(String(row["state"])),
      spans: (row) => row["spans"] instanceof Uint8Array && decodePlaces(row["spans"]),
    },
  },
  {
    table: "evaluation",
    id: "seq",
    sql: "SELECT * FROM evaluation WHERE seq > ? ORDER BY seq",
    parts: { text: (row) => parseEvaluation(row) },
  },
  {
    table: "value_set",
    id: "id",
    sql: "SELECT * FROM value_set WHERE id > ? ORDER BY id",
    parts: { labels: (row, hash) => requireSound(isSoundValueSet(row, hash)) },
  },
  {
    table: "evicted",
    id: "key_hash",
    sql: "SELECT * FROM evicted WHERE key_hash > ? ORDER BY key_hash",
    parts: { place: (row) => requireSound(isSoundEvicted(row)) },
  },
  {
    table: "erasing",
    id: "id",
    sql: "SELECT * FROM erasing WHERE id > ? ORDER BY id",
    parts: { list: (row) => parseErasure(row) },
  },
  {
    table: "stats_step",
    id: "step",
    sql: "SELECT rowid AS step, * FROM stats_step WHERE rowid > ? ORDER BY rowid",
    parts: { data: (row) => requireSound(isSoundStep(row)) },
  },
];

/** Checks the checksums of all rows but those of the data of chunks. A page that cannot be read is found by the check of its table. */
export function* verifyChecksums(
  { db, hashSeed }: TraceFile,
  onProblem: (problem: string) => void,
): Steps<void> {
  const hash = new SeededHash(hashSeed);
  for (const { table, id, sql, parts } of CHECKED) {
    const next = db.prepare(`${sql} LIMIT ${ROWS_PER_STEP}`);
    for (let after: unknown = Number.MIN_SAFE_INTEGER; typeof after === "number";) {
      const rows = readable(() => next.all(after as number));
      for (const row of rows)
        for (const [part, check] of Object.entries(parts))
          if (!isSound(() => check(row, hash)))
            onProblem(`${table} ${String(row[id])} is damaged: its ${part}.`);
      after = rows.at(-1)?.[id];
      yield;
    }
  }
}

function requireSound(isSoundRow: boolean): void {
  if (!isSoundRow) throw new DamageError("The checksum of a row does not match.");
}

function isSound(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof DamageError) return false;
    throw error;
  }
}

/** The rows of a read; none if a page of them is damaged. */
export function readable(read: () => SqlRow[]): SqlRow[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof SqlError) return [];
    throw error;
  }
}
