import { setTimeout as wait } from "node:timers/promises";
import type { ByteAccount } from "../in-flight/byte-budget.js";
import type { ExportOutcome, Lifecycle, SpanSink } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import type { PipelineSpan } from "../span/pipeline-span.js";
import { contextKey, toProtobufRequest, type WritableSpan } from "../otlp/request-to-otlp.js";
import { counted } from "../runtime/counted.js";
import { errorMessage } from "../runtime/describe-error.js";
import { LONGEST_TIMER_MS } from "../runtime/longest-timer.js";
import { valueSize } from "../span/value-size.js";
import { runAtOnce, runInSlices, type Steps } from "../runtime/steps.js";
import { throttle } from "../runtime/throttle.js";
import { TimeSlice } from "../runtime/time-slice.js";
import type { OtlpTransport, SendResult } from "./otlp-transport.js";
import { backoffMs } from "./retry-policy.js";

/** Options of {@link createOtlpExporter}. */
export interface OtlpExporterOptions {
  readonly transport: OtlpTransport;
  /** `exporter.batch_size`. */
  readonly batchSize: number;
  /** `exporter.flush_interval`. */
  readonly flushIntervalMs: number;
  /** `exporter.max_queue_size`: maximum number of pending spans. New spans beyond it are dropped. */
  readonly maxQueueSize: number;
  /** Bounds the bytes of the pending spans. New spans beyond it are dropped. */
  readonly budget: ByteAccount;
  /** `exporter.max_retries`. */
  readonly maxRetries: number;
  /** Version of the collector, which becomes the version of the instrumentation scope. */
  readonly version: string;
  readonly clock: Pick<Clock, "monotonic">;
  /** 0 to 1, for jitter. */
  readonly random: () => number;
  readonly count: (outcome: ExportOutcome, spans: number) => void;
  readonly log: { warning(message: string): void; info(message: string): void };
}

/** Exports sampled, redacted spans to an OTLP receiver (spec 4.9 rule 3). */
export interface OtlpExporter extends SpanSink, Lifecycle {
  /** Spans that are queued or in flight. */
  readonly pending: number;
  /**
   * Sends each pending batch once, until the deadline (monotonic), and counts the rest as `shutdown`. Safe to call
   * twice.
   */
  stop(deadlineMs?: number): Promise<void>;
}

/** Maximum bytes of a batch, because receivers limit their requests. A single larger span is sent alone. */
const MAX_BATCH_BYTES = 4 * 2 ** 20;
/** Estimated bytes of a span without its attributes and events. */
const BYTES_PER_SPAN = 512;

/**
 * Maximum bytes of a batch that is encoded synchronously, in a few milliseconds. Larger batches are encoded in
 * slices.
 */
const MAX_SYNC_ENCODE_BYTES = 2 ** 20;

/** Least time between two messages of the same kind. */
const LOG_INTERVAL_MS = 10_000;

/** An encoded batch. */
interface EncodedBatch {
  readonly spans: number;
  readonly body: Uint8Array;
}

/** A batch that is not encoded yet. */
interface SpanBatch {
  readonly spans: readonly WritableSpan[];
  /** Bytes charged to the budget. */
  readonly bytes: number;
}

