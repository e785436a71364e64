import { connectNodeSqlite, loadNodeSqlite } from "./node-sqlite.js";
import { PooledDatabase } from "./pooled-database.js";
import { SQL_CODES, SqlError, type SqlDatabase, type SqlDriver } from "./sqlite-driver.js";
import { connectWasmSqlite } from "./wasm-sqlite.js";

/** The drivers that this runtime has, the preferred one first. */
export function availableDrivers(): readonly SqlDriver[] {
  return loadNodeSqlite() === undefined ? ["wasm"] : ["node:sqlite", "wasm"];
}

/**
 * Opens a database, and creates it if the file does not exist.
 *
 * @param driver - default: `node:sqlite` where the runtime has it.
 * @throws SqlError
 */
export function openSqlite(path: string, driver?: SqlDriver): SqlDatabase {
  const nodeSqlite = driver === "wasm" ? undefined : loadNodeSqlite();
  if (nodeSqlite !== undefined) return new PooledDatabase(connectNodeSqlite(nodeSqlite, path));
  if (driver === "node:sqlite")
    throw new SqlError(SQL_CODES.CANTOPEN, `Node.js ${process.versions.node} does not have node:sqlite.`);
  return new PooledDatabase(connectWasmSqlite(path));
}
