import type { SqlDatabase } from "../driver/sqlite-driver.js";

/** Runs changes in one transaction, which is rolled back if they throw. */
export function inTransaction<Result>(db: SqlDatabase, change: () => Result): Result {
  db.exec("BEGIN IMMEDIATE");
  try {
    const result = change();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    try {
      db.exec("ROLLBACK");
    } catch {
      // SQLite has rolled back by itself, as it does when the disk is full.
    }
    throw error;
  }
}
