import type { Database } from "./database.js";
import {
  createTables,
  setExpiry,
  setTextIndex,
  TEXT_INDEX_OF_TABLE,
  UPGRADES,
  type SchemaOptions,
} from "./schema.js";

/** The tables are of another version of Obspan. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
}

/** The version of the tables. */
const VERSION = 2;

const VERSIONS = `CREATE TABLE IF NOT EXISTS migrations (version UInt32, applied_ms Int64)
ENGINE = MergeTree ORDER BY version`;

/** What was done to the tables. */
export interface Migration {
  /** Undefined if there were no tables. */
  readonly from: number | undefined;
  readonly to: number;
  /** Tells this database from others, also from one with the same name that was dropped. */
  readonly storeId: string;
  /** Whether the tables had another index of texts than the configuration says. */
  readonly hasOtherTextIndex: boolean;
}

/** Options of {@link migrate}. */
export interface MigrateOptions extends SchemaOptions {
  /** Whether the index of texts is changed to that of the configuration: that works on all texts. */
  readonly changesTextIndex?: boolean;
}

/**
 * Creates the database and the tables, or brings them to this version. Collectors that start together may all do it.
 *
 * @param server - without a database: it may not exist.
 * @throws {@link SchemaError} if a newer version has made the tables.
 */
export async function migrate(
  {
    server,
    database,
    name,
  }: { readonly server: Database; readonly database: Database; readonly name: string },
  options: MigrateOptions,
): Promise<Migration> {
  const existing = await server.rows("SELECT name FROM system.databases WHERE name = {name:String}", {
    name,
  });
  if (existing.length === 0) await server.run("CREATE DATABASE IF NOT EXISTS {name:Identifier}", { name });
  await database.run(VERSIONS);
  const [row] = await database.rows<{ version: number }>("SELECT max(version) AS version FROM migrations");
  const from = row === undefined || row.version === 0 ? undefined : row.version;
  if (from !== undefined && from > VERSION)
    throw new SchemaError(
      `The database ${name} was made by a newer version of Obspan (tables of version ${from}; this one knows ${VERSION}). ` +
        "Update this collector, or set another trace_store.database.",
    );
  for (const statement of createTables(options)) await database.run(statement);
  for (let version = from ?? VERSION; version < VERSION; version++)
    for (const statement of UPGRADES[version] ?? []) await database.run(statement);
  if (from !== VERSION)
    await database.run("INSERT INTO migrations SELECT {version:UInt32}, toUnixTimestamp64Milli(now64(3))", {
      version: VERSION,
    });
  for (const table of ["spans", "traces"] as const) await setExpiryOf(database, table, options);
  const hasTextIndex = (await database.rows(TEXT_INDEX_OF_TABLE)).length > 0;
  const hasOtherTextIndex = hasTextIndex !== (options.textIndex !== "none");
  if (hasOtherTextIndex && options.changesTextIndex === true)
    for (const statement of setTextIndex(options)) await database.run(statement);
  const [table] = await database.rows<{ uuid: string }>(
    "SELECT toString(uuid) AS uuid FROM system.tables WHERE database = currentDatabase() AND name = 'traces'",
  );
  return { from, to: VERSION, storeId: table?.uuid ?? "", hasOtherTextIndex };
}

/** A table keeps the expiry that it was made with. */
async function setExpiryOf(
  database: Database,
  table: "spans" | "traces",
  options: SchemaOptions,
): Promise<void> {
  const [row] = await database.rows<{ engine: string }>(
    "SELECT engine_full AS engine FROM system.tables WHERE database = currentDatabase() AND name = {table:String}",
    { table },
  );
  const seconds = /toIntervalSecond\((\d+)\)/.exec(row?.engine ?? "")?.[1] ?? "0";
  if (Number(seconds) !== options.ttlSeconds) await database.run(setExpiry(options, table));
}