export function createOtlpExporter(options: OtlpExporterOptions): OtlpExporter {
  const { transport, batchSize, maxQueueSize, maxRetries, clock, count, budget } = options;
  /** The batch that is being filled, and the bytes charged for it. */
  let openBatch: WritableSpan[] = [];
  let openBatchBytes = 0;
  /** Queued batches. They are encoded early: the exact size is then known, and the bytes are off the heap. */
  let batches: EncodedBatch[] = [];
  /** Batches that wait for encoding in slices. */
  let unencodedBatches: SpanBatch[] = [];
  let encoding: Promise<void> | undefined;
  let queuedSpans = 0;
  let inFlight = 0;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;
  /** Aborted by `stop`: ends a backoff and allows one last attempt per batch. */
  const stopSignal = new AbortController();
  /** Aborted at the deadline of `stop`: cancels the request in flight. */
  const deadlineSignal = new AbortController();
  const exportLog = createExportLog(options.log, clock);

  /** Sends queued batches one after the other. With `all` it also closes and sends the open batch. */
  function run(all: boolean): Promise<void> {
    sending ??= sendBatches(all).finally(() => {
      sending = undefined;
      if (batches.length > 0 && stopping === undefined) void run(false);
    });
    return sending;
  }

  async function sendBatches(all: boolean): Promise<void> {
    while (!deadlineSignal.signal.aborted) {
      if (all && batches.length === 0) closeBatch();
      const batch = batches.shift();
      if (batch === undefined) return;
      const { spans, body } = batch;
      queuedSpans -= spans;
      inFlight = spans;
      settle(spans, await send(body));
      budget.release(body.byteLength);
      inFlight = 0;
    }
  }

  /** Adds a span to the open batch. @returns false when the queue is full. */
  function enqueue({ context, span, facts }: PipelineSpan): boolean {
    const bytes = BYTES_PER_SPAN + valueSize(span.attributes) + valueSize(span.events);
    if (queuedSpans + inFlight >= maxQueueSize || !budget.tryTake(bytes)) return false;
    if (openBatchBytes + bytes > MAX_BATCH_BYTES) closeBatch();
    openBatch.push({ context, span, facts });
    openBatchBytes += bytes;
    queuedSpans++;
    if (openBatch.length >= batchSize || openBatchBytes >= MAX_BATCH_BYTES) closeBatch();
    return true;
  }

  /** Closes the open batch. Encodes a small batch now, and a large one in slices. */
  function closeBatch(): void {
    if (openBatch.length === 0) return;
    const batch: SpanBatch = { spans: openBatch, bytes: openBatchBytes };
    openBatch = [];
    openBatchBytes = 0;
    if (batch.bytes > MAX_SYNC_ENCODE_BYTES || unencodedBatches.length > 0) {
      unencodedBatches.push(batch);
      encoding ??= encodeInSlices().finally(() => (encoding = undefined));
      return;
    }
    try {
      onEncoded(batch, runAtOnce(encode(batch.spans)));
    } catch (error) {
      onEncodeError(batch, error);
    }
  }

  /** Encodes the waiting batches one after the other. At the deadline the rest stays unencoded. */
  async function encodeInSlices(): Promise<void> {
    const timeSlice = new TimeSlice(clock, deadlineSignal.signal);
    for (let batch = unencodedBatches[0]; batch !== undefined; batch = unencodedBatches[0]) {
      try {
        await timeSlice.next();
        onEncoded(batch, await runInSlices(encode(batch.spans), timeSlice));
      } catch (error) {
        if (deadlineSignal.signal.aborted) return;
        onEncodeError(batch, error);
      }
      unencodedBatches.shift();
      if (stopping === undefined) void run(false);
    }
  }

  function onEncoded({ spans, bytes }: SpanBatch, body: Uint8Array): void {
    budget.release(bytes);
    budget.take(body.byteLength);
    batches.push({ spans: spans.length, body });
  }

  /** Drops a batch that cannot be encoded. */
  function onEncodeError({ spans, bytes }: SpanBatch, error: unknown): void {
    budget.release(bytes);
    queuedSpans -= spans.length;
    settle(spans.length, { type: "refused", reason: `the batch cannot be encoded: ${errorMessage(error)}` });
  }

  async function send(body: Uint8Array): Promise<SendResult | "shutdown"> {
    for (let attempt = 0; ; attempt++) {
      const isLast = stopSignal.signal.aborted;
      const result = await transport(body, deadlineSignal.signal);
      if (result.type !== "retry") return result;
      if (isLast || deadlineSignal.signal.aborted) return "shutdown";
      exportLog.failed(result.reason);
      if (attempt === maxRetries) return result;
      await pause(backoffMs(attempt, result.retryAfterMs, options.random()), stopSignal.signal);
    }
  }

  function settle(spans: number, result: SendResult | "shutdown"): void {
    if (result === "shutdown") {
      count("shutdown", spans);
      return;
    }
    switch (result.type) {
      case "sent": {
        const rejected = Math.min(Math.max(result.rejectedSpans, 0), spans);
        count("exported", spans - rejected);
        if (rejected === 0) {
          exportLog.succeeded();
          return;
        }
        count("partial", rejected);
        exportLog.lost(rejected, result.message === "" ? "the receiver refused them" : result.message);
        return;
      }
      case "retry":
        count("retries_exhausted", spans);
        exportLog.lost(spans, `${result.reason}, ${counted(maxRetries + 1, "time")}`);
        return;
      case "refused":
        count("permanent", spans);
        exportLog.lost(spans, result.reason);
        return;
    }
  }

  function encode(spans: readonly WritableSpan[]): Steps<Uint8Array> {
    return toProtobufRequest(byContext(spans).values(), options.version);
  }

  async function stop(deadlineMs: number): Promise<void> {
    clearInterval(timer);
    stopSignal.abort();
    const remainingMs = Math.max(0, deadlineMs - clock.monotonic());
    const deadlineTimer = setTimeout(() => deadlineSignal.abort(), Math.min(remainingMs, LONGEST_TIMER_MS));
    closeBatch();
    await encoding;
    // The first call may only join a run that leaves the open batch out.
    await run(true);
    await run(true);
    clearTimeout(deadlineTimer);
    if (queuedSpans > 0) count("shutdown", queuedSpans);
    exportLog.end();
    const unencodedBytes = unencodedBatches.reduce((sum, { bytes }) => sum + bytes, openBatchBytes);
    budget.release(batches.reduce((sum, { body }) => sum + body.byteLength, unencodedBytes));
    openBatch = [];
    openBatchBytes = 0;
    batches = [];
    unencodedBatches = [];
    queuedSpans = 0;
  }

  return {
    name: "OTLP export",
    get pending() {
      return queuedSpans + inFlight;
    },
    offer(spans) {
      let lost = 0;
      for (const span of spans) if (!span.facts.isRunning && !enqueue(span)) lost++;
      if (lost > 0) {
        count("queue_full", lost);
        const reason =
          queuedSpans + inFlight >= maxQueueSize
            ? `exporter.max_queue_size (${maxQueueSize}) is reached`
            : `the pending spans hold ${budget.bytes} bytes; their share of limits.max_in_flight_bytes is ${budget.limitBytes}`;
        exportLog.lost(lost, reason);
      }
      if (batches.length > 0 && stopping === undefined) void run(false);
    },
    start() {
      timer ??= setInterval(() => {
        exportLog.tick();
        void run(true);
      }, options.flushIntervalMs).unref();
    },
    stop: (deadlineMs = Infinity) => (stopping ??= stop(deadlineMs)),
  };
}

