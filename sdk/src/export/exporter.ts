import { clearTimeout, setTimeout } from "node:timers";
import { runInContext } from "../capture/context.js";
import type { PriceBook } from "../capture/price-table.js";
import type { RecordedSpan } from "../capture/recorded-span.js";
import { warnOnce } from "../capture/warnings.js";
import type { Config } from "../config/options.js";
import type { Span } from "../wire/index.js";
import type { DeliveryLoop } from "./delivery-loop.js";
import { Ledger, type ExporterStats } from "./ledger.js";
import { createSpanBuffer } from "./span-buffer.js";
import { handOver, releaseTexts } from "./span-json.js";

/** Delivers spans in the background. Nothing here throws or rejects into the app. */
export interface SpanExporter {
  /** Takes a span that has ended, or with `live` one that has started. */
  offer(span: RecordedSpan): void;
  /** Sends what waits now. Resolves when each of these spans is settled, or the collector could not be reached. */
  flush(): Promise<void>;
  /** {@link flush} for as long as `shutdownTimeout`; what waits then is dropped. The exporter goes on. */
  settle(): Promise<void>;
  /** {@link settle}, and the end: what comes later is dropped. Safe twice. */
  shutdown(): Promise<void>;
  stats(): ExporterStats;
  /** Takes what waits out of the buffer. */
  takeSpans(): Span[];
  /** Sends what waits when the process ends, until {@link shutdown}. */
  watchExit(): void;
}

/** With `live`, how soon the start of a span is sent: the viewer should show work while it goes on. */
const LIVE_DELAY_MS = 200;

const EXIT_EVENTS = ["beforeExit", "SIGTERM", "SIGINT"];

/**
 * Makes the exporter of a configuration: the part that the app's own calls touch, the bounded buffer and the timer. What
 * sends loads with the first batch, for importing the SDK should cost next to nothing.
 */
export function createExporter(config: Config, prices: PriceBook | undefined): SpanExporter {
  const { pushUrl, batchSize } = config;
  const flushMs = config.flushInterval * 1000;
  const buffer = createSpanBuffer(config.maxQueueSize, config.maxQueueBytes);
  const ledger = new Ledger();
  let loop: DeliveryLoop | undefined;
  let loading: Promise<DeliveryLoop | undefined> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let timerDelayMs = 0;
  let forgetExit: (() => void) | undefined;
  let stopping: Promise<void> | undefined;
  let isStopped = false;

  function offer(span: RecordedSpan): void {
    // It was queued when it started, and has not been sent: it goes as what it is by then.
    if (span.queuedBytes >= 0) {
      if (buffer.resize(span)) return;
      // Too large for the place that it had: it comes as if it were new.
      ledger.enqueued--;
      ledger.taken++;
    }
    if (isStopped || !(buffer.push(span) || takesPlaceOfOldest(span))) {
      refuse(span);
      return;
    }
    ledger.enqueued++;
    if (pushUrl === undefined) return;
    if (buffer.size >= batchSize) schedule(0);
    else schedule(span.durationMs < 0 ? LIVE_DELAY_MS : flushMs);
  }

  /** Full: with a collector to send to, the newest span goes; without, the oldest, for the latest are worth more. */
  function takesPlaceOfOldest(span: RecordedSpan): boolean {
    if (pushUrl !== undefined) return false;
    while (!buffer.push(span)) {
      const [oldest] = buffer.take(1, Infinity);
      if (oldest === undefined) return false;
      releaseTexts(oldest);
      ledger.taken++;
      ledger.dropped.queue_full++;
    }
    return true;
  }

  function refuse(span: RecordedSpan): void {
    // The start of a span that finds no place is no loss: its end will come.
    if (span.durationMs < 0) return;
    ledger.enqueued++;
    if (isStopped) ledger.dropped.shutdown++;
    else {
      ledger.dropped.queue_full++;
      loop?.bufferWasFull(1);
    }
  }

  /** Sends in so many milliseconds, or earlier where that was planned already. */
  function schedule(delayMs: number): void {
    // A timer that was set before with the same delay, or with less, is due before: most spans find it.
    if (timer !== undefined && timerDelayMs <= delayMs) return;
    if (loop?.isDraining === true) return;
    clearTimeout(timer);
    timerDelayMs = delayMs;
    const restMs = (loop?.restUntilMs ?? 0) - performance.now();
    const isWholeBatch = delayMs === 0;
    // Outside of every span: the timer would else hold the one that happens to run.
    timer = runInContext(undefined, () =>
      setTimeout(
        () => {
          timer = undefined;
          void load().then((loaded) => loaded?.drain(!isWholeBatch));
        },
        Math.max(delayMs, restMs),
      ).unref(),
    );
  }

  /**
   * What sends; undefined where it cannot be loaded, because the files of the running app were replaced, for one. Then the
   * spans wait, and the next time tries again.
   */
  function load(): Promise<DeliveryLoop | undefined> {
    return (loading ??= runInContext(undefined, () =>
      import("./delivery-loop.js")
        .then(
          ({ createDeliveryLoop }) =>
            (loop = createDeliveryLoop({ config, prices, buffer, ledger, drained })),
        )
        .catch((error: unknown) => {
          loading = undefined;
          warnOnce("load", `Spans cannot be sent: ${String(error)}`);
          return undefined;
        }),
    ));
  }

  function drained(): void {
    if (buffer.size > 0 && !isStopped) schedule(config.live ? LIVE_DELAY_MS : flushMs);
  }

  async function deliver(how: "flush" | "settle"): Promise<void> {
    if (pushUrl === undefined || stats().pending === 0) return;
    await (await load())?.[how]();
  }

  const settle = () => deliver("settle");

  function stats(): ExporterStats {
    return ledger.stats(buffer.size);
  }

  const exporter: SpanExporter = {
    offer,
    flush: () => deliver("flush"),
    settle,
    stats,

    watchExit() {
      // Without a collector there is nothing to send at the end.
      if (pushUrl === undefined) return;
      const forget = () => {
        for (const event of EXIT_EVENTS) process.removeListener(event, onExit);
      };
      // Now, for at the end its file may be gone: a deployment has replaced it. Without it the signals end the process alone.
      const exitLoading = import("./process-exit.js")
        .then((exit) => exit.watchEnd(exporter, config, buffer, ledger))
        .catch(forget);
      // `beforeExit` comes again after each time that something was done in it: then nothing is pending.
      const onExit = (event: number | string) => {
        if (typeof event === "string" || stats().pending > 0)
          void exitLoading.then((end) => end?.(event, onExit));
      };
      for (const event of EXIT_EVENTS) process.on(event, onExit);
      forgetExit = forget;
    },

    shutdown: () =>
      (stopping ??= settle().then(() => {
        isStopped = true;
        clearTimeout(timer);
        forgetExit?.();
        return loop?.close();
      })),

    takeSpans() {
      const taken = buffer.take(Infinity, Infinity).map(handOver);
      ledger.taken += taken.length;
      ledger.acked += taken.length;
      return taken;
    },
  };
  return exporter;
}
