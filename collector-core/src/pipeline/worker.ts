import type { IngestQueue, Lease } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import { LONGEST_TIMER_MS } from "../runtime/longest-timer.js";
import { nextTurn, onNextTurn } from "../runtime/loop-turn.js";
import type { PipelineSpan } from "../span/pipeline-span.js";
import type { LostSpans } from "./lost-spans.js";
import type { ReadSpans } from "./read-spans.js";
import type { SpanConsumer } from "./span-consumer.js";

/** Where the worker reports what became of the spans (contract 4, "The ledger"). */
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
  /** The spans that `readSpans` or a stage failed on. */
  readonly lost: LostSpans;
  readonly counters: WorkerCounters;
  readonly clock: Pick<Clock, "monotonic">;
  readonly onError: (what: string, error: unknown) => void;
}

/** Takes spans from the queue and sends them through the pipeline, beside the HTTP handlers and never inside one. */
export interface Worker {
  start(): void;
  /** Processes what waits until the queue is empty or the deadline (monotonic) has passed. */
  drain(deadlineMs: number): Promise<void>;
  /** Takes no more spans; what is in flight is finished first, if it can be by the deadline (monotonic). Safe twice. */
  stop(deadlineMs: number): Promise<void>;
}

/** Spans taken at once: some 1 to 2 ms of work. */
const SPANS_PER_LEASE = 256;
/** After this long the event loop gets its turn, so that requests, queries and the UI stay quick. */
const SLICE_MS = 5;
/**
 * Where the loop took longer than a slice for its turn, the next slice is as long as that turn was, up to this: half of
 * the time is the worker's. With less, many senders at once would fill the queue faster than it empties.
 */
const MAX_SLICE_MS = 25;
/** How often a drain looks whether its deadline has passed. */
const DRAIN_LOOK_MS = 20;

/** How long the next slice is, after the loop took so long for its turn. */
function sliceMs(turnMs: number): number {
  return Math.min(Math.max(turnMs, SLICE_MS), MAX_SLICE_MS);
}

export function createWorker(options: WorkerOptions): Worker {
  const { queue, readSpans, pipeline, lost, counters, clock } = options;
  let started = false;
  let stopped = false;
  let running: Promise<void> | undefined;
  /** Ends the wait for the loop to turn, while there is one. */
  let resume: (() => void) | undefined;

  /**
   * Starts a run unless one is under way. It begins when the loop has turned, or sooner where a whole lease waits:
   * after the request that brought it has been answered, never inside it. So it goes on: whenever a lease has come
   * together it is processed before the next request is read. Spans that are processed while they are fresh are still
   * in the processor's cache, and the garbage collector finds few of them alive.
   */
  function wake(): void {
    if (!started || stopped) return;
    if (running === undefined) run();
    if (resume === undefined || queue.usage().spans < SPANS_PER_LEASE) return;
    process.nextTick(resume);
    resume = undefined;
  }

  function run(): void {
    running = processQueue()
      .catch((error: unknown) => options.onError("worker", error))
      .finally(() => {
        running = undefined;
        if (queue.usage().spans > 0) wake();
      });
  }

  async function processQueue(): Promise<void> {
    let sliceEnd = clock.monotonic();
    for (;;) {
      const waitedFromMs = clock.monotonic();
      if (waitedFromMs >= sliceEnd) {
        const cause = await turnOrLease();
        const nowMs = clock.monotonic();
        if (cause === "turn") sliceEnd = nowMs + sliceMs(nowMs - waitedFromMs);
      }
      if (stopped) return;
      const lease = await queue.take(SPANS_PER_LEASE);
      if (lease.spanCount === 0) return;
      await processLease(lease);
    }
  }

  /** Waits for a turn of the loop, or until a whole lease waits. */
  function turnOrLease(): Promise<"turn" | "lease"> {
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

  /** Every span of the lease is counted once, as processed or as dropped, before it is acknowledged. */
  async function processLease(lease: Lease): Promise<void> {
    try {
      const spans: PipelineSpan[] = [];
      for (const range of lease.ranges) readSpans(range, spans);
      try {
        const done = pipeline.consume(spans);
        if (done instanceof Promise) await done;
      } catch (error) {
        lost.add(error, spans.length);
      }
      const dropped = Math.min(lost.take(), lease.spanCount);
      if (dropped > 0) counters.dropped("internal_error", dropped);
      counters.processed(lease.spanCount - dropped);
    } finally {
      await lease.ack();
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
        // A slow sink holds the run up: waiting for it must not keep the processor busy.
        await (running === undefined ? nextTurn() : Promise.race([running, delay(DRAIN_LOOK_MS)]));
      }
    },
    async stop(deadlineMs) {
      stopped = true;
      const remainingMs = Math.max(0, deadlineMs - clock.monotonic());
      if (running !== undefined) await Promise.race([running, delay(remainingMs)]);
    },
  };
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.min(ms, LONGEST_TIMER_MS)).unref());
}
