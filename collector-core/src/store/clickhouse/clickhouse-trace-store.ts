import { setImmediate as nextTurn } from "node:timers/promises";
import type {
  DeletedTraces,
  SharedDeletions,
  SharedStatsArchive,
  TraceKey,
  TraceStore,
  TraceStoreUsage,
} from "../../interfaces.js";
import type { Logger } from "../../logging/logger.js";
import type { Clock } from "../../runtime/clock.js";
import { counted } from "../../runtime/counted.js";
import { errorMessage } from "../../runtime/describe-error.js";
import { NoAnswer, within } from "../../runtime/within.js";
import { traceKeyText } from "../../span/trace-key-text.js";
import { storeUnavailable } from "../store-unavailable.js";
import { openDatabase, type DatabaseOptions } from "./database.js";
import { migrate, SchemaError } from "./migrations.js";
import type { SchemaOptions } from "./schema.js";
import { SizeLimit } from "./size-limit.js";
import { isSameFailure } from "./same-failure.js";
import { SessionQueries } from "./session-queries.js";
import { SpanWriter } from "./span-writer.js";
import { StatsSteps } from "./stats-steps.js";
import { StoreCounts } from "./store-counts.js";
import { keyOf, keysParameter, KEYS_PER_DELETE, OF_KEYS, type KeyColumns } from "./trace-keys.js";
import { TraceFigures } from "./trace-figures.js";
import { TraceLists } from "./trace-lists.js";
import { TraceMatching } from "./trace-matching.js";
import { TraceReader, type PagesInUse } from "./trace-reader.js";
import { TraceSums } from "./trace-sums.js";

/** Options of {@link createClickHouseTraceStore}. */
export interface ClickHouseTraceStoreOptions extends Omit<DatabaseOptions, "database">, SchemaOptions {
  /** `trace_store.database`. */
  readonly database: string;
  /** `trace_store.max_spans_per_trace`. */
  readonly maxSpansPerTrace: number;
  readonly clock: Clock;
  readonly logger: Pick<Logger, "info" | "warning" | "error">;
  /** Called with the traces whose spans were written: queries see them from now on. */
  readonly onWritten: (keys: readonly TraceKey[]) => void;
  /** Deletions of all collectors. Default: no other collector writes. */
  readonly deletions?: Pick<SharedDeletions, "add" | "look" | "lastOf"> | undefined;
  /** Charged with the spans that are being read. */
  readonly pagesInUse: PagesInUse;
  /** `trace_store.disk_max_bytes`; undefined if nothing limits the tables. */
  readonly maxDiskBytes?: number | undefined;
  /** How often their size is looked at. Default: every minute. */
  readonly checkSizeEveryMs?: number | undefined;
  /** Bytes of spans that a question about an attribute parses. Default: 256 MiB. */
  readonly maxReadBytes?: number | undefined;
}

/** A trace store that collectors share, with what else they share. */
export interface SharedTraceStore extends TraceStore {
  /** Counts what the store has, for `usage()`, which otherwise tells the counts of the last 15 seconds. */
  count(): Promise<void>;
  /** Resolves when what was appended is written: with what comes within a second, where {@link flush} does not wait for more. */
  written(): Promise<void>;
  /** The text of the saved views. */
  readonly views: {
    read(): Promise<string | undefined>;
    write(text: string): Promise<void>;
  };
  readonly stats: SharedStatsArchive;
}

/** When ClickHouse is asked again while the tables cannot be made, later each time. */
const RETRY_MS = { first: 2000, longest: 30_000 } as const;
/** How long a deletion waits for spans that are not written. */
const WRITTEN_WITHIN_MS = 10_000;
/** How long the last spans may take to be written, unless the caller says. */
const STOP_MS = 10_000;

/**
 * Creates a store that several collectors share: ClickHouse. A collector keeps nothing of its own but the spans that it has not written,
 * which wait in the queue too.
 */
