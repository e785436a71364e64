import type { IngestQueue, Lease } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import { LONGEST_TIMER_MS } from "../runtime/longest-timer.js";
import { nextTurn, onNextTurn } from "../runtime/loop-turn.js";
import { whenResolved } from "../runtime/maybe-promise.js";
import type { LostSpans } from "./lost-spans.js";
import type { ReadSpans } from "./read-spans.js";
import type { SpanConsumer } from "./span-consumer.js";

/** Counters for the outcome of each span (contract 4, "The ledger"). */
export interface WorkerCounters {
  processed(spans: number): void;
  dropped(reason: "internal_error", spans: number): void;
}

/** Options of {@link createWorker}. */
export interface WorkerOptions {
  readonly queue: IngestQueue;
  readonly readSpans: ReadSpans;
  /** The pipeline of received spans. */
  readonly pipeline: SpanConsumer;
  /** Spans that `readSpans` or a stage failed on. */
  readonly lost: LostSpans;
  readonly counters: WorkerCounters;
  readonly clock: Pick<Clock, "monotonic">;
  readonly onError: (what: string, error: unknown) => void;
}

/** Takes spans from the queue and sends them through the pipeline, never inside an HTTP handler. */
export interface Worker {
  start(): void;
  /** Processes queued spans until the queue is empty or the deadline (monotonic) has passed. */
  drain(deadlineMs: number): Promise<void>;
  /** Takes no more spans, and waits for the spans in flight until the deadline (monotonic). Safe to call twice. */
  stop(deadlineMs: number): Promise<void>;
}

/** Spans per lease: 1 to 2 ms of work. */
const SPANS_PER_LEASE = 256;
/** The worker yields to the event loop after this time, so that requests and queries stay fast. */
const SLICE_MS = 5;
/**
 * After a long turn of the event loop the next slice is as long as that turn, up to this limit. The worker then gets
 * half of the time; with less, many concurrent senders fill the queue faster than it drains.
 */
const MAX_SLICE_MS = 25;
/** How often a drain checks its deadline. */
const DRAIN_POLL_MS = 20;

/** Length of the next slice, given the duration of the last turn of the event loop. */
function sliceMs(turnMs: number): number {
  return Math.min(Math.max(turnMs, SLICE_MS), MAX_SLICE_MS);
}

export function createWorker(options: WorkerOptions): Worker {
  const { queue, readSpans, pipeline, lost, counters, clock } = options;
  let started = false;
  let stopped = false;
  let running: Promise<void> | undefined;
  /** Leases whose spans are processed and whose acknowledgement is under way. A shared queue takes a while. */
  const settling = new Set<Promise<void>>();
  /** Ends the current wait for the event loop; undefined when the worker is not waiting. */
  let resume: (() => void) | undefined;

  /**
   * Starts a run unless one is active. The run begins in the next turn of the event loop, or on the next tick once a
   * whole lease is queued: after the response of the current request and before the next request is read. Spans that
   * are processed this early are still in the CPU cache, and few of them survive a garbage collection.
   */
  function wake(): void {
    if (!started || stopped) return;
    if (running === undefined) run();
    if (resume === undefined || queue.usage().waiting < SPANS_PER_LEASE) return;
    process.nextTick(resume);
    resume = undefined;
  }

  function run(): void {
    running = processQueue()
      .catch((error: unknown) => options.onError("worker", error))
      .finally(() => {
        running = undefined;
        if (queue.usage().waiting > 0) wake();
      });
  }

  async function processQueue(): Promise<void> {
    let sliceEnd = clock.monotonic();
    for (;;) {
      const waitedFromMs = clock.monotonic();
      if (waitedFromMs >= sliceEnd) {
        const cause = await waitForTurnOrLease();
        const nowMs = clock.monotonic();
        if (cause === "turn") sliceEnd = nowMs + sliceMs(nowMs - waitedFromMs);
      }
      if (stopped) return;
      const lease = queue.take(SPANS_PER_LEASE);
      if (lease.spanCount === 0) return;
      await processLease(lease);
    }
  }

  /** Waits for the next turn of the event loop, or until a whole lease is queued. */
  function waitForTurnOrLease(): Promise<"turn" | "lease"> {
    return new Promise((resolve) => {
      let hasResumed = false;
      onNextTurn(() => {
        if (hasResumed) return;
        resume = undefined;
        resolve("turn");
      });
      resume = () => {
        hasResumed = true;
        resolve("lease");
      };
    });
  }

  async function processLease(lease: Lease): Promise<void> {
    try {
      const read = readSpans(lease.ranges);
      const spans = read instanceof Promise ? await read : read;
      const done = pipeline.consume(spans);
      if (done instanceof Promise) await done;
    } catch (error) {
      lost.add(error, lease.spanCount);
    }
    settle(lease, Math.min(lost.take(), lease.spanCount));
  }

  /** Acknowledges a lease, and counts each span that is this collector's to count once, as processed or dropped. */
  function settle(lease: Lease, lostSpans: number): void {
    const settled = whenResolved(lease.ack(), (spans) => {
      const dropped = Math.min(lostSpans, spans);
      if (dropped > 0) counters.dropped("internal_error", dropped);
      counters.processed(spans - dropped);
    });
    if (!(settled instanceof Promise)) return;
    const tracked: Promise<void> = settled
      .catch((error: unknown) => options.onError("queue", error))
      .finally(() => settling.delete(tracked));
    settling.add(tracked);
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
        if (usage.waiting === 0 && usage.inFlight === 0) return;
        wake();
        const work = running ?? settling.values().next().value;
        // The timer avoids a busy loop while a slow sink blocks the run.
        await (work === undefined ? nextTurn() : Promise.race([work, delay(DRAIN_POLL_MS)]));
      }
    },
    async stop(deadlineMs) {
      stopped = true;
      const remainingMs = Math.max(0, deadlineMs - clock.monotonic());
      await Promise.race([finish(), delay(remainingMs)]);
    },
  };

  async function finish(): Promise<void> {
    await running;
    await Promise.all(settling);
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.min(ms, LONGEST_TIMER_MS)).unref());
}
