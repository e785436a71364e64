import { randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { openSqlite } from "./driver/open-sqlite.js";
import { SQL_CODES, SqlError, type SqlDatabase, type SqlDriver } from "./driver/sqlite-driver.js";
import { COMPANION_SUFFIXES, createTraceFile } from "./file/create-trace-file.js";
import { LockHeldError, takeFileLock, type FileLock } from "./file/file-lock.js";
import { readFileHeader } from "./file/file-header.js";
import { NotAFileError, requireRegularFile } from "./file/regular-file.js";
import { FILE_FORMAT, type FileFormat } from "./file/migrations.js";
import { setAside } from "./file/set-aside.js";
import { RESERVE_NAME } from "./file/space-reserve.js";
import { prepareTraceFile } from "./file/prepare-trace-file.js";
import { readMeta, writeMeta } from "./file/meta.js";
import { checkpointPragma } from "./file/schema.js";
import { TraceFileError } from "./file/trace-file-error.js";
import type { TraceFileEvent } from "./file/trace-file-event.js";

export { TraceFileError } from "./file/trace-file-error.js";
export type { TraceFileEvent } from "./file/trace-file-event.js";

/** The name of the file in its directory. */
export const TRACE_FILE_NAME = "traces.db";
/** The name of the lock in the same directory. */
const LOCK_NAME = "traces.lock";

/** An open trace file. No other process opens it until it is closed. */
export interface TraceFile {
  readonly db: SqlDatabase;
  readonly path: string;
  /** Changes when the sequence numbers of traces change, so that cursors of another store are refused. */
  readonly storeId: string;
  /**
   * Two random integers. Hashes of keys are stable in a file, and nobody who does not have it can provoke collisions.
   */
  readonly hashSeed: Int32Array;
  readonly createdAtMs: number;
  /** The size of a page. */
  readonly pageBytes: number;
  /** The derived tables have to be rebuilt from the chunks. They are empty when the file is opened. */
  readonly needsRebuild: boolean;
  /** Called within the transaction that ends the rebuild. The store gets a new id. */
  markRebuilt(): void;
  readonly isOpen: boolean;
  /**
   * What has the name of the file now: the file itself, nothing, or another file. SQLite goes on writing to a file without a
   * name, which is gone when it is closed.
   */
  atItsPath(): "itself" | "nothing" | "another";
  /**
   * Copies the write-ahead log into the file.
   *
   * @returns false if that is not possible now: in a transaction or during a backup.
   */
  checkpoint(mode: "PASSIVE" | "TRUNCATE"): boolean;
  /**
   * Copies the write-ahead log into the file, and then keeps the bytes of the file as they are: commits go to the log only.
   * Call the result to end that.
   *
   * @throws SqlError BUSY in a transaction.
   */
  holdCheckpoints(): () => void;
  /** Returns free pages to the file system, outside a transaction. Pages from the end of the file take their places. */
  releasePages(pages: number): void;
  /** Changes when pages were moved. */
  readonly pageMoves: number;
  /** Reads bytes of the file past SQLite, without the write-ahead log. @returns how many were read. */
  readRaw(into: Uint8Array, position: number): number;
  /** Writes bytes of the file past SQLite, which may remember others. */
  writeRaw(from: Uint8Array, position: number): void;
  /** Returns when the written bytes are on the disk. */
  syncRaw(): void;
  /** May be called twice. */
  close(): void;
}

/** Options of {@link openTraceFile}. */
export interface OpenTraceFileOptions {
  /** The time of a new file, in the name of a damaged one, and in place of a damaged time. */
  readonly createdAtMs: number;
  /** Default: `node:sqlite` where the runtime has it. */
  readonly driver?: SqlDriver;
  readonly onEvent: (event: TraceFileEvent) => void;
  /** The file turned out to be damaged while it was open: it is set aside. */
  readonly isKnownCorrupt?: boolean;
  /** A damaged file is refused, and stays where it is. Default: it is set aside. */
  readonly isDamageRefused?: boolean;
  /** The thread that had the file open is dead, and this process takes over its lock. */
  readonly isOwnThreadDead?: boolean;
  /** Replaces the drivers, to inject faults. */
  readonly openDatabase?: (path: string) => SqlDatabase;
  readonly format?: FileFormat;
}

/**
 * Opens the trace file of a directory, and creates both if they do not exist. A damaged file is renamed.
 *
 * @throws TraceFileError if the file cannot be used. It is left as it is then.
 */
export function openTraceFile(directory: string, options: OpenTraceFileOptions): TraceFile {
  const path = join(directory, TRACE_FILE_NAME);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const lock = takeLock(path, directory, options);
    try {
      // The WASM driver leaves its lock behind when it is killed. Nobody holds it: this process has the lock above.
      rmSync(`${path}.lock`, { recursive: true, force: true });
      // SQLite would wait for a named pipe.
      for (const suffix of COMPANION_SUFFIXES) requireRegularFile(path + suffix);
      // Bytes would be appended to whatever a link names.
      requireRegularFile(join(directory, RESERVE_NAME));
      return traceFile(path, openDatabase(path, options), lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  } catch (error) {
    throw toTraceFileError(path, error);
  }
}

function takeLock(
  path: string,
  directory: string,
  { isOwnThreadDead = false }: OpenTraceFileOptions,
): FileLock {
  try {
    return takeFileLock(join(directory, LOCK_NAME), { isOwnThreadDead });
  } catch (error) {
    if (error instanceof LockHeldError) throw inUse(path, error.pid, error);
    throw error;
  }
}

/** Opens the file, or an empty one if it is missing or damaged. */
function openDatabase(path: string, options: OpenTraceFileOptions): SqlDatabase {
  const { format = FILE_FORMAT, createdAtMs, driver, onEvent } = options;
  const { openDatabase: open = (name: string) => openSqlite(name, driver) } = options;
  const problem = options.isKnownCorrupt
    ? "It was found damaged while it was open."
    : checkHeader(path, format);
  if (problem === undefined) {
    try {
      return prepare();
    } catch (error) {
      if (!isDamage(error)) throw error;
      startEmpty(error.message);
    }
  } else if (problem !== "") {
    startEmpty(problem);
  } else {
    create();
  }
  return prepare();

  function startEmpty(reason: string): void {
    if (options.isDamageRefused === true)
      throw new TraceFileError("unreadable", `${path} is damaged: ${reason}`);
    const keptAs = setAside(path, createdAtMs);
    create();
    onEvent({ type: "corrupt", path, keptAs, problem: reason });
  }

  function create(): void {
    createTraceFile(path, { createdAtMs, version: format.version, openDatabase: open });
  }

  function prepare(): SqlDatabase {
    chmodSync(path, 0o600);
    const db = open(path);
    try {
      prepareTraceFile(db, path, { format, nowMs: createdAtMs, onEvent });
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  }
}

/**
 * Returns undefined if the file can be opened, "" if there is none, or else what is damaged.
 *
 * @throws TraceFileError if the file belongs to another program or is newer.
 */
function checkHeader(path: string, { version }: FileFormat): string | undefined {
  const header = readFileHeader(path);
  switch (header.type) {
    case "missing":
    case "empty":
      return "";
    case "corrupt":
      return "Its header is damaged.";
    case "foreign":
      throw new TraceFileError("unreadable", `${path} is a database of another program.`);
    case "trace_file":
      if (header.version > version) throw TraceFileError.newer(path, header.version, version);
      return undefined;
  }
}

/** True for an error that the content of the file caused. */
function isDamage(error: unknown): error is SqlError {
  return error instanceof SqlError && (error.code === SQL_CODES.CORRUPT || error.code === SQL_CODES.NOTADB);
}

function inUse(path: string, pid: number | undefined, cause: unknown): TraceFileError {
  const holder = pid === undefined ? "another process" : `process ${pid}`;
  return new TraceFileError(
    "in_use",
    `${path} is in use by ${holder}. Stop it, or set trace_store.path to another directory.`,
    { cause },
  );
}

function toTraceFileError(path: string, error: unknown): unknown {
  if (error instanceof TraceFileError) return error;
  if (error instanceof SqlError && (error.code === SQL_CODES.BUSY || error.code === SQL_CODES.LOCKED))
    return inUse(path, undefined, error);
  if (error instanceof NotAFileError)
    return new TraceFileError(
      "unreadable",
      `${error.path} is not a regular file. Remove it, or set trace_store.path to another directory.`,
      { cause: error },
    );
  const isOfSystem = error instanceof Error && "syscall" in error;
  if (!(error instanceof SqlError) && !isOfSystem) return error;
  return new TraceFileError("unreadable", `${path} cannot be opened: ${error.message}.`, { cause: error });
}

function traceFile(path: string, db: SqlDatabase, lock: FileLock): TraceFile {
  const seed = readMeta(db, "hash_seed") as Uint8Array;
  const view = new DataView(seed.buffer, seed.byteOffset, seed.byteLength);
  const pageBytes = Number(db.prepare("PRAGMA page_size").get()?.["page_size"]);
  let storeId = String(readMeta(db, "store_id"));
  const identity = identityOf(path);
  let isOpen = true;
  let holds = 0;
  let pageMoves = 0;
  let descriptor: number | undefined;
  // Closed with the file, not before: on POSIX, closing any descriptor of a file drops the locks that SQLite holds.
  const raw = (): number => (descriptor ??= openSync(path, "r+"));
  return {
    db,
    path,
    get storeId() {
      return storeId;
    },
    pageBytes,
    hashSeed: Int32Array.of(view.getInt32(0, true), view.getInt32(4, true)),
    createdAtMs: Number(readMeta(db, "created_ms")),
    get needsRebuild() {
      return readMeta(db, "rebuild") === 1;
    },
    markRebuilt() {
      writeMeta(db, "rebuild", 0);
      storeId = randomUUID();
      writeMeta(db, "store_id", storeId);
    },
    get isOpen() {
      return isOpen;
    },
    atItsPath() {
      const now = identityOf(path);
      if (now === "") return "nothing";
      return now === identity || now === undefined ? "itself" : "another";
    },
    checkpoint: (mode) => holds === 0 && checkpoint(db, mode),
    holdCheckpoints() {
      if (holds === 0 && !checkpoint(db, "TRUNCATE"))
        throw new SqlError(SQL_CODES.BUSY, "The write-ahead log cannot be copied in a transaction.");
      holds++;
      db.exec("PRAGMA wal_autocheckpoint = 0");
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        if (--holds === 0 && isOpen) db.exec(checkpointPragma(pageBytes));
      };
    },
    releasePages(pages) {
      pageMoves++;
      db.exec(`PRAGMA incremental_vacuum(${pages})`);
    },
    get pageMoves() {
      return pageMoves;
    },
    readRaw: (into, position) => readSync(raw(), into, 0, into.length, position),
    writeRaw(from, position) {
      for (let at = 0; at < from.length;) at += writeSync(raw(), from, at, from.length - at, position + at);
    },
    syncRaw: () => fdatasyncSync(raw()),
    close() {
      if (!isOpen) return;
      isOpen = false;
      try {
        // SQLite removes the log by its name, which is that of another file if another process has the lock.
        if (!lock.isTakenOver()) db.close();
      } finally {
        if (descriptor !== undefined) closeSync(descriptor);
        lock.release();
      }
    },
  };
}

/** Tells files apart; "" if there is none, undefined if that cannot be found out. */
function identityOf(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? "" : `${stats.dev}:${stats.ino}`;
  } catch {
    return undefined;
  }
}

function checkpoint(db: SqlDatabase, mode: "PASSIVE" | "TRUNCATE"): boolean {
  try {
    return db.prepare(`PRAGMA wal_checkpoint(${mode})`).get()?.["busy"] === 0;
  } catch (error) {
    if (error instanceof SqlError && error.code === SQL_CODES.LOCKED) return false;
    throw error;
  }
}