export function createClickHouseTraceStore(options: ClickHouseTraceStoreOptions): SharedTraceStore {
  const { clock, logger, database: name } = options;
  const database = openDatabase(options);
  // Slow questions may take all connections of the other one.
  const writing = openDatabase(options);
  const sums = new TraceSums({ ...options, database: writing });
  const writer = new SpanWriter({ ...options, database: writing, sums, log: logger });
  const reader = new TraceReader({ ...options, database });
  const counts = new StoreCounts({ ...options, database });
  const { host } = new URL(options.url);
  const sizeLimit = new SizeLimit({
    ...options,
    database,
    maxBytes: options.maxDiskBytes,
    log: logger,
    onRemoved: () => counts.refreshSoon(),
  });
  let storeId: string | undefined;
  /** Why the tables cannot be made; null if they can. */
  let unusable: string | null = null;
  let preparing: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isStopped = false;
  let cleared = 0;
  const matching = new TraceMatching({ ...options, database });
  const lists = new TraceLists({ ...options, database, reader, storeId: () => storeId, matching });
  const figures = new TraceFigures({ ...options, database, matching });
  const sessions = new SessionQueries({ ...options, database, reader, storeId: () => storeId, matching });

  /** Makes the tables. @throws if that has no use at another time. */
  async function prepare(waitMs: number = RETRY_MS.first): Promise<void> {
    const server = openDatabase({ ...options, database: undefined });
    try {
      const migration = await migrate({ server, database, name }, options);
      ({ storeId } = migration);
      unusable = null;
      if (migration.hasOtherTextIndex)
        logger.warning(
          `The tables in ClickHouse have ${options.textIndex === "none" ? "an" : "no"} index of texts, unlike trace_store.text_index: obspan store migrate changes it.`,
        );
    } catch (error) {
      const before = unusable;
      unusable = errorMessage(error);
      if (error instanceof SchemaError) throw error;
      if (before === null || !isSameFailure(before, unusable))
        logger.warning(
          `ClickHouse at ${host} cannot be used (${unusable}). Accepted spans wait in the queue until it can.`,
        );
      const next = Math.min(waitMs * 2, RETRY_MS.longest);
      if (!isStopped) retry = setTimeout(() => void prepare(next).catch(fail), waitMs).unref();
      return;
    } finally {
      await server.close();
    }
    logger.info(`Traces are kept in ClickHouse at ${host}, database ${name}.`);
    counts.refreshSoon();
    sizeLimit.start();
  }

  function fail(error: unknown): void {
    logger.error(errorMessage(error));
  }

  /** Why spans cannot be kept now; null if they can. */
  function reasonNow(): string | null {
    if (unusable !== null) return `ClickHouse cannot be used: ${unusable}`;
    return writer.failure === null ? null : `ClickHouse takes no spans: ${writer.failure}`;
  }

  /** Writes what was appended: what is removed must not come back. @throws `ApiError` `trace_store_unavailable` */
  async function flushed(): Promise<void> {
    try {
      await within(WRITTEN_WITHIN_MS, writer.flush());
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      throw storeUnavailable("ClickHouse takes no spans. Nothing was deleted.");
    }
  }

  /**
   * Removes traces from both tables. The other collectors are told before: what they write meanwhile they remove themselves. They are told
   * again after it, since what arrived meanwhile may be removed too.
   */
  async function removeFromTables(
    deleted: readonly DeletedTraces[],
    removeFrom: (table: "spans" | "traces") => Promise<void>,
  ): Promise<void> {
    await options.deletions?.add(deleted);
    await removeFrom("spans");
    await removeFrom("traces");
    await options.deletions?.add(deleted);
  }

  let removing: { readonly keys: TraceKey[]; readonly found: Promise<ReadonlySet<string>> } | undefined;

  /** Removes traces that are given in the same turn together: a deletion rewrites parts of the tables. Resolves with those that were there. */
  function removeTogether(key: TraceKey): Promise<ReadonlySet<string>> {
    if (removing === undefined) {
      const keys: TraceKey[] = [];
      const found = nextTurn().then(() => {
        removing = undefined;
        return removeAll(keys);
      });
      removing = { keys, found };
    }
    removing.keys.push(key);
    return removing.found;
  }

  async function removeAll(keys: readonly TraceKey[]): Promise<ReadonlySet<string>> {
    await flushed();
    const rows = await database.rows<KeyColumns>(
      `SELECT DISTINCT tenant, trace_id FROM traces WHERE ${OF_KEYS}`,
      { keys: keysParameter(keys) },
    );
    const found = rows.map(keyOf);
    if (found.length === 0) return new Set();
    for (let from = 0; from < found.length; from += KEYS_PER_DELETE) {
      const some = found.slice(from, from + KEYS_PER_DELETE);
      const parameters = { keys: keysParameter(some) };
      await removeFromTables(some, (table) =>
        database.run(`DELETE FROM ${table} WHERE ${OF_KEYS}`, parameters),
      );
    }
    cleared += found.length;
    counts.refreshSoon();
    return new Set(found.map(traceKeyText));
  }

  return {
    start: () => (preparing ??= prepare()),
    async stop(deadlineMs = clock.monotonic() + STOP_MS) {
      if (isStopped) return;
      isStopped = true;
      clearTimeout(retry);
      sizeLimit.stop();
      const lost = await writer.stop(deadlineMs);
      if (lost > 0)
        logger.warning(
          `${counted(lost, "span")} could not be written to ClickHouse. What waits in the queue is processed by another collector.`,
        );
      await Promise.all([database.close(), writing.close()]);
    },

    append: (spans, appendOptions = {}) => writer.append(spans, appendOptions),
    flush: () => writer.flush(),
    written: () => writer.written(),
    count: () => counts.refresh(),

    get: (key, signal) => reader.get(key, signal),
    getEach: (keys, signal) => reader.getEach(keys, signal),
    summaries: (keys, signal) => reader.summaries(keys, signal),
    tenantsOf: (traceId, signal) => reader.tenantsOf(traceId, signal),
    getSpan: (key, spanId, signal) => reader.span(key, spanId, signal),
    labelsOf: (references, signal) => reader.labelsOf(references, signal),
    outputPreviews: (references, signal) => reader.outputPreviews(references, signal),
    list: (query, signal) => lists.list(query, signal),
    select: (filter, signal) => lists.select(filter, signal),
    facets: (query, signal) => figures.facets(query, signal),
    histogram: (query, signal) => figures.histogram(query, signal),
    groups: (query, signal) => figures.groups(query, signal),
    sessions: (query, signal) => sessions.list(query, signal),
    session: (key, query, signal) => sessions.session(key, query, signal),
    tenantsOfSession: (sessionId, signal) => sessions.tenantsOf(sessionId, signal),
    evaluations: (after, limit) => reader.evaluations(after, limit),

    async remove(key) {
      return (await removeTogether(key)).has(traceKeyText(key));
    },

    async removeTenant(tenant) {
      await flushed();
      const [row] = await database.rows<{ traces: number }>(
        "SELECT uniqExact(trace_id) AS traces FROM traces WHERE tenant = {tenant:String}",
        { tenant },
      );
      await removeFromTables([{ tenant }], (table) =>
        database.run(`DELETE FROM ${table} WHERE tenant = {tenant:String}`, { tenant }),
      );
      cleared += row?.traces ?? 0;
      counts.refreshSoon();
    },

    async clear() {
      await flushed();
      await counts.refresh();
      const { traces } = counts.current;
      // ClickHouse keeps a table of more than 50 GB, unless it is told otherwise.
      await removeFromTables([{}], (table) =>
        database.run(`TRUNCATE TABLE ${table} SETTINGS max_table_size_to_drop = 0`),
      );
      cleared += traces;
      counts.refreshSoon();
      return traces;
    },

    views: {
      async read() {
        const [row] = await database.rows<{ json: string }>("SELECT json FROM views FINAL WHERE id = 0");
        return row?.json;
      },
      async write(json) {
        const [row] = await database.rows<{ version: number }>("SELECT max(version) AS version FROM views");
        // The clock of another collector may be ahead.
        const version = Math.max(clock.now(), (row?.version ?? 0) + 1);
        await database.insert("views", [{ id: 0, version, json }]);
      },
    },

    stats: new StatsSteps({ database, writing }),

    usage(): TraceStoreUsage {
      const { pendingBytes, refused } = writer;
      const reason = reasonNow();
      return {
        ...counts.current,
        memoryBytes: pendingBytes,
        pendingBytes,
        lateEvaluations: 0,
        evicted: {
          max_traces: 0,
          max_bytes: 0,
          disk_max_bytes: sizeLimit.removed,
          ttl: 0,
          pruned: 0,
          span_cap: 0,
          cleared,
        },
        unsaved: { disk_full: 0, io_error: refused, thread_died: 0, corrupt_chunk: 0, file_gone: 0 },
        state: reason === null ? "ok" : "degraded",
        reason,
        rebuildProgress: null,
      };
    },
  };
}
