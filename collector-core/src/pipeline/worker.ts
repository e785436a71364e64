import type { BatchRange, Clock, IngestQueue, Lease, PipelineSpan, SpanSink } from "../interfaces.js";
import { LONGEST_TIMER_MS } from "../longest-timer.js";
import { createTurnIfDue, nextTurn } from "../loop-turn.js";
import { createSpanReader, type SpanReaderOptions } from "./read-spans.js";
import type { Redactor } from "./redaction/redactor.js";

/** Where the worker reports what became of the spans (contract 4, "The ledger"). */
export interface WorkerCounters {
  processed(spans: number): void;
  sampled(kept: number, notKept: number): void;
  dropped(reason: "internal_error" | "shutdown", spans: number): void;
  invalidValue(field: string): void;
}

/** Records the metrics of one span (spec 1: of every span, sampled or not). */
export interface SpanRecorder {
  record(span: PipelineSpan): void;
}

/** What {@link createWorker} joins. */
export interface WorkerOptions extends SpanReaderOptions {
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
/** Spans of a larger batch may each be large: the loop may have its turn between any two. */
const LARGE_BATCH_BYTES = 64 * 1024;
/** How often a drain looks whether its deadline has passed. */
const DRAIN_LOOK_MS = 20;

/** How long the next slice is, after the loop took so long for its turn. */
function sliceMs(turnMs: number): number {
  return Math.min(Math.max(turnMs, SLICE_MS), MAX_SLICE_MS);
}

export function createWorker(options: WorkerOptions): Worker {
  const { queue, counters, clock } = options;
  const openRange = createSpanReader(options);
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

  /** Waits until the loop has looked at its sockets and timers, or until a whole lease waits. */
  function turnOrLease(): Promise<"turn" | "lease"> {
    return new Promise((resolve) => {
      const turn = setImmediate(() => {
        resume = undefined;
        resolve("turn");
      });
      resume = () => {
        clearImmediate(turn);
        resolve("lease");
      };
    });
  }

  async function processLease(lease: Lease): Promise<void> {
    try {
      const kept: PipelineSpan[] = [];
      const turnIfDue = createTurnIfDue({ clock, sliceMs: MAX_SLICE_MS, nextTurn });
      for (const range of lease.ranges) {
        const goOn = openProcess(range, kept, turnIfDue);
        // Mostly a range is done at once.
        for (let wait = goOn(); wait !== undefined; wait = goOn()) await wait;
      }
      if (kept.length > 0) await deliver(kept);
    } finally {
      await lease.ack();
    }
  }

  /**
   * The stages in the order of spec 1. What survives sampling and redaction is added to `kept`.
   *
   * @returns goes on through the range. Undefined: it is done; else it goes on when the promise is there.
   */
  function openProcess(
    range: BatchRange,
    kept: PipelineSpan[],
    turnIfDue: () => Promise<void> | undefined,
  ): () => Promise<void> | undefined {
    const readSpan = openRange(range);
    const isLarge = range.batch.body.length > LARGE_BATCH_BYTES;
    let processed = 0;
    let notKept = 0;
    let index = range.from;

    function keep(span: PipelineSpan | undefined): void {
      if (span !== undefined) kept.push(span);
    }

    return function process() {
      while (index < range.to) {
        try {
          const span = readSpan(index++);
          options.metrics.record(span);
          processed++;
          if (!span.isSampled) {
            notKept++;
            continue;
          }
          const redacted = options.redactor.redact(span);
          if (redacted instanceof Promise) return redacted.then(keep);
          keep(redacted);
        } catch (error) {
          options.onError("pipeline", error);
        }
        const turn = isLarge ? turnIfDue() : undefined;
        if (turn !== undefined) return turn;
      }
      counters.processed(processed);
      counters.sampled(processed - notKept, notKept);
      const lost = range.to - range.from - processed;
      if (lost > 0) counters.dropped("internal_error", lost);
      return undefined;
    };
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
