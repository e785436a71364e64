import { setTimeout as wait } from "node:timers/promises";
import type { ByteAccount } from "../in-flight/byte-budget.js";
import type { ExportOutcome, Lifecycle, SpanSink } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import type { PipelineSpan } from "../span/pipeline-span.js";
import { contextKey, toProtobufRequest, type WritableSpan } from "../otlp/request-to-otlp.js";
import { describeError } from "../runtime/describe-error.js";
import { LONGEST_TIMER_MS } from "../runtime/longest-timer.js";
import { valueSize } from "../span/value-size.js";
import { runAtOnce, runInSlices, type Steps } from "../runtime/steps.js";
import { TimeSlice } from "../runtime/time-slice.js";
import type { OtlpTransport, SendResult } from "./otlp-transport.js";
import { backoffMs } from "./retry-policy.js";

/** What {@link createOtlpExporter} needs. */
export interface OtlpExporterOptions {
  readonly transport: OtlpTransport;
  /** `exporter.batch_size`. */
  readonly batchSize: number;
  /** `exporter.flush_interval`. */
  readonly flushIntervalMs: number;
  /** `exporter.max_queue_size`: spans that wait at most; what comes then is dropped. */
  readonly maxQueueSize: number;
  /** What the spans that wait may hold; what comes then is dropped too. */
  readonly budget: ByteAccount;
  /** `exporter.max_retries`. */
  readonly maxRetries: number;
  /** Of the collector, for the instrumentation scope. */
  readonly version: string;
  readonly clock: Pick<Clock, "monotonic">;
  /** 0 to 1, for jitter. */
  readonly random: () => number;
  readonly count: (outcome: ExportOutcome, spans: number) => void;
  readonly log: { warning(message: string): void; info(message: string): void };
}

/** Sends sampled, redacted spans on to an OTLP receiver (spec 4.9 rule 3). */
export interface OtlpExporter extends SpanSink, Lifecycle {
  /** Spans that wait or are on their way. */
  readonly pending: number;
  /** One last try for what waits, until the deadline (monotonic); the rest is counted as `shutdown`. Safe twice. */
  stop(deadlineMs?: number): Promise<void>;
}

/** Bytes of a batch of more than one span at most: receivers bound their requests too. */
const MAX_BATCH_BYTES = 4 * 2 ** 20;
/** What a span takes besides its attributes and events. */
const BYTES_PER_SPAN = 512;

/** A batch of no more bytes is written at once, which takes some milliseconds. A larger one is written in slices. */
const WRITTEN_AT_ONCE = 2 ** 20;

/** Spans as they will be sent. */
interface Batch {
  readonly spans: number;
  readonly body: Uint8Array;
}

/** A batch that is too large to be written at once. */
interface LargeBatch {
  readonly spans: readonly WritableSpan[];
  /** What it is charged with. */
  readonly bytes: number;
}

