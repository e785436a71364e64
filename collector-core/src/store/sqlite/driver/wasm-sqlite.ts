import { createRequire } from "node:module";
import { dirname } from "node:path";
import { setFlagsFromString } from "node:v8";
import type * as NodeSqlite3Wasm from "node-sqlite3-wasm";
import { freeBytesOf } from "../free-bytes.js";
import type { DriverConnection, DriverStatement, DriverValue } from "./pooled-database.js";
import { SQL_CODES, SqlError } from "./sqlite-driver.js";

/** Below this, a failed write is a full disk. */
const FULL_DISK_BYTES = 1_048_576;

/**
 * How far a function of WebAssembly jumps back, in bytes of it, before it is compiled again with optimizations. Each step of a statement
 * is a jump through the largest function of SQLite, so that the default of Node 20, 1.8 million, is exceeded as soon as a file is open.
 * The compilation takes half a second of a core from each start and each command. With this budget it comes after about 33,000 steps.
 */
const TIERING_BUDGET = 2_000_000_000;

let loaded: typeof NodeSqlite3Wasm | undefined;

/** Loaded only here: it reads and compiles 1.3 MB. A bundle leaves it where npm installs it, beside its .wasm file. */
function loadWasmSqlite(): typeof NodeSqlite3Wasm {
  if (loaded !== undefined) return loaded;
  // A module takes the budget that is set when it is compiled.
  setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET}`);
  return (loaded = createRequire(import.meta.url)("node-sqlite3-wasm") as typeof NodeSqlite3Wasm);
}

/** Opens a connection of node-sqlite3-wasm, which runs in every Node.js. */
export function connectWasmSqlite(path: string): DriverConnection {
  const { Database } = loadWasmSqlite();
  const database = open();
  return {
    driver: "wasm",
    exec: (sql) => database.exec(sql),
    prepare: (sql) => wasmStatement(database.prepare(sql)),
    close: () => database.close(),
    toSqlError: (error) => toSqlError(error, path),
  };

  function open(): InstanceType<typeof Database> {
    try {
      return new Database(path);
    } catch (error) {
      throw toSqlError(error, path) ?? error;
    }
  }
}

function wasmStatement(statement: NodeSqlite3Wasm.Statement): DriverStatement {
  const all = (values: DriverValue[]) => statement.all(values) as Record<string, DriverValue>[];
  return {
    run: (values) => statement.run(values),
    // `Statement.get` stops at the first row and holds the lock of the table until its next use.
    get: (values) => all(values)[0],
    all,
    release() {
      try {
        statement.finalize();
      } catch {
        // It repeats the error of the last step.
      }
    },
  };
}

/** The driver gives the message without the code. The messages are those of `sqlite3_errstr`. */
const CODES_BY_MESSAGE: readonly (readonly [RegExp, number])[] = [
  [/^database is locked$/, SQL_CODES.BUSY],
  [/^database (?:table|schema) is locked/, SQL_CODES.LOCKED],
  [/^out of memory$/, SQL_CODES.NOMEM],
  [/^attempt to write a readonly database$/, SQL_CODES.READONLY],
  [/^interrupted$/, SQL_CODES.INTERRUPT],
  [/^disk I\/O error$/, SQL_CODES.IOERR],
  [/^database disk image is malformed$|^malformed database schema/, SQL_CODES.CORRUPT],
  [/^database or disk is full$/, SQL_CODES.FULL],
  [/^unable to open database file$|^Could not open the database/, SQL_CODES.CANTOPEN],
  [/^locking protocol$/, SQL_CODES.PROTOCOL],
  [/^database schema has changed$/, SQL_CODES.SCHEMA],
  [/^string or blob too big$/, SQL_CODES.TOOBIG],
  [/constraint failed|^cannot store /, SQL_CODES.CONSTRAINT],
  [/^datatype mismatch$/, SQL_CODES.MISMATCH],
  [/^bad parameter or other API misuse$/, SQL_CODES.MISUSE],
  [/^column index out of range$/, SQL_CODES.RANGE],
  [/^file is not a database$/, SQL_CODES.NOTADB],
];

function toSqlError(error: unknown, path: string): SqlError | undefined {
  if (error instanceof SqlError) return error;
  if (!(error instanceof Error) || error.name !== "SQLite3Error") return undefined;
  const { message } = error;
  const code = CODES_BY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1] ?? SQL_CODES.ERROR;
  // Its file system reports a full disk as any other failed write.
  if (code === SQL_CODES.IOERR && freeBytesOf(dirname(path)) < FULL_DISK_BYTES)
    return new SqlError(SQL_CODES.FULL, "database or disk is full", { cause: error });
  return new SqlError(code, message, { cause: error });
}
