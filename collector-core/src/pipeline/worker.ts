import type { BatchRange, Clock, IngestQueue, Lease, PipelineSpan, SpanSink } from "../interfaces.js";
import { readSpans, type ReadSpansOptions } from "./read-spans.js";
import type { Redactor } from "./redaction.js";

/** Where the worker reports what became of the spans (contract 4, "The ledger"). */
export interface WorkerCounters {
  processed(spans: number): void;
  dropped(reason: "internal_error" | "shutdown", spans: number): void;
  invalidValue(field: string): void;
}

/** Records the metrics of one span (spec 1: of every span, sampled or not). */
export interface SpanRecorder {
  record(facts: PipelineSpan["facts"], context: PipelineSpan["context"], countsUsage: boolean): void;
}

/** What {@link createWorker} joins. */
export interface WorkerOptions extends ReadSpansOptions {
  readonly queue: IngestQueue;
  readonly counters: WorkerCounters;
  readonly metrics: SpanRecorder;
  readonly redactor: Redactor;
  /** Trace store, export, evaluation, live: each gets the sampled spans, redacted, in this order. */
  readonly sinks: readonly SpanSink[];
  readonly clock: Pick<Clock, "monotonic">;
  readonly onError: (what: string, error: unknown) => void;
}

/** Takes spans from the queue and leads them through the stages, beside the HTTP handlers and never inside one. */
export interface Worker {
  start(): void;
  /** Processes what waits until the queue is empty or the deadline (monotonic) has passed. */
  drain(deadlineMs: number): Promise<void>;
  /** Takes no more spans; what is in flight is finished first. */
  stop(): Promise<void>;
}

/** Spans taken at once: some 1 to 2 ms of work. */
const SPANS_PER_LEASE = 256;
/** After this long the event loop gets its turn, so that requests, queries and the UI stay quick. */
const SLICE_MS = 5;

export function createWorker(options: WorkerOptions): Worker {
  const { queue, counters, clock } = options;
  let started = false;
  let stopped = false;
  let running: Promise<void> | undefined;

  /** Starts a run unless one is under way. It begins in a later turn of the loop: never inside a request. */
  function wake(): void {
    if (!started || stopped || running !== undefined) return;
    running = nextTurn()
      .then(processQueue)
      .catch((error: unknown) => options.onError("worker", error))
      .finally(() => {
        running = undefined;
        if (queue.usage().spans > 0) wake();
      });
  }

  async function processQueue(): Promise<void> {
    let sliceEnd = clock.monotonic() + SLICE_MS;
    while (!stopped) {
      const lease = await queue.take(SPANS_PER_LEASE);
      if (lease.spanCount === 0) return;
      await processLease(lease);
      if (clock.monotonic() >= sliceEnd) {
        await nextTurn();
        sliceEnd = clock.monotonic() + SLICE_MS;
      }
    }
  }

  async function processLease(lease: Lease): Promise<void> {
    try {
      const kept: PipelineSpan[] = [];
      for (const range of lease.ranges) processRange(range, kept);
      if (kept.length > 0) await deliver(kept);
    } finally {
      lease.ack();
    }
  }

  /** The stages in the order of spec 1. What survives sampling and redaction is added to `kept`. */
  function processRange(range: BatchRange, kept: PipelineSpan[]): void {
    let processed = 0;
    try {
      for (const span of readSpans(range, options)) {
        options.metrics.record(span.facts, span.context, span.countsUsage);
        processed++;
        if (!span.isSampled) continue;
        const redacted = options.redactor.redact(span);
        if (redacted !== undefined) kept.push(redacted);
      }
    } catch (error) {
      options.onError("pipeline", error);
    }
    counters.processed(processed);
    const lost = range.to - range.from - processed;
    if (lost > 0) counters.dropped("internal_error", lost);
  }

  async function deliver(spans: readonly PipelineSpan[]): Promise<void> {
    for (const sink of options.sinks) {
      try {
        await sink.offer(spans);
      } catch (error) {
        options.onError(sink.name, error);
      }
    }
  }

  return {
    start() {
      started = true;
      queue.onArrival(wake);
      wake();
    },
    async drain(deadlineMs) {
      while (clock.monotonic() < deadlineMs && !stopped) {
        const usage = queue.usage();
        if (usage.spans === 0 && usage.inFlight === 0) return;
        wake();
        await nextTurn();
      }
    },
    async stop() {
      stopped = true;
      await running;
    },
  };
}

/** Resolves after the event loop has looked at its sockets and timers. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
