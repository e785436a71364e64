import { runInContext } from "../capture/context.js";
import type { PriceLookup } from "../capture/cost.js";
import { newSpanId } from "../capture/ids.js";
import type { RecordedSpan } from "../capture/recorded-span.js";
import { warn } from "../capture/warnings.js";
import type { Config } from "../config/options.js";
import { ingestionUrl } from "../config/push-url.js";
import type { Span } from "../wire/index.js";
import { createBatchSender, type BatchSender, type Outcome } from "./batch-sender.js";
import { createTransport } from "./http-transport.js";
import { noDrops, type ExporterStats } from "./ledger.js";
import { SpanBuffer } from "./span-buffer.js";
import { releaseTexts, toWireSpan } from "./span-json.js";
import { TroubleLog } from "./trouble-log.js";

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
}

/** With `live`, how soon the start of a span is sent: the viewer should show work while it goes on. */
const LIVE_DELAY_MS = 200;
/** Most JSON in one request, about: the collector reads bodies of 10 MiB. */
const MAX_BATCH_BYTES = 5 * 1024 * 1024;

/** Makes the exporter of a configuration. */
export function createExporter(config: Config, prices: PriceLookup | undefined): SpanExporter {
  return new BackgroundExporter(config, prices);
}

class BackgroundExporter implements SpanExporter {
  readonly #config: Config;
  readonly #prices: PriceLookup | undefined;
  readonly #buffer: SpanBuffer;
  /** Absent while `pushUrl` is unset. */
  readonly #sender: BatchSender | undefined;
  readonly #closeTransport: () => void;
  readonly #trouble: TroubleLog;
  readonly #debug: (message: string) => void;

  #enqueued = 0;
  #acked = 0;
  readonly #dropped = noDrops();
  /** Spans of the batch that is under way. */
  #inFlight = 0;
  /** Spans ever taken from the buffer; tells a flush when those that it waits for are through. */
  #taken = 0;
  /** After the collector could not be reached: the moment before which it is not tried again by itself. */
  #restUntilMs = 0;

  #timer: NodeJS.Timeout | undefined;
  #timerDueMs = 0;
  #draining: Promise<void> | undefined;
  /** Up to this one of all spans ever taken, less than a whole batch is sent too. */
  #drainUpTo = 0;
  /** Those that wait for spans to be through, up to one of all that were ever taken. */
  #flushes: { readonly upTo: number; readonly resolve: () => void }[] = [];
  #abort = new AbortController();
  #stopping: Promise<void> | undefined;
  #isStopped = false;

