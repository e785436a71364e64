import { randomBytes, randomUUID } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { SqlDatabase } from "../driver/sqlite-driver.js";
import { SEED_BYTES, writeMeta } from "./meta.js";
import { APPLICATION_ID, PAGE_BYTES, TABLES, createTableSql } from "./schema.js";
import { inTransaction } from "./transaction.js";

/** The files that SQLite and its drivers put beside a database. */
export const COMPANION_SUFFIXES = ["-wal", "-shm", "-journal"] as const;

/**
 * Creates an empty trace file. It is complete before it has its name: a crash leaves no half of one.
 *
 * @throws SqlError, or the error of the file system.
 */
export function createTraceFile(
  path: string,
  options: {
    readonly createdAtMs: number;
    readonly version: number;
    readonly openDatabase: (path: string) => SqlDatabase;
  },
): void {
  const temporary = `${path}.new`;
  removeDatabase(temporary);
  closeSync(openSync(temporary, "wx", 0o600));
  const db = options.openDatabase(temporary);
  try {
    db.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA synchronous = FULL`);
    inTransaction(db, () => {
      for (const [name, table] of Object.entries(TABLES)) db.exec(createTableSql(name, table));
      writeMeta(db, "codecs", 0);
      writeMeta(db, "store_id", randomUUID());
      writeMeta(db, "hash_seed", randomBytes(SEED_BYTES));
      writeMeta(db, "created_ms", options.createdAtMs);
      writeMeta(db, "clock_ms", options.createdAtMs);
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${options.version}`);
    });
  } finally {
    db.close();
  }
  // A write-ahead log of a file that was deleted would be replayed into the new one.
  for (const suffix of COMPANION_SUFFIXES) rmSync(path + suffix, { force: true });
  renameSync(temporary, path);
  syncDirectory(dirname(path));
}

/** Removes a database with the files beside it. */
export function removeDatabase(path: string): void {
  for (const suffix of ["", ...COMPANION_SUFFIXES]) rmSync(path + suffix, { force: true });
}

/** Makes a new name durable. Windows has no such call. */
function syncDirectory(directory: string): void {
  let file: number;
  try {
    file = openSync(directory, "r");
  } catch {
    return;
  }
  try {
    fsyncSync(file);
  } catch {
    // Some file systems refuse it.
  } finally {
    closeSync(file);
  }
}