function byContext(batch: readonly WritableSpan[]): Map<string, WritableSpan[]> {
  const groups = new Map<string, WritableSpan[]>();
  for (const each of batch) {
    const key = contextKey(each.context);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return groups;
}

/** Logs losses, failures and recoveries, each at most once in some seconds: an overloaded exporter loses spans every few milliseconds. */
function createExportLog(log: OtlpExporterOptions["log"], clock: Pick<Clock, "monotonic">) {
  let lostSpans = 0;
  let lastReason = "";
  let isFailing = false;
  let isFailureLogged = false;
  const logLost = (reason: string): void => {
    log.warning(`OTLP export lost ${counted(lostSpans, "span")}: ${reason}.`);
    lostSpans = 0;
  };
  const logLostInTime = throttle(LOG_INTERVAL_MS, clock, logLost);
  const logFailureInTime = throttle<string>(LOG_INTERVAL_MS, clock, (reason) => {
    log.warning(`OTLP export failed: ${reason}. Retrying.`);
    isFailureLogged = true;
  });
  return {
    failed(reason: string): void {
      if (!isFailing) logFailureInTime(reason);
      isFailing = true;
    },
    lost(spans: number, reason: string): void {
      lostSpans += spans;
      lastReason = reason;
      logLostInTime(reason);
    },
    succeeded(): void {
      isFailing = false;
      if (!isFailureLogged) return;
      isFailureLogged = false;
      log.info("OTLP export recovered.");
    },
    /** Logs the losses that have waited for their time. */
    tick(): void {
      if (lostSpans > 0) logLostInTime(lastReason);
    },
    end(): void {
      if (lostSpans > 0) logLost(lastReason);
    },
  };
}

/** Waits for `ms`, or until the signal is aborted. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(Math.min(ms, LONGEST_TIMER_MS), undefined, { signal, ref: false }).catch(() => undefined);
}
