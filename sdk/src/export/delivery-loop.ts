import { clearInterval, clearTimeout, setInterval, setTimeout } from "node:timers";
import { newSpanId } from "../capture/ids.js";
import type { PriceBook } from "../capture/price-table.js";
import { say, warn } from "../capture/warnings.js";
import type { Config } from "../config/options.js";
import { headersOf, ingestionUrl, MAX_BATCH_BYTES } from "./batch-request.js";
import { createBatchSender, type BatchSender, type Outcome } from "./batch-sender.js";
import { createTransport, type Transport } from "./http-transport.js";
import type { Ledger } from "./ledger.js";
import type { SpanBuffer } from "./span-buffer.js";
import { BodyWriter, isLoopback } from "./request-body.js";
import { withoutTracing } from "./without-tracing.js";
import { handOver } from "./span-json.js";
import { TroubleLog } from "./trouble-log.js";

/** What sends the buffer's spans, batch by batch. */
export interface DeliveryLoop {
  readonly isDraining: boolean;
  /** After the collector could not be reached: the moment (monotonic) before which it is not tried again by itself. */
  readonly restUntilMs: number;
  /** Sends whole batches, and with `all` whatever waits now. */
  drain(all: boolean): void;
  /** Spans found no place in the buffer, and were dropped and counted. */
  bufferWasFull(lost: number): void;
  flush(): Promise<void>;
  settle(): Promise<void>;
  /** The end: drops and counts what has come since the last {@link settle}, and closes the connection. */
  close(): Promise<void>;
}

/** What the loop works with. */
export interface DeliveryLoopOptions {
  /** With a push URL. */
  readonly config: Config;
  readonly prices: PriceBook | undefined;
  readonly buffer: SpanBuffer;
  readonly ledger: Ledger;
  /** Told each time that sending has come to its end. */
  readonly drained: () => void;
}

/** Times that {@link DeliveryLoop.settle} begins again for what has come since it began. */
const MAX_ROUNDS = 3;

/** Makes the loop, and what it sends with. */
export function createDeliveryLoop(options: DeliveryLoopOptions): DeliveryLoop {
  return new BatchLoop(options);
}

class BatchLoop implements DeliveryLoop {
  readonly #options: DeliveryLoopOptions;
  readonly #transport: Transport;
  readonly #sender: BatchSender;
  readonly #trouble = new TroubleLog({ warn, inform: say, nowMs: () => performance.now() });
  #draining: Promise<void> | undefined;
  #restUntilMs = 0;
  /** Up to this one of all spans ever taken, less than a whole batch is sent too. */
  #drainUpTo = 0;
  /** Those that wait for spans to be through, up to one of all that were ever taken. */
  #flushes: { readonly upTo: number; readonly resolve: () => void }[] = [];
  #abort = new AbortController();

