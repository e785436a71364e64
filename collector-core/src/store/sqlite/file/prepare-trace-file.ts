import { randomUUID } from "node:crypto";
import { SQL_CODES, SqlError, type SqlDatabase, type SqlValue } from "../driver/sqlite-driver.js";
import { unreadableCodec } from "../records/chunk-codec.js";
import { readMeta, SEED_BYTES, writeMeta } from "./meta.js";
import { migrationsFrom, type FileFormat } from "./migrations.js";
import { createTableSql, OPEN_PRAGMAS, TABLES } from "./schema.js";
import { TraceFileError } from "./trace-file-error.js";
import type { TraceFileEvent } from "./trace-file-event.js";
import { inTransaction } from "./transaction.js";

/**
 * Sets up the connection, brings the file to the current version and checks that its content can be read.
 *
 * @throws TraceFileError if the file is newer, or has chunks that this runtime cannot read; SqlError if it is damaged.
 */
export function prepareTraceFile(
  db: SqlDatabase,
  path: string,
  { format, onEvent }: { readonly format: FileFormat; readonly onEvent: (event: TraceFileEvent) => void },
): void {
  db.exec(OPEN_PRAGMAS);
  const from = pragma(db, "user_version");
  // The header may be older than the write-ahead log.
  if (from > format.version) throw TraceFileError.newer(path, from, format.version);
  const journal = db.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"];
  if (journal !== "wal") throw new SqlError(SQL_CODES.IOERR, "The file system allows no write-ahead log.");
  checkCodecs(db, path);
  update(db, from, format);
  checkTables(db);
  if (from < format.version)
    onEvent({ type: readMeta(db, "rebuild") === 1 ? "rebuild" : "migrated", path, from, to: format.version });
}

function pragma(db: SqlDatabase, name: string): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
}

/** Refuses a file with chunks that this runtime cannot read. */
function checkCodecs(db: SqlDatabase, path: string): void {
  const codecs = Number(readMeta(db, "codecs") ?? 0);
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

/**
 * Creates the derived tables again, empty. The store gets a new id: the sequence numbers of traces change, and cursors
 * hold them.
 */
function emptyDerivedTables(db: SqlDatabase): void {
  const names = schemaNames(db);
  for (const [name, table] of Object.entries(TABLES)) {
    if (table.isDerived) db.exec(`DROP TABLE IF EXISTS ${name};\n${createTableSql(name, table)}`);
    else if (!names.has(name)) db.exec(createTableSql(name, table));
  }
  writeMeta(db, "store_id", randomUUID());
  writeMeta(db, "span_count", 0);
  writeMeta(db, "rebuild", 1);
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

function schemaNames(db: SqlDatabase): Set<SqlValue | undefined> {
  const rows = db.prepare("SELECT name FROM sqlite_schema").all();
  return new Set(rows.map(({ name }) => name));
}
