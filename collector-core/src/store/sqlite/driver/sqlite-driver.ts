/**
 * A value of SQLite. Integers are safe integers. A larger one, which no collector writes, is read as the nearest number: the
 * checksum of its row finds it, and no query fails for it.
 */
export type SqlValue = number | string | Uint8Array | null;
/** A row by the names of its columns. */
export type SqlRow = Record<string, SqlValue>;

/** A prepared statement. It is reset after each call, so it holds no lock between calls. */
export interface SqlStatement {
  run(...parameters: SqlValue[]): { readonly changes: number; readonly lastInsertRowid: number };
  /** The only row, or the first of few: the rows after it are read and discarded. */
  get(...parameters: SqlValue[]): SqlRow | undefined;
  all(...parameters: SqlValue[]): SqlRow[];
}

/** The two implementations of SQLite, which give the same results. */
export type SqlDriver = "node:sqlite" | "wasm";

/** An open database. */
export interface SqlDatabase {
  readonly driver: SqlDriver;
  /** Runs statements without parameters and results. */
  exec(sql: string): void;
  /** Returns the same statement for the same text. Statements need no release. */
  prepare(sql: string): SqlStatement;
  /** May be called twice. */
  close(): void;
}

/** Primary result codes of SQLite that the store tells apart. */
export const SQL_CODES = {
  ERROR: 1,
  BUSY: 5,
  LOCKED: 6,
  NOMEM: 7,
  READONLY: 8,
  INTERRUPT: 9,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  PROTOCOL: 15,
  SCHEMA: 17,
  TOOBIG: 18,
  CONSTRAINT: 19,
  MISMATCH: 20,
  MISUSE: 21,
  RANGE: 25,
  NOTADB: 26,
} as const;

/** The extended code of a row that is not in an index of its table, or the other way round. */
export const CORRUPT_INDEX = 779;

/** A failure of SQLite. */
export class SqlError extends Error {
  override readonly name = "SqlError";
  /** The primary result code of SQLite. */
  readonly code: number;
  /** The extended result code; undefined if the driver does not tell it. */
  readonly extendedCode: number | undefined;

  constructor(code: number, message: string, options?: ErrorOptions & { readonly extendedCode?: number }) {
    super(message, options);
    this.code = code;
    this.extendedCode = options?.extendedCode;
  }
}
