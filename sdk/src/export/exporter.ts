import type { Config } from "../config/options.js";
import type { Environment } from "../config/read-config.js";
import { clearTimeout, isPending, setTimeout, type Timer } from "../platform/timers.js";
import type { SpanPricer } from "../prices/span-pricer.js";
import { withLateCode } from "../late-code.js";
import { runInContext } from "../span/context.js";
import type { RecordedSpan, SpanSink } from "../span/recorded-span.js";
import { isTraceSampled } from "../span/trace-sample.js";
import { warnOnce } from "../warnings.js";
import type { Span } from "../wire/index.js";
import type { DeliveryLoop } from "./delivery-loop.js";
import { watchProcessExit } from "./exit-watch.js";
import { createLedger, type ExporterStats } from "./ledger.js";
import { toWireSpan, type QueuedSpan } from "./queued-span.js";
import { createSpanBuffer } from "./span-buffer.js";

/** Delivers spans in the background. Nothing here throws or rejects into the app. */
export interface SpanExporter extends SpanSink {
  /** Sends the buffered spans. Resolves when each of them is settled, or the collector could not be reached. */
  flush(): Promise<void>;
  /**
   * Like {@link flush}, for at most `shutdownTimeout`. Then it drops the rest and stops: later spans are dropped. Calling it
   * again has no effect.
   */
  shutdown(): Promise<void>;
  stats(): ExporterStats;
  /** Takes all spans out of the buffer. */
  takeSpans(): Span[];
}

/** How soon the start of a span is sent with `live`, in milliseconds: the viewer shows work while it runs. */
const LIVE_DELAY_MS = 200;

/**
 * Creates the exporter of a configuration: the buffer and the timer, which the app's own calls use. The code that sends is
 * loaded with the first batch, which keeps the import of the SDK cheap. Until {@link SpanExporter.shutdown}, the exporter
 * also sends the buffered spans when the process ends.
 */
export function createExporter(
  config: Config,
  prices: SpanPricer | undefined,
  environment: Environment,
): SpanExporter {
  const { pushUrl, batchSize, live, sampleRate, beforeSend } = config;
  const flushMs = config.flushInterval * 1000;
  const buffer = createSpanBuffer(config.maxQueueSize, config.maxQueueBytes);
  const ledger = createLedger();
  let loop: DeliveryLoop | undefined;
  let loading: Promise<DeliveryLoop | undefined> | undefined;
  let timer: Timer | undefined;
  let timerDelayMs = 0;
  let stopping: Promise<void> | undefined;
  let isStopped = false;

  const stats = () => ledger.stats(buffer.size);

  function offer(span: RecordedSpan): void {
    if (sampleRate < 1 && !isTraceSampled(span.traceId, sampleRate)) return;
    const isRunning = span.durationMs < 0;
    const pricer = isRunning || prices?.isLoaded === true ? undefined : prices;
    const queued: QueuedSpan = { span, bytes: span.bytes, pricer };
    if (beforeSend === undefined) enqueue(queued, isRunning);
    else
      withLateCode((late) => {
        if (late?.applyBeforeSend(beforeSend, queued) === true) enqueue(queued, isRunning);
        else if (!isRunning) ledger.refuse("before_send");
      });
  }

  function enqueue(latest: QueuedSpan, isRunning: boolean): void {
    let queued = latest;
    const waiting = live ? buffer.find(latest.span) : undefined;
    if (waiting !== undefined) {
      // The start of the span was not sent yet: the span is sent once, as it is now.
      const { bytes, ...rest } = latest;
      queued = Object.assign(waiting, rest);
      if (buffer.resize(queued, bytes)) return;
      ledger.withdraw();
    }
    if (isStopped || !(buffer.push(queued) || replaceOldest(queued))) {
      // The start of a span is not lost: its end follows.
      if (!isRunning) refuse();
      return;
    }
    ledger.enqueue();
    if (pushUrl === undefined) return;
    schedule(buffer.size >= batchSize ? 0 : isRunning ? LIVE_DELAY_MS : flushMs);
  }

  /** With a full buffer the newest span is dropped; without a collector the oldest, as the newest are worth more. */
  function replaceOldest(queued: QueuedSpan): boolean {
    if (pushUrl !== undefined) return false;
    while (!buffer.push(queued)) {
      const [oldest] = buffer.take(1, Infinity);
      if (oldest === undefined) return false;
      oldest.span.release();
      ledger.take(1);
      ledger.settle(1, "queue_full");
    }
    return true;
  }

  function refuse(): void {
    ledger.refuse(isStopped ? "shutdown" : "queue_full");
    if (!isStopped) loop?.reportFull(1);
  }

  /** Sends after a delay, or earlier if that is planned already. */
  function schedule(delayMs: number): void {
    // A timer with the same delay or a shorter one fires earlier. This is the case for most spans.
    if (isPending(timer) && timerDelayMs <= delayMs) return;
    if (loop?.isDraining === true) return;
    clearTimeout(timer);
    timerDelayMs = delayMs;
    const waitMs = (loop?.resumeAtMs ?? 0) - performance.now();
    // Outside every span: otherwise the timer would keep the current span in memory.
    timer = runInContext(undefined, () =>
      setTimeout(
        () => {
          timer = undefined;
          // A delay of 0 means that a full batch waits.
          void load().then((loaded) => loaded?.drain(delayMs > 0));
        },
        Math.max(delayMs, waitMs),
      ).unref(),
    );
  }

  /**
   * Loads the code that sends. Resolves with undefined if that fails, for example because a deployment replaced the files
   * of the running app. The spans stay in the buffer then, and the next call tries again.
   */
  function load(): Promise<DeliveryLoop | undefined> {
    return (loading ??= runInContext(undefined, () =>
      import("./delivery-loop.js")
        .then(
          ({ createDeliveryLoop }) =>
            (loop = createDeliveryLoop({ config, prices, environment, buffer, ledger, onDrained })),
        )
        .catch((error: unknown) => {
          loading = undefined;
          warnOnce("load", `Spans cannot be sent: ${String(error)}`);
          return undefined;
        }),
    ));
  }

  function onDrained(): void {
    if (buffer.size > 0 && !isStopped) schedule(live ? LIVE_DELAY_MS : flushMs);
  }

  async function deliver(how: "flush" | "settle"): Promise<void> {
    if (pushUrl === undefined || stats().pending === 0) return;
    await (await load())?.[how]();
  }

  const flush = () => deliver("flush");
  /** Sends the buffered spans for at most `shutdownTimeout`, and drops the rest. */
  const settle = () => deliver("settle");

  // Without a collector there is nothing to send.
  const stopWatchingExit =
    pushUrl === undefined
      ? undefined
      : watchProcessExit({ config, environment, buffer, ledger, flush, settle, stats, loop: () => loop });

  return {
    offer,
    flush,
    stats,

    shutdown: () =>
      (stopping ??= settle().then(() => {
        isStopped = true;
        clearTimeout(timer);
        stopWatchingExit?.();
        return loop?.close();
      })),

    takeSpans() {
      const taken = buffer.take(Infinity, Infinity);
      ledger.take(taken.length);
      ledger.settle(taken.length);
      return taken.map(toWireSpan);
    },
  };
}