export function createOtlpExporter(options: OtlpExporterOptions): OtlpExporter {
  const { transport, batchSize, maxQueueSize, maxRetries, clock, count, budget } = options;
  /** The next batch, as long as it is not full, and what it is charged with. */
  let gathered: WritableSpan[] = [];
  let gatheredBytes = 0;
  /** Batches that wait, written already: their size is known, and they are not on the heap. */
  let batches: Batch[] = [];
  /** Those that wait to be written. */
  let largeBatches: LargeBatch[] = [];
  let writing: Promise<void> | undefined;
  let waitingSpans = 0;
  let inFlight = 0;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;
  /** Ends a wait between two attempts, and with the deadline a request. */
  const hurry = new AbortController();
  const giveUp = new AbortController();
  const episode = createEpisodeLog(options.log);

  /** Sends batches one after the other: full ones, and with `all` what is left. */
  function run(all: boolean): Promise<void> {
    sending ??= sendBatches(all).finally(() => {
      sending = undefined;
      if (batches.length > 0 && stopping === undefined) void run(false);
    });
    return sending;
  }

  async function sendBatches(all: boolean): Promise<void> {
    while (!giveUp.signal.aborted) {
      if (all && batches.length === 0) closeBatch();
      const batch = batches.shift();
      if (batch === undefined) return;
      const { spans, body } = batch;
      waitingSpans -= spans;
      inFlight = spans;
      settle(spans, await send(body));
      budget.giveBack(body.byteLength);
      inFlight = 0;
    }
  }

  /** Adds a span to the next batch. @returns false where there is no room for it. */
  function gather({ context, span, facts }: PipelineSpan): boolean {
    const bytes = BYTES_PER_SPAN + valueSize(span.attributes) + valueSize(span.events);
    if (waitingSpans + inFlight >= maxQueueSize || !budget.tryTake(bytes)) return false;
    if (gatheredBytes + bytes > MAX_BATCH_BYTES) closeBatch();
    gathered.push({ context, span, facts });
    gatheredBytes += bytes;
    waitingSpans++;
    if (gathered.length >= batchSize || gatheredBytes >= MAX_BATCH_BYTES) closeBatch();
    return true;
  }

  /** Writes what is gathered as a batch, or begins to. */
  function closeBatch(): void {
    if (gathered.length === 0) return;
    const batch: LargeBatch = { spans: gathered, bytes: gatheredBytes };
    gathered = [];
    gatheredBytes = 0;
    if (batch.bytes > WRITTEN_AT_ONCE || largeBatches.length > 0) {
      largeBatches.push(batch);
      writing ??= writeLargeBatches().finally(() => (writing = undefined));
      return;
    }
    try {
      written(batch, runAtOnce(encode(batch.spans)));
    } catch (error) {
      notWritten(batch, error);
    }
  }

  /** Writes large batches, one after the other. What is not written when the time is up waits as it is. */
  async function writeLargeBatches(): Promise<void> {
    const timeSlice = new TimeSlice(clock, giveUp.signal);
    for (let batch = largeBatches[0]; batch !== undefined; batch = largeBatches[0]) {
      try {
        await timeSlice.next();
        written(batch, await runInSlices(encode(batch.spans), timeSlice));
      } catch (error) {
        if (giveUp.signal.aborted) return;
        notWritten(batch, error);
      }
      largeBatches.shift();
      if (stopping === undefined) void run(false);
    }
  }

  function written({ spans, bytes }: LargeBatch, body: Uint8Array): void {
    budget.giveBack(bytes);
    budget.take(body.byteLength);
    batches.push({ spans: spans.length, body });
  }

  /** A batch that cannot be written is lost, and not those after it. */
  function notWritten({ spans, bytes }: LargeBatch, error: unknown): void {
    budget.giveBack(bytes);
    waitingSpans -= spans.length;
    settle(spans.length, { type: "refused", reason: `it could not be written: ${describeError(error)}` });
  }

  async function send(body: Uint8Array): Promise<SendResult | "shutdown"> {
    for (let attempt = 0; ; attempt++) {
      const isLast = hurry.signal.aborted;
      const result = await transport(body, giveUp.signal);
      if (result.type !== "retry") return result;
      if (isLast || giveUp.signal.aborted) return "shutdown";
      episode.failed(result.reason);
      if (attempt === maxRetries) return result;
      await pause(backoffMs(attempt, result.retryAfterMs, options.random()), hurry.signal);
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
          episode.succeeded();
          return;
        }
        count("partial", rejected);
        episode.lost(rejected, result.message === "" ? "the receiver refused them" : result.message);
        return;
      }
      case "retry":
        count("retries_exhausted", spans);
        {
          episode.lost(spans, `${result.reason}, ${maxRetries + 1} times`);
          return;
        }
      case "refused":
        count("permanent", spans);
        {
          episode.lost(spans, result.reason);
          return;
        }
    }
  }

  function encode(spans: readonly WritableSpan[]): Steps<Uint8Array> {
    return toProtobufRequest(byContext(spans).values(), options.version);
  }

  async function stop(deadlineMs: number): Promise<void> {
    clearInterval(timer);
    hurry.abort();
    const remainingMs = Math.max(0, deadlineMs - clock.monotonic());
    const timeUp = setTimeout(() => giveUp.abort(), Math.min(remainingMs, LONGEST_TIMER_MS));
    closeBatch();
    await writing;
    // A run that was under way may have been one for full batches only.
    await run(true);
    await run(true);
    clearTimeout(timeUp);
    if (waitingSpans > 0) count("shutdown", waitingSpans);
    const unwritten = largeBatches.reduce((sum, { bytes }) => sum + bytes, gatheredBytes);
    budget.giveBack(batches.reduce((sum, { body }) => sum + body.byteLength, unwritten));
    gathered = [];
    gatheredBytes = 0;
    batches = [];
    largeBatches = [];
    waitingSpans = 0;
  }

  return {
    name: "OTLP export",
    get pending() {
      return waitingSpans + inFlight;
    },
    offer(spans) {
      let lost = 0;
      for (const span of spans) if (!span.facts.isRunning && !gather(span)) lost++;
      if (lost > 0) {
        count("queue_full", lost);
        const reason =
          waitingSpans + inFlight >= maxQueueSize
            ? `exporter.max_queue_size (${maxQueueSize}) is reached`
            : `those that wait hold ${budget.bytes} bytes, their share of limits.max_in_flight_bytes is ${budget.limitBytes}`;
        episode.lost(lost, reason);
      }
      if (batches.length > 0 && stopping === undefined) void run(false);
    },
    start() {
      timer ??= setInterval(() => void run(true), options.flushIntervalMs).unref();
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

/** Warns once an episode, and says when it is over, with what it cost. */
function createEpisodeLog(log: OtlpExporterOptions["log"]) {
  let isFailing = false;
  let lostSpans = 0;
  return {
    failed(reason: string): void {
      if (isFailing) return;
      isFailing = true;
      log.warning(`OTLP export fails: ${reason}. It is tried again.`);
    },
    lost(spans: number, reason: string): void {
      if (lostSpans === 0) log.warning(`OTLP export lost ${spans} spans: ${reason}.`);
      isFailing = true;
      lostSpans += spans;
    },
    succeeded(): void {
      if (!isFailing) return;
      log.info(`OTLP export works again; ${lostSpans} spans were lost meanwhile.`);
      isFailing = false;
      lostSpans = 0;
    },
  };
}

/** Waits, or until the signal is aborted. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(Math.min(ms, LONGEST_TIMER_MS), undefined, { signal, ref: false }).catch(() => undefined);
}