  constructor(options: DeliveryLoopOptions) {
    this.#options = options;
    const { config, ledger } = options;
    const url = ingestionUrl(config.pushUrl ?? "");
    this.#transport = createTransport({ url, headers: headersOf(config), timeoutMs: config.timeout * 1000 });
    this.#sender = createBatchSender({
      config,
      transport: this.#transport,
      bodies: new BodyWriter(!isLoopback(url)),
      shownUrl: url.origin + url.pathname,
      newBatchId: () => newSpanId() + newSpanId(),
      random: Math.random,
      sending: (json, spanCount) => (ledger.underWay = { json, spanCount }),
      settled: (count, outcome) => this.#settled(count, outcome),
      debug: config.debug ? say : undefined,
    });
    // What was lost before there was anybody to say so.
    this.bufferWasFull(ledger.dropped.queue_full);
  }

  get isDraining(): boolean {
    return this.#draining !== undefined;
  }

  get restUntilMs(): number {
    return this.#restUntilMs;
  }

  drain(all: boolean): void {
    const { buffer, ledger, config, drained } = this.#options;
    if (all) this.#drainUpTo = ledger.taken + buffer.size;
    this.#draining ??= withoutTracing(() => this.#sendBatches()).then((isReached) => {
      this.#draining = undefined;
      if (!isReached) this.#restUntilMs = performance.now() + config.flushInterval * 1000;
      // Somebody has begun to wait just as the last batch was through.
      if (isReached && this.#flushes.length > 0) {
        this.drain(true);
        return;
      }
      for (const { resolve } of this.#flushes.splice(0)) resolve();
      drained();
    });
  }

  /** @returns false where the collector could not be reached. */
  async #sendBatches(): Promise<boolean> {
    const { buffer, ledger, config, prices } = this.#options;
    // A turn later: the code that has just ended a span does not wait for its JSON.
    await Promise.resolve();
    try {
      if (prices?.isLoaded === false) await prices.loaded;
      while (buffer.size >= (ledger.taken < this.#drainUpTo ? 1 : config.batchSize)) {
        const batch = buffer.take(config.batchSize, MAX_BATCH_BYTES);
        ledger.taken += batch.length;
        ledger.inFlight = batch.length;
        if (!(await this.#sender.send(batch.map(handOver), this.#abort.signal))) return false;
        this.#endFlushes();
      }
    } catch (error) {
      // Nothing above should throw; if it does, what was under way is lost, and counted.
      const why = `the exporter failed (${String(error)})`;
      this.#settled(ledger.inFlight, { type: "dropped", reason: "refused", why });
    }
    this.#endFlushes();
    return true;
  }

  /** Tells those that wait for a flush whose spans are all through. */
  #endFlushes(): void {
    const { taken } = this.#options.ledger;
    for (const { resolve } of this.#flushes.filter(({ upTo }) => upTo <= taken)) resolve();
    this.#flushes = this.#flushes.filter(({ upTo }) => upTo > taken);
  }

  #settled(count: number, outcome: Outcome): void {
    const { ledger } = this.#options;
    ledger.inFlight -= count;
    if (outcome.type === "acked") {
      ledger.acked += count;
      this.#trouble.delivered();
    } else if (count > 0) {
      ledger.dropped[outcome.reason] += count;
      this.#trouble.lost(count, outcome.why);
    }
  }

  bufferWasFull(lost: number): void {
    const { maxQueueSize, maxQueueBytes } = this.#options.config;
    if (lost === 0) return;
    const bounds = `maxQueueSize = ${maxQueueSize} spans, maxQueueBytes = ${maxQueueBytes}`;
    this.#trouble.lost(lost, `the buffer is full (${bounds})`);
  }

  async flush(): Promise<void> {
    const { buffer, ledger } = this.#options;
    const upTo = ledger.taken + buffer.size;
    if (buffer.size === 0 && ledger.inFlight === 0) return;
    // All else of the exporter lets the process end; somebody waits for this.
    const keepsProcessAlive = setInterval(() => undefined, 2 ** 30);
    await new Promise<void>((resolve) => {
      this.#flushes.push({ upTo, resolve });
      this.drain(true);
    });
    clearInterval(keepsProcessAlive);
  }

  async settle(): Promise<void> {
    const { buffer, ledger, config } = this.#options;
    const upTo = ledger.taken + buffer.size;
    const limit = { isOver: false };
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        limit.isOver = true;
        resolve();
      }, config.shutdownTimeout * 1000);
    });
    // What comes in the meantime is sent too, unless it never ends.
    for (let round = 0; round < MAX_ROUNDS && !limit.isOver; round++) {
      await Promise.race([this.flush(), over]);
      if (ledger.taken < upTo) break;
    }
    clearTimeout(timer);
    const why = `they could not be sent within shutdownTimeout = ${config.shutdownTimeout} s`;
    if (limit.isOver || ledger.taken < upTo) await this.#abandon(why);
  }

  /** Gives up what is still under way or waiting. */
  async #abandon(why: string): Promise<void> {
    const { buffer, ledger } = this.#options;
    if (this.#draining !== undefined) {
      this.#abort.abort();
      await this.#draining;
      this.#abort = new AbortController();
    }
    const count = buffer.take(Infinity, Infinity).length;
    ledger.taken += count;
    ledger.inFlight += count;
    this.#settled(count, { type: "dropped", reason: "shutdown", why });
  }

  async close(): Promise<void> {
    await this.#abandon("they came while shutdown() was under way");
    this.#transport.close();
  }
}
