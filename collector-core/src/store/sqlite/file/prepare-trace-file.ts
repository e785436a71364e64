import { SQL_CODES, SqlError, type SqlDatabase } from "../driver/sqlite-driver.js";
import { unreadableCodec } from "../records/chunk-codec.js";
import { checkSchema } from "./check-schema.js";
import { emptyDerivedTables, schemaNames } from "./empty-derived-tables.js";
import { readMeta, SEED_BYTES } from "./meta.js";
import { migrationsFrom, type FileFormat } from "./migrations.js";
import { repairNumbers } from "./repair-numbers.js";
import { openPragmas, TABLES } from "./schema.js";
import { TraceFileError } from "./trace-file-error.js";
import type { TraceFileEvent } from "./trace-file-event.js";
import { inTransaction } from "./transaction.js";

/** Options of {@link prepareTraceFile}. */
export interface PrepareOptions {
  readonly format: FileFormat;
  /** In place of a time in the file that is none. */
  readonly nowMs: number;
  readonly onEvent: (event: TraceFileEvent) => void;
}

/**
 * Sets up the connection, brings the file to the current version and checks that its content can be read.
 *
 * @throws TraceFileError if the file is newer, or has chunks that this runtime cannot read; SqlError if it is damaged.
 */
export function prepareTraceFile(
  db: SqlDatabase,
  path: string,
  { format, nowMs, onEvent }: PrepareOptions,
): void {
  // Before the first read, which also tells the size of a page.
  db.exec("PRAGMA locking_mode = EXCLUSIVE");
  const from = pragma(db, "user_version");
  db.exec(openPragmas(pragma(db, "page_size")));
  // The header may be older than the write-ahead log.
  if (from > format.version) throw TraceFileError.newer(path, from, format.version);
  const journal = db.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"];
  if (journal !== "wal") throw new SqlError(SQL_CODES.IOERR, "The file system allows no write-ahead log.");
  checkSchema(db);
  checkCodecs(db, path);
  update(db, from, format);
  checkTables(db);
  const problems = repairNumbers(db, nowMs);
  if (problems.length > 0) onEvent({ type: "repaired", path, problem: `${problems.join("; ")}.` });
  if (from < format.version)
    onEvent({ type: readMeta(db, "rebuild") === 1 ? "rebuild" : "migrated", path, from, to: format.version });
}

function pragma(db: SqlDatabase, name: string): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
}

/** Refuses a file with chunks that this runtime cannot read. */
function checkCodecs(db: SqlDatabase, path: string): void {
  const known = readMeta(db, "codecs") ?? 0;
  // Without a usable list, every codec is looked for.
  const codecs = Number.isSafeInteger(known) ? Number(known) : ALL_CODECS;
  for (let codec = 0; codec < MAX_CODECS; codec++) {
    const isUsed = (codecs & (1 << codec)) !== 0;
    const problem = isUsed ? unreadableCodec(codec) : undefined;
    // The chunks that set the bit may be gone.
    if (problem !== undefined && isInUse(db, codec))
      throw new TraceFileError("unreadable", `${path} cannot be read: ${problem}.`);
  }
}

/** Codecs are bits of an integer. */
const MAX_CODECS = 31;
const ALL_CODECS = -1;

function isInUse(db: SqlDatabase, codec: number): boolean {
  return Object.entries(TABLES).some(
    ([name, { hasCodec }]) =>
      hasCodec && db.prepare(`SELECT 1 FROM ${name} WHERE codec = ? LIMIT 1`).get(codec) !== undefined,
  );
}

/** Migrates the file, or empties what can be rebuilt from the chunks. A rebuild that was interrupted begins again. */
function update(db: SqlDatabase, from: number, format: FileFormat): void {
  const migrations = migrationsFrom(from, format);
  const isInterrupted = readMeta(db, "rebuild") === 1;
  if (from === format.version && !isInterrupted) return;
  inTransaction(db, () => {
    for (const migrate of migrations ?? []) migrate(db);
    if (migrations === undefined || isInterrupted) emptyDerivedTables(db);
    db.exec(`PRAGMA user_version = ${format.version}`);
  });
}

/** Reads the schema and the first page of every table. */
function checkTables(db: SqlDatabase): void {
  const names = schemaNames(db);
  for (const [table, { indexes = {} }] of Object.entries(TABLES)) {
    for (const name of [table, ...Object.keys(indexes)])
      if (!names.has(name)) throw new SqlError(SQL_CODES.CORRUPT, `${name} is missing`);
    db.prepare(`SELECT * FROM ${table} LIMIT 1`).get();
  }
  const seed = readMeta(db, "hash_seed");
  if (
    !(seed instanceof Uint8Array) ||
    seed.length !== SEED_BYTES ||
    typeof readMeta(db, "store_id") !== "string"
  )
    throw new SqlError(SQL_CODES.CORRUPT, "the id of the store or the seed of its hashes is missing");
}
