import type { TraceFilter } from "../../api-schema/trace.js";
import type { StatsArchive, StoreMaintenance, TraceKey, TraceStore } from "../../interfaces.js";
import type { Logger } from "../../logging/logger.js";
import type { Clock } from "../../runtime/clock.js";
import { createStoreMaintenance } from "./store-maintenance.js";
import { PageReader, type PagesInUse } from "./page-reader.js";
import { Slots } from "./slots.js";
import { ThreadClient } from "./thread-client.js";
import type { StartThread } from "./thread/thread-handle.js";

/** Default of `SqliteTraceStoreOptions.maxSelects`. */
const MAX_SELECTS = 16;

/** Options of {@link createSqliteTraceStore}. */
export interface SqliteTraceStoreOptions {
  readonly startThread: StartThread;
  readonly clock: Pick<Clock, "monotonic">;
  readonly logger: Logger;
  /** Charged with the pages that are being read. Default: they are not counted. */
  readonly pagesInUse?: PagesInUse;
  /** Most bytes on their way to the thread before `append` waits; fewer if it is slow. Default: 64 MiB. */
  readonly maxUnappliedBytes?: number;
  /** Longest time that `stop` waits if it gets no deadline. Default: 5 seconds. */
  readonly stopTimeoutMs?: number;
  /** Traces that may be open for reading at a time. Default: 512. */
  readonly maxReadings?: number;
  /** Selections under way at a time. Default: 16. */
  readonly maxSelects?: number;
}

/** A trace store on disk. */
export interface DurableTraceStore extends TraceStore, StatsArchive {
  readonly maintenance: StoreMaintenance;
}

/**
 * Creates a store that keeps traces in a file. A thread of its own owns the file and answers every question; this side
 * encodes spans and passes questions on.
 */
export function createSqliteTraceStore(options: SqliteTraceStoreOptions): DurableTraceStore {
  const { pagesInUse = { take: () => undefined, release: () => undefined } } = options;
  const client = new ThreadClient(options);
  const reader = new PageReader({ client, pagesInUse, maxReadings: options.maxReadings });
  const selects = new Slots({ max: options.maxSelects ?? MAX_SELECTS, what: "selections" });

  async function* select(filter: TraceFilter, signal?: AbortSignal): AsyncGenerator<readonly TraceKey[]> {
    const leave = await selects.take(signal);
    try {
      const answer = client.ask("openSelect", [filter], { signal });
      const { generation } = client;
      const opened = await answer;
      try {
        for (;;) {
          const keys = await client.ask("selectPage", [opened], { signal, generation });
          if (keys.length === 0) return;
          yield keys;
        }
      } finally {
        client.ask("closeSelect", [opened], { generation }).catch(() => undefined);
      }
    } finally {
      leave();
    }
  }

  return {
    maintenance: createStoreMaintenance(client),
    start: () => client.start(),
    stop: (deadlineMs) => client.stop(deadlineMs),
    append: (spans, appendOptions) => client.append(spans, appendOptions),
    flush: () => client.flush(),

    get: (key, signal) => reader.open(key, signal),
    getSpan: (key, spanId, signal) => reader.span(key, spanId, signal),
    summaries: (keys, signal) => client.ask("summaries", [keys], { signal }),
    tenantsOf: (traceId, signal) => client.ask("tenantsOf", [traceId], { signal }),
    labelsOf: (references, signal) => client.ask("labelsOf", [references], { signal }),
    outputPreviews: (references, signal) => client.ask("outputPreviews", [references], { signal }),

    list: (query, signal) => client.ask("list", [query], { signal }),
    facets: (query, signal) => client.ask("facets", [query], { signal }),
    histogram: (query, signal) => client.ask("histogram", [query], { signal }),
    sessions: (query, signal) => client.ask("sessions", [query], { signal }),
    session: (key, query, signal) => client.ask("session", [key, query], { signal }),
    tenantsOfSession: (sessionId, signal) => client.ask("tenantsOfSession", [sessionId], { signal }),
    groups: (query, signal) => client.ask("groups", [query], { signal }),
    select,
    evaluations: (after, limit) => client.ask("evaluations", [after, limit]),
    putStatsSteps: (steps) => client.ask("putStatsSteps", [steps]),
    statsSteps: (resolutionSeconds, beforeSeconds) =>
      client.ask("statsSteps", [resolutionSeconds, beforeSeconds]),
    remove: (key) => client.ask("remove", [key]),
    clear: () => client.ask("clear", []),

    usage() {
      const { traces, spans, memoryBytes, diskBytes, lateEvaluations, ...rest } = client.usage.total;
      const { pendingBytes, evicted, unsaved, state, reason, oldestAtMs, rebuildProgress } = rest;
      const counts = { traces, spans, memoryBytes, diskBytes, lateEvaluations, evicted, unsaved };
      const usage = {
        ...counts,
        pendingBytes: pendingBytes + client.sentBytes,
        state,
        reason,
        oldestAtMs,
        rebuildProgress,
      };
      const { failure } = client;
      return failure === undefined ? usage : { ...usage, state: "degraded", reason: failure };
    },
  };
}
