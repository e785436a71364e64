import { clearTimeout, setTimeout } from "node:timers";
import { runInContext } from "../capture/context.js";
import type { PriceBook } from "../capture/price-table.js";
import type { RecordedSpan } from "../capture/recorded-span.js";
import { warnOnce } from "../capture/warnings.js";
import type { Config } from "../config/options.js";
import type { Span } from "../wire/index.js";
import type { DeliveryLoop } from "./delivery-loop.js";
import { Ledger, type ExporterStats } from "./ledger.js";
import { SpanBuffer } from "./span-buffer.js";
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

/** Makes the exporter of a configuration. */
export function createExporter(config: Config, prices: PriceBook | undefined): SpanExporter {
  return new BackgroundExporter(config, prices);
}

/**
 * The part that the app's own calls touch: the bounded buffer and the timer. What sends loads with the first batch, for
 * importing the SDK should cost next to nothing.
 */
class BackgroundExporter implements SpanExporter {
  readonly #config: Config;
  readonly #prices: PriceBook | undefined;
  readonly #buffer: SpanBuffer;
  readonly #ledger = new Ledger();
  #loop: DeliveryLoop | undefined;
  #loading: Promise<DeliveryLoop | undefined> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #timerDelayMs = 0;
  #forgetExit: (() => void) | undefined;
  #stopping: Promise<void> | undefined;
  #isStopped = false;

  constructor(config: Config, prices: PriceBook | undefined) {
    this.#config = config;
    this.#prices = prices;
    this.#buffer = new SpanBuffer(config.maxQueueSize, config.maxQueueBytes);
  }

  offer(span: RecordedSpan): void {
    // It was queued when it started, and has not been sent: it goes as what it is by then.
    if (span.queuedBytes >= 0) {
      if (this.#buffer.resize(span)) return;
      // Too large for the place that it had: it comes as if it were new.
      this.#ledger.enqueued--;
      this.#ledger.taken++;
    }
    const buffer = this.#buffer;
    const ledger = this.#ledger;
    const { pushUrl, batchSize, flushInterval } = this.#config;
    const isFull = !this.#isStopped && !buffer.hasRoom(span.bytes) && !this.#makeRoom(span.bytes);
    // The start of a span that finds no place is no loss: its end will come.
    if (span.durationMs < 0 && (isFull || this.#isStopped)) return;
    ledger.enqueued++;
    if (this.#isStopped) {
      ledger.dropped.shutdown++;
      return;
    }
    if (isFull) {
      ledger.dropped.queue_full++;
      this.#loop?.bufferWasFull(1);
      return;
    }
    buffer.push(span);
    if (pushUrl === undefined) return;
    if (buffer.size >= batchSize) this.#schedule(0);
    else this.#schedule(span.durationMs < 0 ? LIVE_DELAY_MS : flushInterval * 1000);
  }

  /** Full: with a collector to send to, the newest span goes; without, the oldest, for the latest are worth more. */
  #makeRoom(bytes: number): boolean {
    if (this.#config.pushUrl !== undefined) return false;
    while (!this.#buffer.hasRoom(bytes)) {
      const [oldest] = this.#buffer.take(1, Infinity);
      if (oldest === undefined) return false;
      releaseTexts(oldest);
      this.#ledger.taken++;
      this.#ledger.dropped.queue_full++;
    }
    return true;
  }

  /** Sends in so many milliseconds, or earlier where that was planned already. */
  #schedule(delayMs: number): void {
    // A timer that was set before with the same delay, or with less, is due before: most spans find it.
    if (this.#timer !== undefined && this.#timerDelayMs <= delayMs) return;
    if (this.#loop?.isDraining === true) return;
    clearTimeout(this.#timer);
    this.#timerDelayMs = delayMs;
    const restMs = (this.#loop?.restUntilMs ?? 0) - performance.now();
    const isWholeBatch = delayMs === 0;
    // Outside of every span: the timer would else hold the one that happens to run.
    this.#timer = runInContext(undefined, () =>
      setTimeout(
        () => {
          this.#timer = undefined;
          void this.#load().then((loop) => loop?.drain(!isWholeBatch));
        },
        Math.max(delayMs, restMs),
      ).unref(),
    );
  }

  /**
   * What sends; undefined where it cannot be loaded, because the files of the running app were replaced, for one. Then the
   * spans wait, and the next time tries again.
   */
  #load(): Promise<DeliveryLoop | undefined> {
    return (this.#loading ??= runInContext(undefined, () =>
      import("./delivery-loop.js")
        .then(
          ({ createDeliveryLoop }) =>
            (this.#loop = createDeliveryLoop({
              config: this.#config,
              prices: this.#prices,
              buffer: this.#buffer,
              ledger: this.#ledger,
              drained: () => {
                if (this.#buffer.size > 0 && !this.#isStopped)
                  this.#schedule(this.#config.live ? LIVE_DELAY_MS : this.#config.flushInterval * 1000);
              },
            })),
        )
        .catch((error: unknown) => {
          this.#loading = undefined;
          warnOnce("load", `Spans cannot be sent: ${String(error)}`);
          return undefined;
        }),
    ));
  }

  flush(): Promise<void> {
    return this.#deliver("flush");
  }

  settle(): Promise<void> {
    return this.#deliver("settle");
  }

  async #deliver(how: "flush" | "settle"): Promise<void> {
    if (this.#config.pushUrl === undefined || this.stats().pending === 0) return;
    await (await this.#load())?.[how]();
  }

  watchExit(): void {
    // Without a collector there is nothing to send at the end.
    if (this.#config.pushUrl === undefined) return;
    const forget = () => {
      for (const event of EXIT_EVENTS) process.removeListener(event, onExit);
    };
    // Now, for at the end its file may be gone: a deployment has replaced it. Without it the signals end the process alone.
    const loading = import("./process-exit.js").catch(forget);
    // `beforeExit` comes again after each time that something was done in it: then nothing is pending.
    const onExit = (event: number | string) => {
      if (typeof event === "string" || this.stats().pending > 0)
        void loading.then((exit) => exit?.endOrderly(this, event, onExit));
    };
    for (const event of EXIT_EVENTS) process.on(event, onExit);
    this.#forgetExit = forget;
  }

  shutdown(): Promise<void> {
    return (this.#stopping ??= this.settle().then(() => {
      this.#isStopped = true;
      clearTimeout(this.#timer);
      this.#loop?.close();
      this.#forgetExit?.();
    }));
  }

  stats(): ExporterStats {
    return this.#ledger.stats(this.#buffer.size);
  }

  takeSpans(): Span[] {
    const taken = this.#buffer.take(Infinity, Infinity).map(handOver);
    this.#ledger.taken += taken.length;
    this.#ledger.acked += taken.length;
    return taken;
  }
}
