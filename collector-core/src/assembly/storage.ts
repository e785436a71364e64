import type { OptionKey } from "../config/options.js";
import type {
  IngestQueue,
  SharedStatsArchive,
  StatsArchive,
  StoreMaintenance,
  TraceKey,
  TraceStore,
} from "../interfaces.js";
import type { Saving } from "../queue/redis/acknowledger.js";
import { createQueue, isPlainText } from "./queue.js";
import { createFallbackTraceStore } from "../store/fallback-trace-store.js";
import { createMemoryTraceStore } from "../store/memory/memory-trace-store.js";
import { createSqliteTraceStore, type DurableTraceStore } from "../store/sqlite/sqlite-trace-store.js";
import { workerThread } from "../store/sqlite/worker-thread.js";
import type { StorageEngineOptions } from "../store/sqlite/engine/create-storage-engine.js";
import type { ViewFile } from "../query/saved-views.js";
import type { SharedTraceStore } from "../store/clickhouse/clickhouse-trace-store.js";
import type { StoreLimits } from "../query/store-info.js";
import type { Foundation } from "./foundation.js";
import type { Shared } from "./shared.js";

/** The ingestion queue and the trace store. */
export interface Storage {
  readonly queue: IngestQueue;
  /** Undefined if `trace_store.enabled` is false. */
  readonly store: TraceStore | undefined;
  /** How processed spans are saved; undefined without a store. */
  readonly saving: Saving | undefined;
  /** Where statistics outlive the process; undefined if nothing does. */
  readonly statsArchive: () => StatsArchive | undefined;
  /** The same archive, if collectors share it. */
  readonly sharedStats: SharedStatsArchive | undefined;
  /** The limit of traces that holds; null if only the size of the file limits them. */
  readonly maxTraces: () => number | null;
  /** Looks after the file of the store; undefined while traces are in memory only. */
  readonly maintenance: () => StoreMaintenance | undefined;
  /** Calls the listener with traces that a shared store answers from now on: some time after it was given their spans. */
  readonly onWritten: (listener: OnWritten) => void;
  /** Saved views that collectors share; undefined if each has its own. */
  readonly sharedViews: ViewFile | undefined;
  /** What bounds a store on disk. */
  readonly limits: () => StoreLimits;
}

type OnWritten = (keys: readonly TraceKey[]) => void;

/**
 * Largest chunk of the trace file, in units of `limits.max_body_bytes`: a batch as long as an import can make it. A line is up to
 * four times as long as a body, and its spans as JSON four times as long as the line.
 */
const CHUNK_SIZE_FACTOR = 16;
/** The limit of bodies may have been higher when a chunk was written. */
const MIN_CHUNK_LIMIT_BYTES = 64 * 2 ** 20;

/** Value of `trace_store.path` that keeps traces in memory where the default is a directory. */
const IN_MEMORY = "none";

export async function createStorage(foundation: Foundation, shared: Shared | undefined): Promise<Storage> {
  let onWritten: OnWritten = () => undefined;
  const { store, durable, written, sharedViews, sharedStats } = await createStores(
    foundation,
    shared,
    (keys) => onWritten(keys),
  );
  const { config } = foundation;
  const isOnDisk = (): boolean => store?.usage().diskBytes !== null;
  const isShared = isStoreShared(config);
  const maxTraces = (): number | null =>
    isShared || (isOnDisk() && !isSetByUser(foundation, "limits.max_traces"))
      ? null
      : config["limits.max_traces"];
  const saving = store && savingOf(store, written, config);
  return {
    queue: await createQueue(foundation, saving),
    store,
    saving,
    statsArchive: () => sharedStats ?? (isOnDisk() ? durable : undefined),
    maxTraces,
    sharedViews,
    sharedStats,
    onWritten: (listener) => void (onWritten = listener),
    maintenance: () => (isOnDisk() ? durable?.maintenance : undefined),
    limits: () => ({
      disk_max_bytes: config["trace_store.disk_max_bytes"],
      disk_min_free_bytes: config["trace_store.disk_min_free_bytes"],
      ttl_seconds: config["trace_store.ttl_seconds"],
      max_traces: maxTraces(),
    }),
  };
}

/** What limits the size of a store on disk. The default is for a file, and none for ClickHouse; null then. */
export function diskMaxBytes(foundation: Foundation): number | null {
  const isLimited =
    !isStoreShared(foundation.config) || isSetByUser(foundation, "trace_store.disk_max_bytes");
  return isLimited ? foundation.config["trace_store.disk_max_bytes"] : null;
}

interface Stores {
  readonly store?: TraceStore;
  /** The store on disk, which the other one uses or has replaced. */
  readonly durable?: DurableTraceStore;
  readonly written?: () => Promise<void>;
  readonly sharedViews?: ViewFile;
  readonly sharedStats?: SharedStatsArchive;
}

