import { SQL_CODES, SqlError, type SqlDatabase } from "../driver/sqlite-driver.js";
import { schemaOf, TABLES, type SchemaObject } from "./schema.js";

const OWN: ReadonlyMap<string, SchemaObject> = new Map(
  Object.entries(TABLES)
    .flatMap(([name, table]) => schemaOf(name, table))
    .map((object) => [object.name, object]),
);

/** SQLite creates it for AUTOINCREMENT. */
const SEQUENCES = "CREATE TABLE sqlite_sequence(name,seq)";

const COLUMN = "[a-z_]+(?: (?:INTEGER|REAL|TEXT|BLOB|ANY|PRIMARY KEY|AUTOINCREMENT|UNIQUE))*";
const KEY = "(?:PRIMARY KEY|UNIQUE) \\([a-z_]+(?:, [a-z_]+)*\\)";
/** A table of columns with nothing else. An expression, such as that of a CHECK, would run with each row. */
const COLUMNS_ONLY = new RegExp(
  `^CREATE TABLE [a-z_]+ \\((?:${COLUMN})(?:, (?:${COLUMN}|${KEY}))*\\) STRICT(?:, WITHOUT ROWID)?$`,
);
/** An index of columns, for all rows or for those with a value. */
const INDEX_OF_COLUMNS =
  /^CREATE INDEX [a-z_]+ ON [a-z_]+ \([a-z_]+(?:, [a-z_]+)*\)(?: WHERE [a-z_]+ IS NOT NULL)?$/;

/**
 * Checks that a file has no code: no view, no trigger, no virtual table and no expression beside those of {@link TABLES}. Somebody
 * else may have written the file. A view in the place of a table could run forever, and a trigger could change what is stored.
 *
 * @throws SqlError CORRUPT.
 */
export function checkSchema(db: SqlDatabase): void {
  for (const { type, name, tbl_name: table, sql } of db
    .prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema")
    .all()) {
    const own = OWN.get(String(name));
    const isOwn =
      own !== undefined && own.type === type && own.table === table && isSame(own, oneLine(String(sql)));
    // The index of a primary key, or of a column that is unique.
    const isAutomatic = type === "index" && sql === null && OWN.has(String(table));
    if (!isOwn && !isAutomatic && sql !== SEQUENCES)
      throw new SqlError(SQL_CODES.CORRUPT, `the ${String(type)} ${String(name)} is not one of a trace file`);
  }
}

/** An older or newer version of a table or an index has other columns. */
function isSame({ type, sql }: SchemaObject, found: string): boolean {
  if (found === oneLine(sql)) return true;
  return (type === "table" && COLUMNS_ONLY.test(found)) || (type === "index" && INDEX_OF_COLUMNS.test(found));
}

function oneLine(sql: string): string {
  // eslint-disable-next-line obspan/no-uncopied-part -- only compared
  return sql.replace(/\s+/g, " ").trim();
}
