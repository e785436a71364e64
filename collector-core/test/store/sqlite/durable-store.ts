import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TraceStore } from "../../../src/interfaces.js";
import { createLogger, type Logger } from "../../../src/logging/logger.js";
import { openSqlite } from "../../../src/store/sqlite/driver/open-sqlite.js";
import type { SqlDatabase } from "../../../src/store/sqlite/driver/sqlite-driver.js";
import {
  createStorageEngine,
  type StorageEngineEnvironment,
  type StorageEngineOptions,
} from "../../../src/store/sqlite/engine/create-storage-engine.js";
import { createTraceFile } from "../../../src/store/sqlite/file/create-trace-file.js";
import { FILE_FORMAT } from "../../../src/store/sqlite/file/migrations.js";
import { TRACE_FILE_NAME } from "../../../src/store/sqlite/open-trace-file.js";
import { createSqliteTraceStore } from "../../../src/store/sqlite/sqlite-trace-store.js";
import type { StorageEngine } from "../../../src/store/sqlite/thread/storage-engine.js";
import { FakeClock } from "../span-batches.js";
import { inlineThread } from "./inline-thread.js";

/** Options of a durable store of a test. */
export interface DurableStoreOptions
  extends Partial<Omit<StorageEngineOptions, "directory">>, Omit<StorageEngineEnvironment, "clock"> {
  readonly clock?: FakeClock;
  readonly directory?: string;
  readonly logger?: Logger;
  /** Only the test ticks. Default: timers tick too, as in the thread. */
  readonly isTickedByTest?: boolean;
}

/** A durable store in a directory of its own, on the thread of the test. */
export interface DurableStore {
  readonly store: TraceStore;
  readonly engine: StorageEngine;
  readonly clock: FakeClock;
  readonly directory: string;
  /** The file of traces. */
  readonly path: string;
  /** Stops the store, and opens the file again. */
  reopen(): Promise<TraceStore>;
  /** Resolves when no rebuild is under way. */
  rebuilt(): Promise<void>;
  /** Stops the store and removes its directory. */
  close(): Promise<void>;
}

/** Opens SQLite without waiting for the disk: a test loses no power. */
export function openWithoutSync(path: string): SqlDatabase {
  const db = openSqlite(path);
  const unsynced: SqlDatabase = {
    driver: db.driver,
    exec: (sql) => {
      db.exec(sql);
      if (sql.includes("synchronous")) db.exec("PRAGMA synchronous = OFF");
    },
    prepare: (sql) => db.prepare(sql),
    close: () => db.close(),
  };
  return unsynced;
}

/** An empty file. Tests begin with a copy, which takes a third of the time of a new file. */
let emptyFile: Buffer | undefined;
function newDirectory({ wallMs }: FakeClock): string {
  const directory = mkdtempSync(join(tmpdir(), "obspan-store-"));
  const path = join(directory, TRACE_FILE_NAME);
  if (emptyFile === undefined) {
    createTraceFile(path, {
      createdAtMs: wallMs,
      version: FILE_FORMAT.version,
      openDatabase: openWithoutSync,
    });
    emptyFile = readFileSync(path);
  } else writeFileSync(path, emptyFile, { mode: 0o600 });
  return directory;
}

/** Opens an empty store, or the one of a directory. */
export async function openDurableStore(options: DurableStoreOptions = {}): Promise<DurableStore> {
  const {
    clock = new FakeClock(),
    directory = newDirectory(clock),
    logger = createLogger({ level: "ERROR", structured: false }),
    openDatabase = openWithoutSync,
    freeBytes = () => Infinity,
    isTickedByTest = false,
    ...engineOptions
  } = options;
  let engine: StorageEngine | undefined;
  const open = async (isOwnThreadDead: boolean): Promise<TraceStore> => {
    const store = createSqliteTraceStore({
      clock,
      logger,
      startThread: inlineThread((host) => {
        engine = createStorageEngine(
          {
            directory,
            maxTraces: Number.POSITIVE_INFINITY,
            maxSpansPerTrace: 500,
            ttlSeconds: 0,
            diskMaxBytes: 2 ** 40,
            maxBufferBytes: 2 ** 28,
            minFreeBytes: 0,
            commitIntervalMs: 200,
            isOwnThreadDead,
            ...engineOptions,
          },
          host,
          { ...options, clock, freeBytes, openDatabase },
        );
        return isTickedByTest ? withoutTicks(engine) : engine;
      }, clock),
    });
    await store.start();
    return {
      ...store,
      async append(...args) {
        await store.append(...args);
        // Spans wait up to 20 ms for others. A question sends them now, before the test advances its clock.
        await store.summaries([]);
      },
    };
  };
  let store = await open(false);
  return {
    get store() {
      return store;
    },
    get engine() {
      if (engine === undefined) throw new Error("The thread has not started.");
      return engine;
    },
    clock,
    directory,
    path: join(directory, "traces.db"),
    async reopen() {
      await store.stop();
      return (store = await open(false));
    },
    async rebuilt() {
      while (store.usage().rebuildProgress !== null) await store.summaries([]);
    },
    async close() {
      await store.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The engine without the ticks of timers, of which a busy machine may have many within one step of a test. */
function withoutTicks(engine: StorageEngine): StorageEngine {
  return {
    commands: engine.commands,
    append: (records) => engine.append(records),
    isBusy: false,
    usage: () => engine.usage(),
    tick: () => undefined,
    close: () => engine.close(),
  };
}
