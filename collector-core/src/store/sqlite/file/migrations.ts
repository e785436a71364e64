import type { SqlDatabase } from "../driver/sqlite-driver.js";
import { readRecords } from "../records/batch-record.js";
import { checksumOfRecords } from "../records/sealed.js";
import { createTableSql, FORMAT_VERSION, TABLES } from "./schema.js";

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
  migrations: { 1: addErasing, 2: addChecksums },
};

/** Version 2 erases removed traces in steps, and finds the oldest evicted traces by an index. */
function addErasing(db: SqlDatabase): void {
  const { erasing } = TABLES;
  if (erasing !== undefined) db.exec(createTableSql("erasing", erasing));
  db.exec("CREATE INDEX evicted_by_time ON evicted (at_ms)");
}

/** Version 3 finds damage in the records of the open chunk, in the numbers of traces, and in evaluations. */
function addChecksums(db: SqlDatabase): void {
  db.exec("ALTER TABLE trace ADD COLUMN checksum INTEGER");
  const rows = db.prepare("SELECT id, bytes FROM pending ORDER BY id").all();
  const { pending } = TABLES;
  if (pending !== undefined) db.exec(`DROP TABLE pending; ${createTableSql("pending", pending)}`);
  const add = db.prepare("INSERT INTO pending (id, spans, checksum, bytes) VALUES (?, ?, ?, ?)");
  let spans: number | null = 0;
  for (const { id = null, bytes = null } of rows) {
    const records = Buffer.from(bytes as Uint8Array);
    const count: number | undefined = spans === null ? undefined : countSpans(records);
    // Without a checksum the row counts as damaged, and so do those after it: the ordinals of their spans are not known.
    spans = count === undefined || spans === null ? null : spans + count;
    add.run(id, spans, spans === null ? null : checksumOfRecords(records, spans), records);
  }
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
