import type { StoreVerification } from "../../../interfaces.js";
import type { Steps } from "../../../runtime/steps.js";
import { SQL_CODES, SqlError, type SqlDatabase, type SqlRow } from "../driver/sqlite-driver.js";
import { readMeta } from "../file/meta.js";
import { TABLES } from "../file/schema.js";
import type { TraceFile } from "../open-trace-file.js";
import { isIntact } from "../records/chunk-codec.js";
import { verifyChecksums } from "./verify-checksums.js";
import { verifyReferences } from "./verify-references.js";

/** Most problems of a result. */
const MAX_PROBLEMS = 100;
const ROWS_PER_STEP = 500;
/** Four chunks are about 120 kB. */
const CHUNKS_PER_STEP = 4;
/** More rows than a table has. */
const MAX_SKIPPED = 2 ** 40;

/**
 * Checks every table, every checksum, and that no row of a trace is missing. Of the tables with a row for each trace it reads
 * every row, because the check of SQLite is one step: seconds for 500,000 traces.
 *
 * @param options.isWhole - first lets SQLite check the whole file, with all indexes and free pages, in one step that reads
 * everything: minutes for a large file. For a collector that is stopped.
 */
export function* verify(
  file: TraceFile,
  options: { readonly isWhole?: boolean } = {},
): Steps<StoreVerification> {
  const { db } = file;
  const problems: string[] = [];
  const totals = { chunks: 0, damagedChunks: 0 };
  if (options.isWhole) checkIntegrity(db, undefined, problems);
  for (const [table, { hasCodec, isLarge }] of Object.entries(TABLES)) {
    yield;
    if (hasCodec) yield* checkChunks(db, table, totals, problems);
    else if (options.isWhole) continue;
    else if (isLarge) yield* checkRows(db, table, problems);
    else checkIntegrity(db, table, problems);
  }
  yield* verifyChecksums(file, (problem) => add(problems, problem));
  yield* verifyReferences(file, (problem) => add(problems, problem));
  return { ...totals, problems };
}

function* checkRows(db: SqlDatabase, table: string, problems: string[]): Steps<void> {
  const next = db.prepare(`SELECT * FROM ${table} WHERE seq > ? ORDER BY seq LIMIT ${ROWS_PER_STEP}`);
  for (let after = 0; ;) {
    const start = after;
    const rows = readSound(() => next.all(start));
    if (rows === undefined) {
      add(problems, `${table} cannot be read after ${start}.`);
      return;
    }
    const last = rows.at(-1)?.["seq"];
    if (typeof last !== "number") return;
    after = last;
    yield;
  }
}

function checkIntegrity(db: SqlDatabase, table: string | undefined, problems: string[]): void {
  const argument = table === undefined ? `${MAX_PROBLEMS}` : `'${table}'`;
  const rows = readSound(() => db.prepare(`PRAGMA integrity_check(${argument})`).all());
  if (rows === undefined) add(problems, `${table ?? "The file"} cannot be read.`);
  for (const row of rows ?? []) {
    const [text] = Object.values(row);
    if (text !== "ok") add(problems, `${table ?? "The file"}: ${String(text)}`);
  }
}

function* checkChunks(
  db: SqlDatabase,
  table: string,
  totals: { chunks: number; damagedChunks: number },
  problems: string[],
): Steps<void> {
  const columns = "id, codec, checksum, data";
  const next = db.prepare(
    `SELECT ${columns} FROM ${table} WHERE id > ? ORDER BY id LIMIT ${CHUNKS_PER_STEP}`,
  );
  const one = db.prepare(`SELECT ${columns} FROM ${table} WHERE id = ?`);
  const nextId = db.prepare(`SELECT min(id) AS id FROM ${table} WHERE id > ?`);
  let after = 0;
  for (;;) {
    const start = after;
    const rows: SqlRow[] = readSound(() => next.all(start)) ?? readOne(start);
    for (const row of rows) {
      if (table === "chunk" && isOpenChunk(db, row)) continue;
      totals.chunks++;
      if (isSound(row)) continue;
      totals.damagedChunks++;
      add(problems, `${table} ${String(row["id"])} is damaged.`);
    }
    const last = rows.at(-1)?.["id"];
    if (typeof last !== "number") return;
    after = last;
    yield;
  }

  /** Reads the next row alone, since the page of one of the next rows is damaged. */
  function readOne(before: number): SqlRow[] {
    const id = findNext(before);
    return id === undefined ? [] : [readSound(() => one.get(id)) ?? { id }];
  }

  /** Finds the next row that has a place in the tree. All rows of a damaged page are left out. */
  function findNext(before: number): number | undefined {
    for (let skipped = 0; skipped <= MAX_SKIPPED; skipped = 2 * skipped + 1) {
      const found = readSound(() => nextId.get(before + skipped));
      if (found === undefined) continue;
      if (skipped > 0) {
        totals.damagedChunks++;
        add(problems, `${table} cannot be read after ${before}.`);
      }
      return typeof found["id"] === "number" ? found["id"] : undefined;
    }
    totals.damagedChunks++;
    add(problems, `${table} cannot be read after ${before}.`);
    return undefined;
  }
}

/** True for a row that counts the traces of a chunk that is not closed, or not yet committed. It has no data. */
function isOpenChunk(db: SqlDatabase, { id, data }: SqlRow): boolean {
  return data === null && Number(id) >= Number(readMeta(db, "open_chunk") ?? 1);
}

function isSound({ codec, checksum, data }: SqlRow): boolean {
  return (
    typeof codec === "number" &&
    typeof checksum === "number" &&
    data instanceof Uint8Array &&
    isIntact(codec, checksum, data)
  );
}

/** The result of a read; undefined if the pages that it needs are damaged. */
function readSound<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    const codes: readonly number[] = [SQL_CODES.CORRUPT, SQL_CODES.NOTADB, SQL_CODES.IOERR];
    if (error instanceof SqlError && codes.includes(error.code)) return undefined;
    throw error;
  }
}

function add(problems: string[], problem: string): void {
  if (problems.length < MAX_PROBLEMS) problems.push(problem);
}
