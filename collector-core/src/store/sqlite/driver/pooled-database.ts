import {
  SQL_CODES,
  SqlError,
  type SqlDatabase,
  type SqlDriver,
  type SqlRow,
  type SqlStatement,
  type SqlValue,
} from "./sqlite-driver.js";
import { fromStoredText, toStoredText } from "./stored-text.js";

/** A value as a driver takes or gives it. */
export type DriverValue = SqlValue | bigint;

/** A statement of a driver. Each call leaves it without locks; after an error it is released and not used again. */
export interface DriverStatement {
  run(values: DriverValue[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
  get(values: DriverValue[]): Record<string, DriverValue> | undefined;
  all(values: DriverValue[]): Record<string, DriverValue>[];
  release(): void;
}

/** A connection of a driver. Its errors are its own. */
export interface DriverConnection {
  readonly driver: SqlDriver;
  exec(sql: string): void;
  prepare(sql: string): DriverStatement;
  close(): void;
  /** Converts an error of the driver; undefined for an error that is not of SQLite. */
  toSqlError(error: unknown): SqlError | undefined;
}

/** Prepared statements that are kept. The least recently used one is released; using it again prepares it again. */
const MAX_PREPARED = 200;

/**
 * A database over the connection of a driver. It prepares statements when they are used, keeps few of them, and converts
 * values and errors, so that both drivers give the same results.
 */
export class PooledDatabase implements SqlDatabase {
  readonly driver: SqlDriver;
  readonly #connection: DriverConnection;
  readonly #prepared = new Map<string, PooledStatement>();
  #uses = 0;
  #isOpen = true;

  constructor(connection: DriverConnection) {
    this.#connection = connection;
    this.driver = connection.driver;
  }

  exec(sql: string): void {
    this.#requireOpen();
    try {
      this.#connection.exec(sql);
    } catch (error) {
      throw this.convert(error);
    }
  }

  prepare(sql: string): SqlStatement {
    this.#requireOpen();
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = new PooledStatement(this, sql);
    // A mistake in the text is reported here, not where the statement is first used.
    statement.open();
    return statement;
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const statement of this.#prepared.values()) statement.release();
    this.#prepared.clear();
    try {
      this.#connection.close();
    } catch (error) {
      throw this.convert(error);
    }
  }

  /** Prepares a statement of the driver, and releases another one if there are too many. */
  open(statement: PooledStatement): DriverStatement {
    this.#requireOpen();
    let opened: DriverStatement;
    try {
      opened = this.#connection.prepare(statement.sql);
    } catch (error) {
      throw this.convert(error);
    }
    if (this.#prepared.size >= MAX_PREPARED) this.#leastRecentlyUsed()?.release();
    this.#prepared.get(statement.sql)?.release();
    this.#prepared.set(statement.sql, statement);
    return opened;
  }

  released(statement: PooledStatement): void {
    if (this.#prepared.get(statement.sql) === statement) this.#prepared.delete(statement.sql);
  }

  /** The number of this use, to find the least recently used statement. */
  countUse(): number {
    return ++this.#uses;
  }

  convert(error: unknown): unknown {
    return this.#connection.toSqlError(error) ?? error;
  }

  #leastRecentlyUsed(): PooledStatement | undefined {
    let oldest: PooledStatement | undefined;
    for (const statement of this.#prepared.values())
      if (oldest === undefined || statement.lastUse < oldest.lastUse) oldest = statement;
    return oldest;
  }

  #requireOpen(): void {
    if (!this.#isOpen) throw new SqlError(SQL_CODES.MISUSE, "The database is closed.");
  }
}

/** A statement that is prepared again after it was released. */
class PooledStatement implements SqlStatement {
  readonly sql: string;
  lastUse = 0;
  readonly #database: PooledDatabase;
  #opened: DriverStatement | undefined;

  constructor(database: PooledDatabase, sql: string) {
    this.#database = database;
    this.sql = sql;
  }

  run(...parameters: SqlValue[]): { changes: number; lastInsertRowid: number } {
    try {
      const { changes, lastInsertRowid } = this.open().run(toDriver(parameters));
      return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) };
    } catch (error) {
      throw this.#failed(error);
    }
  }

  get(...parameters: SqlValue[]): SqlRow | undefined {
    try {
      const row = this.open().get(toDriver(parameters));
      return row === undefined ? undefined : fromDriver(row);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  all(...parameters: SqlValue[]): SqlRow[] {
    try {
      const rows = this.open().all(toDriver(parameters));
      for (const row of rows) fromDriver(row);
      return rows as SqlRow[];
    } catch (error) {
      throw this.#failed(error);
    }
  }

  open(): DriverStatement {
    this.#opened ??= this.#database.open(this);
    this.lastUse = this.#database.countUse();
    return this.#opened;
  }

  release(): void {
    this.#opened?.release();
    this.#opened = undefined;
    this.#database.released(this);
  }

  /** A statement whose step failed cannot be used again. */
  #failed(error: unknown): unknown {
    this.release();
    return this.#database.convert(error);
  }
}

/** Converts texts in place. `parameters` is the array of one call. */
function toDriver(parameters: SqlValue[]): DriverValue[] {
  for (let index = 0; index < parameters.length; index++) {
    const value = parameters[index];
    if (typeof value === "string") parameters[index] = toStoredText(value);
  }
  return parameters;
}

/** The largest number that SQLite takes back as an integer. */
const MAX_INTEGER = 2 ** 63 - 1024;

function nearestNumber(value: bigint): number {
  return Math.min(Number(value), MAX_INTEGER);
}

/** Converts the texts and the large integers of a row in place. */
function fromDriver(row: Record<string, DriverValue>): SqlRow {
  for (const column in row) {
    const value = row[column];
    if (typeof value === "string") row[column] = fromStoredText(value);
    else if (typeof value === "bigint") row[column] = nearestNumber(value);
  }
  return row as SqlRow;
}
