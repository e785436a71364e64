import type { SqlDatabase } from "../driver/sqlite-driver.js";
import { readRecords } from "../records/batch-record.js";
import { checksumOfRecords } from "../records/sealed.js";
import { emptyDerivedTables } from "./empty-derived-tables.js";
import { FORMAT_VERSION } from "./schema.js";

/** Changes a file from one version to the next, in at most a second for the largest file. */
export type Migration = (db: SqlDatabase) => void;

/** The format of a trace file, and how to reach it from older ones. */
export interface FileFormat {
  readonly version: number;
  /** By the version that they start from. A version without one needs a rebuild from the chunks. */
  readonly migrations: Readonly<Record<number, Migration>>;
}

export const FILE_FORMAT: FileFormat = {
  version: FORMAT_VERSION,
  migrations: { 1: addErasing, 2: addChecksums, 3: addRowChecksums },
};

/** Version 2 erases removed traces in steps, and finds the oldest evicted traces by an index. */
function addErasing(db: SqlDatabase): void {
  db.exec("CREATE TABLE erasing (id INTEGER PRIMARY KEY, tenant TEXT, trace_id TEXT, chunks TEXT) STRICT");
  db.exec("CREATE INDEX evicted_by_time ON evicted (at_ms)");
}

/** Version 3 finds damage in the records of the open chunk, in the numbers of traces, and in evaluations. */
function addChecksums(db: SqlDatabase): void {
  db.exec("ALTER TABLE trace ADD COLUMN checksum INTEGER");
  const rows = db.prepare("SELECT id, bytes FROM pending ORDER BY id").all();
  db.exec(
    "DROP TABLE pending; " +
      "CREATE TABLE pending (id INTEGER PRIMARY KEY, spans INTEGER, checksum INTEGER, bytes BLOB) STRICT",
  );
  const add = db.prepare("INSERT INTO pending (id, spans, checksum, bytes) VALUES (?, ?, ?, ?)");
  let spans: number | null = 0;
  for (const { id = null, bytes = null } of rows) {
    // A column of another writer may be NULL.
    const records = bytes instanceof Uint8Array ? Buffer.from(bytes) : undefined;
    const count: number | undefined =
      spans === null || records === undefined ? undefined : countSpans(records);
    // Without a checksum the row counts as damaged, and so do those after it: the ordinals of their spans are not known.
    spans = count === undefined || spans === null ? null : spans + count;
    const checksum = spans === null || records === undefined ? null : checksumOfRecords(records, spans);
    add.run(id, spans, checksum, records ?? null);
  }
}

/**
 * Version 4 finds damage in the numbers of chunks, in evicted traces and in statistics, compresses the open chunk, and remembers
 * how many traces there are. It filters traces by more, and has their sessions: all is indexed again, beside normal work.
 */
function addRowChecksums(db: SqlDatabase): void {
  db.exec(
    "ALTER TABLE chunk ADD COLUMN row_checksum INTEGER; ALTER TABLE evicted ADD COLUMN checksum INTEGER; " +
      "ALTER TABLE stats_step ADD COLUMN checksum INTEGER; ALTER TABLE pending ADD COLUMN raw_bytes INTEGER; " +
      "DELETE FROM meta WHERE key = 'span_count'",
  );
  emptyDerivedTables(db);
}

/** Spans of records; undefined if they cannot be read. */
function countSpans(records: Buffer): number | undefined {
  let spans = 0;
  try {
    for (const record of readRecords(records)) {
      record.parse();
      spans += record.spanCount;
    }
  } catch {
    return undefined;
  }
  return spans;
}

/** The migrations from a version to the current one; undefined if one of them is missing. */
export function migrationsFrom(from: number, { version, migrations }: FileFormat): Migration[] | undefined {
  const steps: Migration[] = [];
  for (let each = from; each < version; each++) {
    const step = migrations[each];
    if (step === undefined) return undefined;
    steps.push(step);
  }
  return steps;
}