/** True if other collectors keep their traces in the same store. */
export function isStoreShared(config: Foundation["config"]): boolean {
  return config["trace_store.url"] !== undefined;
}

/** Spans of a shared queue are acknowledged when the store has them. */
function savingOf(store: TraceStore, written: Stores["written"], config: Foundation["config"]): Saving {
  // That store gathers them itself.
  if (written !== undefined) return { save: written, everyMs: 0, isShared: true };
  const everyMs = store.usage().diskBytes === null ? 0 : config["trace_store.commit_interval_ms"];
  return { save: () => store.flush(), everyMs, isShared: false };
}

async function createStores(
  foundation: Foundation,
  shared: Shared | undefined,
  onWritten: OnWritten,
): Promise<Stores> {
  const { config, logger } = foundation;
  if (!config["trace_store.enabled"]) return {};
  const url = config["trace_store.url"];
  if (url !== undefined) {
    const store = await createSharedStore(foundation, url, shared, onWritten);
    const { views, stats } = store;
    return { store, written: () => store.written(), sharedViews: views, sharedStats: stats };
  }
  const directory = directoryOf(config);
  if (directory === undefined) return { store: createMemoryStore(foundation) };
  const durable = createDurableStore(foundation, directory);
  if (isSetByUser(foundation, "trace_store.path")) return { store: durable, durable };
  const store = createFallbackTraceStore({
    durable,
    createMemoryStore: () => createMemoryStore(foundation),
    logger: logger.child("store"),
  });
  return { store, durable };
}

/** The directory of the trace file; undefined if traces are kept in memory. */
function directoryOf(config: Foundation["config"]): string | undefined {
  const path = config["trace_store.path"];
  return path === IN_MEMORY ? undefined : path;
}

async function createSharedStore(
  foundation: Foundation,
  url: string,
  shared: Shared | undefined,
  onWritten: OnWritten,
): Promise<SharedTraceStore> {
  const { config, clock, logger, budget } = foundation;
  const log = logger.child("store");
  if (isPlainText(url, "https:"))
    log.warning(
      `Spans and the password go to ClickHouse at ${new URL(url).hostname} in plain text: use https:// in trace_store.url unless the network is trusted.`,
    );
  // Most collectors never load the client.
  const { createClickHouseTraceStore } = await import("../store/clickhouse/clickhouse-trace-store.js");
  return createClickHouseTraceStore({
    url,
    user: config["trace_store.user"],
    password: config["trace_store.password"] ?? "",
    database: config["trace_store.database"],
    textIndex: config["trace_store.text_index"],
    ttlSeconds: config["trace_store.ttl_seconds"],
    maxSpansPerTrace: config["trace_store.max_spans_per_trace"],
    maxDiskBytes: diskMaxBytes(foundation) ?? undefined,
    pagesInUse: budget.account("evicted_traces"),
    deletions: shared?.deletions,
    onWritten,
    clock,
    logger: log,
  });
}

function createMemoryStore({ config, clock, budget }: Foundation): TraceStore {
  return createMemoryTraceStore({
    maxTraces: config["limits.max_traces"],
    maxSpansPerTrace: config["trace_store.max_spans_per_trace"],
    ttlSeconds: config["trace_store.ttl_seconds"],
    maxBytes: config["trace_store.max_bytes"],
    evictedInUse: budget.account("evicted_traces"),
    listsInUse: budget.account("answers"),
    clock,
  });
}

function isSetByUser({ loaded }: Foundation, key: OptionKey): boolean {
  return loaded.sources[key] !== "default";
}

function createDurableStore(foundation: Foundation, directory: string): DurableTraceStore {
  const { config, clock, logger, budget, startStorageThread = workerThread } = foundation;
  // The default bounds memory. On disk only the size of the file bounds the number of traces, unless the user sets one.
  const isLimited = isSetByUser(foundation, "limits.max_traces");
  const options: StorageEngineOptions = {
    directory,
    maxTraces: isLimited ? config["limits.max_traces"] : Number.POSITIVE_INFINITY,
    maxSpansPerTrace: config["trace_store.max_spans_per_trace"],
    ttlSeconds: config["trace_store.ttl_seconds"],
    maxBufferBytes: Math.floor(config["trace_store.max_bytes"] / 4),
    maxChunkBytes: Math.max(MIN_CHUNK_LIMIT_BYTES, config["limits.max_body_bytes"] * CHUNK_SIZE_FACTOR),
    diskMaxBytes: config["trace_store.disk_max_bytes"],
    minFreeBytes: config["trace_store.disk_min_free_bytes"],
    commitIntervalMs: config["trace_store.commit_interval_ms"],
  };
  return createSqliteTraceStore({
    startThread: startStorageThread(options),
    clock,
    logger: logger.child("store"),
    pagesInUse: budget.account("evicted_traces"),
  });
}
