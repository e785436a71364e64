import type { Config } from "../config/options.js";
import type { Environment } from "../config/read-config.js";
import { clearTimeout, setTimeout, type Timer } from "../platform/timers.js";
import type { SpanPricer } from "../prices/span-pricer.js";
import { newSpanId } from "../span/ids.js";
import type { RecordedSpan } from "../span/recorded-span.js";
import { log } from "../warnings.js";
import type { Span } from "../wire/index.js";
import { batchJson, headersOf, ingestionUrl, MAX_BATCH_BYTES } from "./batch-request.js";
import { createBatchSender, type BatchSender } from "./batch-sender.js";
import { GatherPause } from "./gather-pause.js";
import { createTransport } from "./http-transport.js";
import type { Ledger } from "./ledger.js";
import type { LiveTexts } from "./live-texts.js";
import { proxyOf } from "./proxy.js";
import { toWireSpan, type QueuedSpan } from "./queued-span.js";
import { isLoopback } from "./loopback.js";
import { BodyWriter, type RequestBody } from "./request-body.js";
import { RevisionText } from "./revision-text.js";
import { Settlement } from "./settlement.js";
import type { SpanBuffer } from "./span-buffer.js";
import type { Transport } from "./transport.js";
import { readVcsAttributes } from "./vcs-attributes.js";
import type { VcsAttributes } from "./vcs-variables.js";
import { withoutTracing } from "./without-tracing.js";

/** A batch as it was sent. */
export interface SentBatch {
  readonly json: string;
  readonly spanCount: number;
}

/** Sends the buffered spans, batch by batch. */
export interface DeliveryLoop {
  /** The last batch that was sent, or the half of it after a split. While spans are in flight, it is theirs. */
  readonly lastBatch: SentBatch | undefined;
  readonly isDraining: boolean;
  /**
   * When the exporter sends again by itself, in ms of the monotonic clock: later than now if the collector could not be
   * reached, or while full batches gather.
   */
  readonly resumeAtMs: number;
  /** Sends full batches; with `all` also the spans that do not fill one. */
  drain(all: boolean): void;
  /** Warns that spans were dropped because the buffer was full. The ledger has counted them. */
  reportFull(dropped: number): void;
  flush(): Promise<void>;
  settle(): Promise<void>;
  /** Drops and counts the spans that came since the last {@link settle}, and closes the connection. */
  close(): Promise<void>;
}

/** What the loop works with. */
export interface DeliveryLoopOptions {
  /** Has a `pushUrl`. */
  readonly config: Config;
  readonly prices: SpanPricer | undefined;
  readonly environment: Environment;
  readonly buffer: SpanBuffer;
  readonly ledger: Ledger;
  /** Called each time that the loop stops sending. */
  readonly onDrained: () => void;
}

/** Longest request with the texts of streams. */
const LIVE_TIMEOUT_MS = 2000;

/** How often {@link DeliveryLoop.settle} flushes: again for the spans that came during a flush. */
const MAX_FLUSHES = 3;

/** Creates the loop and its transport. */
export function createDeliveryLoop(options: DeliveryLoopOptions): DeliveryLoop {
  return new BatchLoop(options);
}

class BatchLoop implements DeliveryLoop {
  readonly #options: DeliveryLoopOptions;
  readonly #transport: Transport<RequestBody>;
  readonly #sender: BatchSender;
  readonly #settlement: Settlement;
  #draining: Promise<void> | undefined;
  #lastBatch: SentBatch | undefined;
  #resumeAtMs = 0;
  readonly #pause: GatherPause;
  /** Since the last pause. */
  #sent = { spans: 0, bytes: 0 };
  /** While `ledger.taken` is below this number, batches that are not full are sent too. */
  #drainUpTo = 0;
  /** Callers of `flush()`. Each waits until `ledger.taken` has reached `upTo`. */
  #flushes: { readonly upTo: number; readonly resolve: () => void }[] = [];
  #abort = new AbortController();
  readonly #vcs: Promise<VcsAttributes>;
  /** Present once the revision of the app is read: before the first batch. */
  #revision: RevisionText | undefined;
  /** Running spans whose start was sent; undefined without `live`. */
  readonly #started: WeakSet<RecordedSpan> | undefined;
  #liveTexts: LiveTexts | undefined;
  #isClosed = false;

