import { randomUUID } from "node:crypto";
import type { SqlDatabase, SqlValue } from "../driver/sqlite-driver.js";
import { writeMeta } from "./meta.js";
import { createTableSql, TABLES } from "./schema.js";

/**
 * Creates the derived tables again, empty. The store gets a new id: the sequence numbers of traces change, and cursors
 * hold them.
 */
export function emptyDerivedTables(db: SqlDatabase): void {
  const names = schemaNames(db);
  for (const [name, table] of Object.entries(TABLES)) {
    if (table.isDerived) db.exec(`DROP TABLE IF EXISTS ${name};\n${createTableSql(name, table)}`);
    else if (!names.has(name)) db.exec(createTableSql(name, table));
  }
  writeMeta(db, "store_id", randomUUID());
  db.exec("DELETE FROM meta WHERE key = 'counts'");
  writeMeta(db, "rebuild", 1);
}

/** The tables and indexes of a file. */
export function schemaNames(db: SqlDatabase): Set<SqlValue | undefined> {
  const rows = db.prepare("SELECT name FROM sqlite_schema").all();
  return new Set(rows.map(({ name }) => name));
}