  constructor(config: Config, prices: PriceLookup | undefined) {
    this.#config = config;
    this.#prices = prices;
    this.#buffer = new SpanBuffer(config.maxQueueSize, config.maxQueueBytes);
    this.#debug = config.debug ? say : () => undefined;
    this.#trouble = new TroubleLog({ warn, inform: say, nowMs: () => performance.now() });
    this.#closeTransport = () => undefined;
    if (config.pushUrl !== undefined) {
      const url = ingestionUrl(config.pushUrl);
      const transport = createTransport({
        url,
        headers: headersOf(config),
        timeoutMs: config.timeout * 1000,
      });
      this.#closeTransport = () => transport.close();
      this.#sender = createBatchSender({
        config,
        transport,
        shownUrl: url.origin + url.pathname,
        newBatchId: () => newSpanId() + newSpanId(),
        random: Math.random,
        settled: (count, outcome) => this.#settled(count, outcome),
        debug: this.#debug,
      });
    }
  }

  offer(span: RecordedSpan): void {
    try {
      // It was queued when it started, and has not been sent: it goes as what it is by then.
      if (span.queuedBytes >= 0) this.#buffer.resize(span);
      else this.#enqueue(span);
    } catch (error) {
      this.#debug(`A span was not queued: ${String(error)}`);
    }
  }

  #enqueue(span: RecordedSpan): void {
    const isFull = !this.#isStopped && !this.#buffer.hasRoom(span.bytes) && !this.#makeRoom(span.bytes);
    // The start of a span that finds no place is no loss: its end will come.
    if (span.durationMs < 0 && (isFull || this.#isStopped)) return;
    this.#enqueued++;
    if (this.#isStopped) {
      this.#dropped.shutdown++;
      return;
    }
    if (isFull) {
      this.#dropped.queue_full++;
      this.#trouble.lost(
        1,
        `the buffer is full (maxQueueSize = ${this.#config.maxQueueSize} spans, maxQueueBytes = ${this.#config.maxQueueBytes})`,
      );
      return;
    }
    this.#buffer.push(span);
    if (this.#sender === undefined) return;
    if (this.#buffer.size >= this.#config.batchSize) this.#schedule(0);
    else this.#schedule(span.durationMs < 0 ? LIVE_DELAY_MS : this.#config.flushInterval * 1000);
  }

  /** Full: with a collector to send to, the newest span goes; without, the oldest, for the latest are worth more. */
  #makeRoom(bytes: number): boolean {
    if (this.#sender !== undefined) return false;
    while (!this.#buffer.hasRoom(bytes)) {
      const oldest = this.#buffer.shift();
      if (oldest === undefined) return false;
      releaseTexts(oldest);
      this.#taken++;
      this.#dropped.queue_full++;
    }
    return true;
  }

  /** Sends in so many milliseconds, or earlier where that was planned already. */
  #schedule(delayMs: number): void {
    if (this.#draining !== undefined) return;
    const nowMs = performance.now();
    const dueMs = Math.max(nowMs + delayMs, this.#restUntilMs);
    if (this.#timer !== undefined) {
      if (this.#timerDueMs <= dueMs) return;
      clearTimeout(this.#timer);
    }
    this.#timerDueMs = dueMs;
    const isWholeBatch = delayMs === 0;
    // Outside of every span: the timer would else hold the one that happens to run.
    this.#timer = runInContext(undefined, () =>
      setTimeout(() => {
        this.#timer = undefined;
        this.#drain(!isWholeBatch);
      }, dueMs - nowMs).unref(),
    );
  }

  /**
   * Sends batch after batch: while there are whole ones, and with `all` whatever waits now. Ends early where the collector
   * cannot be reached.
   */
  #drain(all: boolean): void {
    if (all) this.#drainUpTo = this.#taken + this.#buffer.size;
    this.#draining ??= runInContext(undefined, () => this.#sendBatches()).then((isReached) => {
      this.#draining = undefined;
      const nowMs = performance.now();
      if (!isReached) this.#restUntilMs = nowMs + this.#config.flushInterval * 1000;
      // Somebody has begun to wait just as the last batch was through.
      if (isReached && this.#flushes.length > 0) this.#drain(true);
      else {
        for (const { resolve } of this.#flushes.splice(0)) resolve();
        if (this.#buffer.size > 0 && !this.#isStopped)
          this.#schedule(this.#config.live ? LIVE_DELAY_MS : this.#config.flushInterval * 1000);
      }
    });
  }

  /** @returns false where the collector could not be reached. */
  async #sendBatches(): Promise<boolean> {
    const sender = this.#sender;
    if (sender === undefined) return false;
    // A turn later: the code that has just ended a span does not wait for its JSON.
    await Promise.resolve();
    try {
      if (this.#prices?.isLoaded === false) await this.#prices.loaded;
      const { batchSize } = this.#config;
      while (this.#buffer.size >= (this.#taken < this.#drainUpTo ? 1 : batchSize)) {
        const batch = this.#buffer.shiftBatch(batchSize, MAX_BATCH_BYTES);
        this.#taken += batch.length;
        this.#inFlight = batch.length;
        if (!(await sender.send(batch.map(writeSpan), this.#abort.signal))) return false;
        this.#endFlushes();
      }
    } catch (error) {
      // Nothing above should throw; if it does, what was under way is lost, and counted.
      const why = `the exporter failed (${String(error)})`;
      this.#settled(this.#inFlight, { type: "dropped", reason: "refused", why });
    }
    this.#endFlushes();
    return true;
  }

  /** Tells those that wait for a flush whose spans are all through. */
  #endFlushes(): void {
    for (const { resolve } of this.#flushes.filter(({ upTo }) => upTo <= this.#taken)) resolve();
    this.#flushes = this.#flushes.filter(({ upTo }) => upTo > this.#taken);
  }

  #settled(count: number, outcome: Outcome): void {
    this.#inFlight -= count;
    if (outcome.type === "acked") {
      this.#acked += count;
      this.#trouble.delivered();
    } else if (count > 0) {
      this.#dropped[outcome.reason] += count;
      this.#trouble.lost(count, outcome.why);
    }
  }

  async flush(): Promise<void> {
    const upTo = this.#taken + this.#buffer.size;
    if (this.#sender === undefined || (this.#buffer.size === 0 && this.#inFlight === 0)) return;
    const release = keepProcessAlive();
    await new Promise<void>((resolve) => {
      this.#flushes.push({ upTo, resolve });
      this.#drain(true);
    });
    release();
  }

  async settle(): Promise<void> {
    const limitMs = this.#config.shutdownTimeout * 1000;
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)));
    await Promise.race([this.flush(), limit]);
    clearTimeout(timer);
    if (this.#sender !== undefined) await this.#abandon();
  }

  /** Gives up what is still under way or waiting. */
  async #abandon(): Promise<void> {
    if (this.#draining !== undefined) {
      this.#abort.abort();
      await this.#draining;
      this.#abort = new AbortController();
    }
    const count = this.#buffer.size;
    while (this.#buffer.shift() !== undefined) this.#taken++;
    this.#inFlight += count;
    this.#settled(count, {
      type: "dropped",
      reason: "shutdown",
      why: `they could not be sent within shutdownTimeout = ${this.#config.shutdownTimeout} s`,
    });
  }

  shutdown(): Promise<void> {
    return (this.#stopping ??= this.settle().finally(() => {
      this.#isStopped = true;
      clearTimeout(this.#timer);
      this.#closeTransport();
    }));
  }

  stats(): ExporterStats {
    return {
      enqueued: this.#enqueued,
      acked: this.#acked,
      dropped: { ...this.#dropped },
      pending: this.#buffer.size + this.#inFlight,
    };
  }

  takeSpans(): Span[] {
    const taken: Span[] = [];
    for (let span = this.#buffer.shift(); span !== undefined; span = this.#buffer.shift()) {
      taken.push(toWireSpan(span));
      releaseTexts(span);
    }
    this.#taken += taken.length;
    this.#acked += taken.length;
    return taken;
  }
}

function writeSpan(span: RecordedSpan): string {
  const json = JSON.stringify(toWireSpan(span));
  releaseTexts(span);
  return json;
}

function headersOf({ apiKey, tenant }: Config): Record<string, string> {
  return {
    ...(apiKey === undefined ? {} : { "X-API-Key": apiKey }),
    ...(tenant === undefined ? {} : { "X-Tenant-ID": tenant }),
  };
}

/** Everything else of the exporter lets the process end; somebody waits for this. */
function keepProcessAlive(): () => void {
  const timer = setInterval(() => undefined, 2 ** 30);
  return () => clearInterval(timer);
}

function say(message: string): void {
  try {
    console.info(`[obspan] ${message}`);
  } catch {
    // A console that throws is no reason to disturb the app.
  }
}
