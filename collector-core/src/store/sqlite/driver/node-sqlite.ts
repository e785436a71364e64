import { errorCode } from "../../../runtime/describe-error.js";
import type { DriverConnection, DriverStatement, DriverValue } from "./pooled-database.js";
import { SqlError } from "./sqlite-driver.js";

/** The part of `node:sqlite` in use. The types of Node 20 do not have it. */
interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => {
    exec(sql: string): void;
    prepare(sql: string): NodeStatement;
    close(): void;
  };
}

interface NodeStatement {
  run(...values: DriverValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...values: DriverValue[]): Record<string, DriverValue> | undefined;
  all(...values: DriverValue[]): Record<string, DriverValue>[];
  setReadBigInts(isEnabled: boolean): void;
}

/** Loads `node:sqlite`; undefined if this runtime does not have it. */
export function loadNodeSqlite(): NodeSqlite | undefined {
  const getBuiltinModule: unknown = Reflect.get(process, "getBuiltinModule");
  if (typeof getBuiltinModule !== "function") return undefined;
  // Node 22 warns that SQLite is experimental. The warning would be the first line of the log of every collector.
  return withoutWarning(
    "SQLite is an experimental feature",
    () => Reflect.apply(getBuiltinModule, process, ["node:sqlite"]) as NodeSqlite | undefined,
  );
}

function withoutWarning<Result>(text: string, action: () => Result): Result {
  const emitWarning: unknown = Reflect.get(process, "emitWarning");
  if (typeof emitWarning !== "function") return action();
  process.emitWarning = (...args: unknown[]) => {
    if (!String(args[0]).includes(text)) Reflect.apply(emitWarning, process, args);
  };
  try {
    return action();
  } finally {
    Reflect.set(process, "emitWarning", emitWarning);
  }
}

/** Opens a connection of `node:sqlite`. */
export function connectNodeSqlite({ DatabaseSync }: NodeSqlite, path: string): DriverConnection {
  const database = open();
  return {
    driver: "node:sqlite",
    exec: (sql) => database.exec(sql),
    prepare: (sql) => nodeStatement(database.prepare(sql)),
    close: () => database.close(),
    toSqlError,
  };

  function open(): InstanceType<NodeSqlite["DatabaseSync"]> {
    try {
      return new DatabaseSync(path);
    } catch (error) {
      throw toSqlError(error) ?? error;
    }
  }
}

function nodeStatement(statement: NodeStatement): DriverStatement {
  return {
    run: (values) => statement.run(...withIntegers(values)),
    get: (values) => read(withIntegers(values), (bound) => statement.get(...bound)),
    all: (values) => read(withIntegers(values), (bound) => statement.all(...bound)),
    // The garbage collector finalizes it. A statement that was not stepped to its end is reset after each call.
    release: () => undefined,
  };

  /** Reads once more, with all integers as bigint, if one of them is too large for a number. Only reads return rows. */
  function read<Result>(values: DriverValue[], run: (values: DriverValue[]) => Result): Result {
    try {
      return run(values);
    } catch (error) {
      if (!isOutOfRange(error)) throw error;
    }
    statement.setReadBigInts(true);
    try {
      return run(values);
    } finally {
      statement.setReadBigInts(false);
    }
  }
}

function isOutOfRange(error: unknown): boolean {
  return errorCode(error) === "ERR_OUT_OF_RANGE";
}

/** `node:sqlite` binds every number as REAL: `5 / 2` would be 2.5. A bigint is bound as INTEGER. */
function withIntegers(values: DriverValue[]): DriverValue[] {
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (Number.isSafeInteger(value)) values[index] = BigInt(value as number);
  }
  return values;
}

function toSqlError(error: unknown): SqlError | undefined {
  if (error instanceof SqlError) return error;
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  if (!("errcode" in error) || typeof error.errcode !== "number") return undefined;
  // The lower byte of an extended code is the primary one.
  return new SqlError(error.errcode & 0xff, error.message, { cause: error, extendedCode: error.errcode });
}
