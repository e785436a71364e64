import type { TraceStore } from "../interfaces.js";
import type { Logger } from "../logging/logger.js";
import { errorMessage } from "../runtime/describe-error.js";

/** Options of {@link createFallbackTraceStore}. */
export interface FallbackTraceStoreOptions {
  readonly durable: TraceStore;
  readonly createMemoryStore: () => TraceStore;
  readonly logger: Logger;
}

/**
 * Creates a store that keeps traces in memory if the durable one cannot start. For a directory that nobody has asked for: a
 * second collector of the same user works, and says what is missing.
 */
export function createFallbackTraceStore(options: FallbackTraceStoreOptions): TraceStore {
  const { durable, createMemoryStore, logger } = options;
  let current = durable;
  let reason: string | undefined;

  return {
    async start() {
      try {
        await current.start();
      } catch (error) {
        if (current !== durable) throw error;
        // Without the stack: the app shows the reason.
        reason = `Traces are kept in memory only. ${errorMessage(error)}`;
        logger.warning(reason);
        await durable.stop();
        current = createMemoryStore();
        await current.start();
      }
    },
    stop: (deadlineMs) => current.stop(deadlineMs),
    append: (spans, appendOptions) => current.append(spans, appendOptions),
    flush: () => current.flush(),
    get: (key, signal) => current.get(key, signal),
    summaries: (keys, signal) => current.summaries(keys, signal),
    tenantsOf: (traceId, signal) => current.tenantsOf(traceId, signal),
    getSpan: (key, spanId, signal) => current.getSpan(key, spanId, signal),
    labelsOf: (references, signal) => current.labelsOf(references, signal),
    outputPreviews: (references, signal) => current.outputPreviews(references, signal),
    list: (query, signal) => current.list(query, signal),
    facets: (query, signal) => current.facets(query, signal),
    histogram: (query, signal) => current.histogram(query, signal),
    sessions: (query, signal) => current.sessions(query, signal),
    session: (key, query, signal) => current.session(key, query, signal),
    tenantsOfSession: (sessionId, signal) => current.tenantsOfSession(sessionId, signal),
    groups: (query, signal) => current.groups(query, signal),
    select: (filter, signal) => current.select(filter, signal),
    evaluations: (after, limit) => current.evaluations(after, limit),
    remove: (key) => current.remove(key),
    clear: () => current.clear(),
    usage: () => (reason === undefined ? current.usage() : { ...current.usage(), state: "degraded", reason }),
  };
}
