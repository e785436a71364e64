import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { systemClock, type Clock } from "../../../runtime/clock.js";
import { errorCode } from "../../../runtime/describe-error.js";
import type { SqlDatabase, SqlDriver } from "../driver/sqlite-driver.js";
import { diskShares } from "../file/disk-shares.js";
import type { FileFormat } from "../file/migrations.js";
import { createSpaceReserve } from "../file/space-reserve.js";
import { freeBytesOf } from "../free-bytes.js";
import { openTraceFile, TraceFileError, type TraceFile, type TraceFileEvent } from "../open-trace-file.js";
import type { EngineHost, StorageEngine } from "../thread/storage-engine.js";
import type { StoreBounds } from "./open-store-options.js";
import { isFull } from "./sql-failures.js";
import { createSqliteEngine } from "./sqlite-engine.js";

/** Files of a database: SQLite keeps its write-ahead log beside it. */
const SUFFIXES = ["", "-wal", "-shm"];

/** Options of {@link createStorageEngine}: structured clones, passed to the thread. */
export interface StorageEngineOptions extends StoreBounds {
  /** `trace_store.path`: the directory of the file. */
  readonly directory: string;
  /** `trace_store.commit_interval_ms`. */
  readonly commitIntervalMs: number;
  /** `trace_store.disk_min_free_bytes`: nothing is stored below. */
  readonly minFreeBytes: number;
  /** Default: `node:sqlite` where the runtime has it. */
  readonly driver?: SqlDriver;
  /** See `OpenTraceFileOptions`. */
  readonly isDamageRefused?: boolean;
  /** The thread that had the file open is dead. */
  readonly isOwnThreadDead?: boolean;
}

/** What tests replace. */
export interface StorageEngineEnvironment {
  readonly clock?: Clock;
  readonly freeBytes?: () => number;
  readonly openDatabase?: (path: string) => SqlDatabase;
  /** See `BufferLimit`. */
  readonly usualBufferBytes?: () => number;
  /** See `BackgroundRebuildOptions`. */
  readonly betweenSteps?: () => Promise<void>;
  /** Format of the file, and how older ones are brought to it. Default: that of this version. */
  readonly format?: FileFormat;
}

/**
 * Opens the file of a directory and creates the engine on it.
 *
 * @throws TraceFileError if the file cannot be opened.
 */
export function createStorageEngine(
  options: StorageEngineOptions,
  host: EngineHost,
  {
    clock = systemClock,
    freeBytes,
    openDatabase,
    usualBufferBytes,
    betweenSteps,
    format,
  }: StorageEngineEnvironment = {},
): StorageEngine {
  const { directory, driver, isOwnThreadDead = false, isDamageRefused = false, ...bounds } = options;
  const reserve = createSpaceReserve(directory, diskShares(bounds.diskMaxBytes).reserveBytes);
  const openFile = (isKnownCorrupt: boolean): TraceFile =>
    openTraceFile(directory, {
      createdAtMs: clock.now(),
      isKnownCorrupt,
      isOwnThreadDead,
      isDamageRefused,
      onEvent: (event) => logEvent(event, host),
      ...(driver !== undefined && { driver }),
      ...(openDatabase !== undefined && { openDatabase }),
      ...(format !== undefined && { format }),
    });
  return createSqliteEngine(
    {
      ...bounds,
      clock,
      usualBufferBytes,
      betweenSteps,
      freeBytes: freeBytes ?? (() => freeBytesOf(directory)),
      reserve,
      deleteFile: (path) => {
        for (const suffix of SUFFIXES) rmSync(path + suffix, { force: true });
      },
      openFile({ isKnownCorrupt }) {
        try {
          return openFile(isKnownCorrupt);
        } catch (error) {
          // Even the lock needs some bytes. The collector starts on a full disk, and makes room.
          if (!isForLackOfSpace(error) || !reserve.release()) throw error;
          return openFile(isKnownCorrupt);
        }
      },
    },
    host,
  );
}

/** True for the error of a full disk, of SQLite or of the file system. */
function isForLackOfSpace(error: unknown): boolean {
  const cause = error instanceof TraceFileError ? error.cause : error;
  return isFull(cause) || errorCode(cause) === "ENOSPC";
}

function logEvent(event: TraceFileEvent, host: EngineHost): void {
  const file = dirname(event.path);
  switch (event.type) {
    case "corrupt":
      host.log("error", `The trace store in ${file} was damaged and starts empty: ${event.problem}`, {
        path: event.path,
        kept_as: event.keptAs,
      });
      return;
    case "repaired":
      host.log("warning", `Numbers in the trace store were damaged: ${event.problem}`, { path: event.path });
      return;
    case "migrated":
      host.log("info", `The trace store was updated from version ${event.from} to ${event.to}.`, {
        path: event.path,
      });
      return;
    case "rebuild":
      host.log(
        "warning",
        `The trace store has version ${event.from} and is rebuilt for version ${event.to}.`,
        {
          path: event.path,
        },
      );
  }
}
