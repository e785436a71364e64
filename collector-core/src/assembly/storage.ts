import type { IngestQueue, TraceStore } from "../interfaces.js";
import { createMemoryQueue } from "../queue/memory-queue.js";
import { createPressureLog } from "../queue/pressure-log.js";
import { createMemoryTraceStore } from "../store/memory/memory-trace-store.js";
import type { Foundation } from "./foundation.js";

/** The ingestion queue and the trace store. */
export interface Storage {
  readonly queue: IngestQueue;
  /** Undefined if `trace_store.enabled` is false. */
  readonly store: TraceStore | undefined;
}

export function createStorage(foundation: Foundation): Storage {
  return { queue: createQueue(foundation), store: createStore(foundation) };
}

function createQueue({ config, clock, logger }: Foundation): IngestQueue {
  const limits = {
    capacitySpans: config["limits.max_queue_size"],
    capacityBytes: config["limits.max_queue_bytes"],
    softLimitPct: config["backpressure.soft_limit_pct"],
    hardLimitPct: config["backpressure.hard_limit_pct"],
    mode: config["backpressure.mode"],
  };
  return createMemoryQueue({
    ...limits,
    onLevel: createPressureLog({ logger: logger.child("queue"), clock, limits }),
  });
}

function createStore({ config, clock, budget }: Foundation): TraceStore | undefined {
  if (!config["trace_store.enabled"]) return undefined;
  return createMemoryTraceStore({
    maxTraces: config["limits.max_traces"],
    maxSpansPerTrace: config["trace_store.max_spans_per_trace"],
    ttlSeconds: config["trace_store.ttl_seconds"],
    maxBytes: config["trace_store.max_bytes"],
    evictedInUse: budget.account("evicted_traces"),
    clock,
  });
}
