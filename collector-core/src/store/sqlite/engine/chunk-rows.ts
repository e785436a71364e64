import type { SqlDatabase, SqlRow, SqlStatement } from "../driver/sqlite-driver.js";
import { encodeChunk } from "../records/chunk-codec.js";
import { checksumOfRow } from "../records/sealed.js";
import type { ClosedChunk } from "./chunk-writer.js";
import { prepareAll } from "./trace-tables.js";

/** The numbers of a chunk. They have a checksum of their own: its data has another one, and is not read with them. */
export interface ChunkNumbers {
  readonly id: number;
  /** Live traces with spans in it. */
  readonly traces: number;
  readonly spans: number;
  readonly rawBytes: number;
  /** Store time of its last record. */
  readonly lastMs: number;
  /** The newest trace when it was closed. */
  readonly lastSequence: number;
}

/** The columns of {@link ChunkNumbers}, with their checksum. */
export const CHUNK_NUMBERS = "id, traces, spans, raw_bytes, last_ms, last_seq, row_checksum";

const SQL = {
  read: `SELECT ${CHUNK_NUMBERS} FROM chunk WHERE id = ?`,
  insert:
    "INSERT INTO chunk (id, traces, spans, raw_bytes, last_ms, last_seq, row_checksum, codec, checksum, data) " +
    "VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL)",
  setNumbers:
    "UPDATE chunk SET traces = ?2, spans = ?3, raw_bytes = ?4, last_ms = ?5, last_seq = ?6, row_checksum = ?7 WHERE id = ?1",
  setTraces: "UPDATE chunk SET traces = ?2, row_checksum = ?3 WHERE id = ?1",
  setAll:
    "UPDATE chunk SET traces = ?2, spans = ?3, raw_bytes = ?4, last_ms = ?5, last_seq = ?6, row_checksum = ?7, " +
    "codec = ?8, checksum = ?9, data = ?10 WHERE id = ?1",
  rewrite:
    "UPDATE chunk SET raw_bytes = ?2, row_checksum = ?3, codec = ?4, checksum = ?5, data = ?6 WHERE id = ?1",
  insertAll:
    "INSERT INTO chunk (id, traces, spans, raw_bytes, last_ms, last_seq, row_checksum, codec, checksum, data) " +
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
  unused: "SELECT id FROM chunk WHERE traces <= 0",
  remove: "DELETE FROM chunk WHERE id = ?",
} as const;

/** Options of {@link ChunkRows}. */
export interface ChunkRowsOptions {
  readonly db: SqlDatabase;
  /**
   * Computes the numbers of a chunk again, because they are damaged. Everything that the chunk counts must be flushed.
   *
   * @param damaged - what the row has.
   */
  readonly repair: (damaged: ChunkNumbers) => ChunkNumbers;
}

/** The rows of the table `chunk`. */
export class ChunkRows {
  readonly #statements: Readonly<Record<keyof typeof SQL, SqlStatement>>;
  readonly #repair: ChunkRowsOptions["repair"];

  constructor({ db, repair }: ChunkRowsOptions) {
    this.#statements = prepareAll(db, SQL);
    this.#repair = repair;
  }

  /** Adds the row of a chunk that is not closed, unless it is there. */
  open(id: number): void {
    const { read, insert } = this.#statements;
    if (read.get(id) !== undefined) return;
    insert.run(...toRow({ id, traces: 0, spans: 0, rawBytes: 0, lastMs: 0, lastSequence: 0 }));
  }

  /** Writes a closed chunk, and adds to the number of its live traces. */
  put({ id, raw, encoded, spans, lastMs, lastSequence }: ClosedChunk, delta: number): void {
    const { read, setAll, insertAll } = this.#statements;
    const { codec, checksum, data } = encoded;
    const row = read.get(id);
    const known = row && numbersIn(row);
    // The checksum of a damaged row stays wrong, so that the count is repaired with its next change.
    const traces = (known?.traces ?? 0) + delta;
    const numbers = { id, traces, spans, rawBytes: raw.length, lastMs, lastSequence };
    const sound = checksumOfChunk(numbers);
    const isSound = row === undefined || hasSoundChunkNumbers(row);
    const statement = row === undefined ? insertAll : setAll;
    statement.run(...valuesOf(numbers), isSound ? sound : ~sound, codec, checksum, data);
  }

  /** Replaces the records of a closed chunk. */
  rewrite(id: number, raw: Buffer): void {
    const { read, rewrite } = this.#statements;
    const row = read.get(id);
    if (row === undefined) return;
    const { codec, checksum, data } = encodeChunk(raw);
    const sound = checksumOfChunk({ ...numbersIn(row), rawBytes: raw.length });
    rewrite.run(id, raw.length, hasSoundChunkNumbers(row) ? sound : ~sound, codec, checksum, data);
  }

  /** Adds to the number of live traces. */
  addTraces(id: number, delta: number): void {
    const { read, setTraces, setNumbers } = this.#statements;
    const row = read.get(id);
    if (row === undefined) return;
    const numbers = numbersIn(row);
    if (!hasSoundChunkNumbers(row)) setNumbers.run(...toRow(this.#repair(numbers)));
    else if (delta !== 0) {
      const traces = numbers.traces + delta;
      setTraces.run(id, traces, checksumOfChunk({ ...numbers, traces }));
    }
  }

  /** Sets the newest trace of the time when a chunk was closed. */
  setLastSequence(id: number, lastSequence: number): void {
    const { read, setNumbers } = this.#statements;
    const row = read.get(id);
    if (row === undefined || row["last_seq"] === lastSequence || !hasSoundChunkNumbers(row)) return;
    setNumbers.run(...toRow({ ...numbersIn(row), lastSequence }));
  }

  /** True if no live trace has spans in a chunk. Everything must be flushed. */
  isUnused(id: number): boolean {
    const { read, setNumbers } = this.#statements;
    const row = read.get(id);
    if (row === undefined) return false;
    let numbers = numbersIn(row);
    if (numbers.traces > 0) return false;
    if (!hasSoundChunkNumbers(row)) {
      numbers = this.#repair(numbers);
      setNumbers.run(...toRow(numbers));
    }
    return numbers.traces <= 0;
  }

  /** The chunks without a live trace. */
  unused(): number[] {
    return this.#statements.unused.all().map(({ id }) => Number(id));
  }

  remove(id: number): void {
    this.#statements.remove.run(id);
  }
}

/** True if the numbers of a row are what was written. Rows of version 3 have no checksum of them. */
export function hasSoundChunkNumbers(row: SqlRow): boolean {
  const { row_checksum: checksum = null } = row;
  return checksum === null || checksum === checksumOfChunk(numbersIn(row));
}

function numbersIn(row: SqlRow): ChunkNumbers {
  return {
    id: Number(row["id"]),
    traces: Number(row["traces"]),
    spans: Number(row["spans"]),
    rawBytes: Number(row["raw_bytes"]),
    lastMs: Number(row["last_ms"]),
    lastSequence: Number(row["last_seq"]),
  };
}

function valuesOf({ id, traces, spans, rawBytes, lastMs, lastSequence }: ChunkNumbers) {
  return [id, traces, spans, rawBytes, lastMs, lastSequence] as const;
}

/** The numbers with their checksum. */
function toRow(numbers: ChunkNumbers) {
  return [...valuesOf(numbers), checksumOfChunk(numbers)] as const;
}

/** An integer with a sign, which SQLite keeps in four bytes: a row that keeps its length is changed in place. */
function checksumOfChunk(numbers: ChunkNumbers): number {
  return checksumOfRow(valuesOf(numbers)) | 0;
}
