import type { LiveStatus } from "../api-schema/live.js";
import type { IngestClosure, QueueUsage, TraceStoreUsage } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import { notReadyReasons, shownPct } from "./readiness.js";

/** Options of {@link createLiveStatus}. */
export interface LiveStatusOptions {
  readonly version: string;
  /** On the monotonic clock. */
  readonly startedAtMs: number;
  readonly clock: Pick<Clock, "monotonic" | "now">;
  readonly ledger: () => {
    readonly received: number;
    readonly accepted: number;
    readonly processed: number;
    readonly queued: number;
    readonly inFlight: number;
    readonly rejected: Readonly<Record<string, number>>;
    readonly dropped: Readonly<Record<string, number>>;
  };
  readonly queueUsage: () => QueueUsage;
  readonly storeUsage: (() => TraceStoreUsage) | undefined;
  /** `limits.max_traces`; null if only the size of the files limits the store. */
  readonly maxTraces: () => number | null;
  /** `trace_store.disk_max_bytes`; null if it does not limit the store. */
  readonly diskMaxBytes: number | null;
  /** `trace_store.ttl_seconds`. */
  readonly ttlSeconds: number;
  /** `backpressure.hard_limit_pct`. */
  readonly hardLimitPct: number;
  readonly closure: () => IngestClosure | undefined;
}

/** Over a shorter window the rate would jump with every batch. */
const RATE_WINDOW_MS = 900;

/** Returns a function that reads the current status. The rate covers the time since a call about a second ago. */
export function createLiveStatus(options: LiveStatusOptions): () => LiveStatus {
  // Once: the clock of the machine may be set later, and the process stays the same.
  const { clock } = options;
  const startedAt = new Date(clock.now() - (clock.monotonic() - options.startedAtMs)).toISOString();
  let rate = 0;
  let countedAtMs = options.startedAtMs;
  let counted = 0;

  function spansPerSecond(received: number): number {
    const nowMs = clock.monotonic();
    const elapsedMs = nowMs - countedAtMs;
    if (elapsedMs >= RATE_WINDOW_MS) {
      rate = ((received - counted) / elapsedMs) * 1000;
      countedAtMs = nowMs;
      counted = received;
    }
    return Math.round(rate * 10) / 10;
  }

  return () => {
    const { inFlight, ...ledger } = options.ledger();
    const queue = options.queueUsage();
    const store = options.storeUsage?.();
    const reasons = notReadyReasons(queue, options.hardLimitPct, options.closure());
    return {
      version: options.version,
      started_at: startedAt,
      uptime_seconds: (clock.monotonic() - options.startedAtMs) / 1000,
      ready: reasons.length === 0,
      reasons,
      spans_per_second: spansPerSecond(ledger.received),
      queue_pct: shownPct(queue),
      queue_spans: queue.spans,
      queue_capacity: queue.capacitySpans,
      ledger: { ...ledger, in_flight: inFlight },
      store: store === undefined ? null : storeStatus(store, options),
    };
  };
}

function storeStatus(
  store: TraceStoreUsage,
  { maxTraces, diskMaxBytes, ttlSeconds }: LiveStatusOptions,
): LiveStatus["store"] {
  return {
    traces: store.traces,
    spans: store.spans,
    bytes: store.memoryBytes,
    max_traces: maxTraces(),
    disk_bytes: store.diskBytes,
    disk_max_bytes: store.diskBytes === null ? null : diskMaxBytes,
    ttl_seconds: ttlSeconds,
    oldest_at: store.oldestAtMs === null ? null : new Date(store.oldestAtMs).toISOString(),
    unsaved_spans: Object.values(store.unsaved).reduce((sum, spans) => sum + spans, 0),
    state: store.state,
    reason: store.reason,
    rebuild_progress: store.rebuildProgress,
  };
}