  constructor(options: DeliveryLoopOptions) {
    this.#options = options;
    this.#vcs = readVcsAttributes(options.environment, process.cwd());
    const { config, ledger } = options;
    this.#settlement = new Settlement(config, ledger);
    this.#pause = new GatherPause({ spans: config.maxQueueSize, bytes: config.maxQueueBytes });
    const url = ingestionUrl(config.pushUrl ?? "");
    this.#transport = createTransport(
      { url, headers: headersOf(config), timeoutMs: config.timeout * 1000 },
      proxyOf(url, options.environment),
    );
    this.#sender = createBatchSender({
      config,
      transport: this.#transport,
      bodies: new BodyWriter(!isLoopback(url)),
      displayUrl: url.origin + url.pathname,
      newBatchId: () => newSpanId() + newSpanId(),
      toJson: (batchId, spans) => {
        const json = batchJson(config, batchId, spans);
        return this.#revision?.write(json) ?? json;
      },
      random: Math.random,
      onSend: (json, spanCount) => {
        this.#lastBatch = { json, spanCount };
      },
      onSettled: (count, outcome) => this.#settlement.settle(count, outcome),
      debug: config.debug ? log : undefined,
    });
    if (config.live) {
      this.#started = new WeakSet();
      // If the files of the package are gone, for example after a deployment, only the texts are missing.
      this.#sendLiveTexts(url).catch(() => undefined);
    }
    // Spans that were dropped before this loop was loaded.
    this.reportFull(ledger.stats(0).dropped.queue_full);
  }

  /** Sends the texts of streams over a connection of their own: spans never wait for them. */
  async #sendLiveTexts(url: URL): Promise<void> {
    const { config, environment } = this.#options;
    const { createLiveTexts } = await import("./live-texts.js");
    if (this.#isClosed) return;
    const transport = createTransport(
      { url, headers: headersOf(config), timeoutMs: LIVE_TIMEOUT_MS },
      proxyOf(url, environment),
    );
    const bodies = new BodyWriter(!isLoopback(url));
    const abort = new AbortController();
    const texts = createLiveTexts({
      config,
      isStarted: (span) => this.#started?.has(span) === true,
      post: (spans) =>
        withoutTracing(async () =>
          transport.post(
            await bodies.write(batchJson(config, newSpanId() + newSpanId(), spans)),
            abort.signal,
          ),
        ),
      nowMs: () => performance.now(),
    });
    this.#liveTexts = {
      stop() {
        texts.stop();
        abort.abort();
        transport.close();
      },
    };
  }

  get lastBatch(): SentBatch | undefined {
    return this.#lastBatch;
  }

  get isDraining(): boolean {
    return this.#draining !== undefined;
  }

  get resumeAtMs(): number {
    return this.#resumeAtMs;
  }

  drain(all: boolean): void {
    const { buffer, ledger, config, onDrained } = this.#options;
    if (all) this.#drainUpTo = ledger.taken + buffer.size;
    this.#draining ??= withoutTracing(() => this.#sendBatches()).then((isReachable) => {
      this.#draining = undefined;
      const nowMs = performance.now();
      const pauseMs = this.#pause.next(nowMs, this.#sent);
      this.#sent = { spans: 0, bytes: 0 };
      this.#resumeAtMs = nowMs + (isReachable ? pauseMs : config.flushInterval * 1000);
      // A caller started to wait just when the last batch was sent.
      if (isReachable && this.#flushes.length > 0) {
        this.drain(true);
        return;
      }
      for (const { resolve } of this.#flushes.splice(0)) resolve();
      onDrained();
    });
  }

  /** The spans of a batch as they are sent. Root spans carry the revision of the app. */
  #toWire(batch: readonly QueuedSpan[], revision: RevisionText): Span[] {
    const sent = this.#sent;
    sent.spans += batch.length;
    return batch.map((queued) => {
      sent.bytes += queued.bytes;
      return revision.mark(toWireSpan(queued));
    });
  }

  /** @returns false if the collector could not be reached. */
  async #sendBatches(): Promise<boolean> {
    const { buffer, ledger, config, prices } = this.#options;
    // One microtask later: the code that has just ended a span does not wait for the JSON.
    await Promise.resolve();
    try {
      if (prices?.isLoaded === false) await prices.loaded;
      // Before spans are taken: if the process ends while it waits, it finds them in the buffer.
      const revision = (this.#revision ??= new RevisionText(await this.#vcs));
      while (buffer.size >= (ledger.taken < this.#drainUpTo ? 1 : config.batchSize)) {
        const batch = buffer.take(config.batchSize, MAX_BATCH_BYTES);
        ledger.take(batch.length);
        const starts = this.#started && batch.flatMap(({ span }) => (span.isRecording ? span : []));
        if (!(await this.#sender.send(this.#toWire(batch, revision), this.#abort.signal))) return false;
        for (const span of starts ?? []) this.#started?.add(span);
        this.#resolveFlushes();
      }
    } catch (error) {
      // The code above should never throw. If it does, the batch is lost, and counted.
      const why = `the exporter failed (${String(error)})`;
      this.#settlement.settle(ledger.inFlight, { type: "dropped", reason: "refused", why });
    }
    this.#resolveFlushes();
    return true;
  }

  #resolveFlushes(): void {
    const { taken } = this.#options.ledger;
    for (const { resolve } of this.#flushes.filter(({ upTo }) => upTo <= taken)) resolve();
    this.#flushes = this.#flushes.filter(({ upTo }) => upTo > taken);
  }

  reportFull(dropped: number): void {
    this.#settlement.reportFull(dropped);
  }

  async flush(): Promise<void> {
    const { buffer, ledger } = this.#options;
    const upTo = ledger.taken + buffer.size;
    if (buffer.size === 0 && ledger.inFlight === 0) return;
    // Nothing here keeps the process alive; the time limit of the caller does.
    await new Promise<void>((resolve) => {
      this.#flushes.push({ upTo, resolve });
      this.drain(true);
    });
  }

  async settle(): Promise<void> {
    const { buffer, ledger, config } = this.#options;
    this.#sender.giveUpWhenRefused();
    const upTo = ledger.taken + buffer.size;
    const deadline = { isOver: false };
    let timer: Timer | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        deadline.isOver = true;
        resolve();
      }, config.shutdownTimeout * 1000);
    });
    // Spans that come in the meantime are sent too, but not forever.
    for (let flushes = 0; flushes < MAX_FLUSHES && !deadline.isOver; flushes++) {
      await Promise.race([this.flush(), over]);
      if (ledger.taken < upTo) break;
    }
    clearTimeout(timer);
    const why = `they could not be sent within shutdownTimeout = ${config.shutdownTimeout} s`;
    if (deadline.isOver || ledger.taken < upTo) await this.#abandon(why);
  }

  /** Drops what is being sent and what is in the buffer. */
  async #abandon(why: string): Promise<void> {
    const { buffer, ledger } = this.#options;
    if (this.#draining !== undefined) {
      this.#abort.abort();
      await this.#draining;
      this.#abort = new AbortController();
    }
    const count = buffer.take(Infinity, Infinity).length;
    ledger.take(count);
    this.#settlement.settle(count, { type: "dropped", reason: "shutdown", why });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#liveTexts?.stop();
    await this.#abandon("they came while shutdown() was under way");
    this.#transport.close();
  }
}
