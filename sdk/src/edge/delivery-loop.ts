import { batchJson, headersOf, ingestionUrl, MAX_BATCH_BYTES } from "../export/batch-request.js";
import { createBatchSender, type Outcome } from "../export/batch-sender.js";
import type { DeliveryLoop, DeliveryLoopOptions } from "../export/delivery-loop.js";
import { isLoopback } from "../export/loopback.js";
import { toWireSpan, type QueuedSpan } from "../export/queued-span.js";
import { RevisionText } from "../export/revision-text.js";
import { readRetryAfterMs, retryWaitMs } from "../export/retry-policy.js";
import { Settlement } from "../export/settlement.js";
import type { Transport } from "../export/transport.js";
import { readVcsVariables, toVcsAttributes } from "../export/vcs-variables.js";
import { withoutTracing } from "../export/without-tracing.js";
import { newSpanId } from "../span/ids.js";
import { log } from "../warnings.js";
import type { Span } from "../wire/index.js";
import { isPageHidden } from "./exit-watch.js";
import { encodeBody, type FetchBody } from "./fetch-body.js";
import { createTransport } from "./fetch-transport.js";
import { clearTimeout, setTimeout, type Timer } from "./timers.js";

/** A batch that is being sent. */
interface Sending {
  readonly batchId: string;
  /** How many spans were taken out of the buffer before these. */
  readonly firstSpan: number;
  readonly taken: readonly QueuedSpan[];
  /** The spans as they are sent, from the first start on. */
  spans: readonly Span[] | undefined;
  /** Spans that are neither acknowledged nor dropped. */
  unsettled: number;
  /** When it stalls: its next step comes before, unless the request that it runs in has ended. */
  stallsAtMs: number;
  /** How often it was started. Only the last start counts. */
  starts: number;
  abort: AbortController | undefined;
}

/**
 * Most batches that are sent at the same time, once the collector has accepted one. Until then, and after a failure, it is
 * one batch at a time. Meanwhile spans wait in the bounded buffer.
 */
const MAX_SENDINGS = 4;
/** How often a flush looks for the batches of other requests, in milliseconds. */
const POLL_MS = 50;
/** How late a step of a batch comes at most, in milliseconds. */
const GRACE_MS = 1000;

/** Creates the loop and its transport. */
export function createDeliveryLoop(options: DeliveryLoopOptions): DeliveryLoop {
  return new FetchLoop(options);
}

/**
 * Sends batches in a runtime that ties I/O to requests. Cloudflare Workers stops everything that a request started when the
 * request has ended, and its promises never settle. So each flush sends what it finds in the buffer by itself, and waits for
 * the batches of others with timers of its own. A batch whose request has ended is sent once more under its id, and the
 * collector counts it once.
 */
class FetchLoop implements DeliveryLoop {
  readonly lastBatch = undefined;
  readonly #options: DeliveryLoopOptions;
  readonly #url: URL;
  readonly #transport: Transport<FetchBody>;
  readonly #revision: RevisionText;
  readonly #settlement: Settlement;
  readonly #sendings = new Set<Sending>();
  #resumeAtMs = 0;
  #isReachable = false;
  /** How often the collector could not be reached. */
  #failures = 0;

  constructor(options: DeliveryLoopOptions) {
    this.#options = options;
    const { config, environment, ledger } = options;
    this.#settlement = new Settlement(config, ledger);
    this.#revision = new RevisionText(toVcsAttributes(readVcsVariables(environment)));
    this.#url = ingestionUrl(config.pushUrl ?? "");
    this.#transport = createTransport({
      url: this.#url,
      headers: headersOf(config),
      timeoutMs: config.timeout * 1000,
    });
    // Spans that were dropped before this loop was loaded.
    this.reportFull(ledger.stats(0).dropped.queue_full);
  }

  get isDraining(): boolean {
    return this.#activeSendings() > 0;
  }

  get resumeAtMs(): number {
    return this.#resumeAtMs;
  }

  drain(all: boolean): void {
    if (this.isDraining) return;
    const { buffer, ledger } = this.#options;
    void this.#sendBuffered(all ? ledger.taken + buffer.size : 0);
  }

  reportFull(dropped: number): void {
    this.#settlement.reportFull(dropped);
  }

  async flush(): Promise<void> {
    const { buffer, ledger } = this.#options;
    const upTo = ledger.taken + buffer.size;
    await this.#sendBuffered(upTo);
    // Other requests may have taken spans before this flush, or while it waited.
    for (const sending of this.#sendings) {
      while (sending.firstSpan < upTo && this.#sendings.has(sending)) {
        if (isStalled(sending)) await this.#send(sending);
        else await sleep(POLL_MS);
      }
    }
  }

  async settle(): Promise<void> {
    const { shutdownTimeout } = this.#options.config;
    let timer: Timer | undefined;
    const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, shutdownTimeout * 1000)));
    await Promise.race([this.flush(), over]);
    clearTimeout(timer);
    this.#abandon(`they could not be sent within shutdownTimeout = ${shutdownTimeout} s`);
  }

  close(): Promise<void> {
    this.#abandon("they came while shutdown() was under way");
    return Promise.resolve();
  }

  #activeSendings(): number {
    return [...this.#sendings].filter((sending) => !isStalled(sending)).length;
  }

  /** Sends full batches; up to the span with this number also batches that are not full. */
  async #sendBuffered(upTo: number): Promise<void> {
    const { buffer, ledger, config, prices, onDrained } = this.#options;
    if (prices?.isLoaded === false) await prices.loaded;
    const failures = this.#failures;
    // A batch of another request that fails meanwhile says that the collector cannot be reached.
    while (this.#failures === failures && buffer.size >= (ledger.taken < upTo ? 1 : config.batchSize)) {
      if (this.#activeSendings() >= (this.#isReachable ? MAX_SENDINGS : 1)) {
        await sleep(POLL_MS);
        continue;
      }
      const firstSpan = ledger.taken;
      const taken = buffer.take(config.batchSize, MAX_BATCH_BYTES);
      ledger.take(taken.length);
      const sending: Sending = {
        batchId: newSpanId() + newSpanId(),
        firstSpan,
        taken,
        spans: undefined,
        unsettled: taken.length,
        stallsAtMs: 0,
        starts: 0,
        abort: undefined,
      };
      this.#sendings.add(sending);
      if (await this.#send(sending)) continue;
      this.#isReachable = false;
      this.#failures++;
      this.#resumeAtMs = performance.now() + config.flushInterval * 1000;
    }
    onDrained();
  }

  /** @returns false if the collector could not be reached. */
  async #send(sending: Sending): Promise<boolean> {
    const { config } = this.#options;
    const start = ++sending.starts;
    const abort = new AbortController();
    sending.abort = abort;
    const settle = (count: number, outcome: Outcome) => {
      if (sending.starts === start) this.#settle(sending, count, outcome);
    };
    let batchId: string | undefined = sending.batchId;
    const sender = createBatchSender({
      config,
      transport: this.#observedBy(sending),
      bodies: { write: (json) => encodeBody(json, !isLoopback(this.#url) && !isPageHidden()) },
      displayUrl: this.#url.origin + this.#url.pathname,
      // The halves of a batch that is too large are batches of their own.
      newBatchId() {
        const id = batchId ?? newSpanId() + newSpanId();
        batchId = undefined;
        return id;
      },
      toJson: (id, spans) => this.#revision.write(batchJson(config, id, spans)),
      random: Math.random,
      onSend: () => undefined,
      onSettled: settle,
      debug: config.debug ? log : undefined,
    });
    stallAfter(sending, 0);
    try {
      const spans = (sending.spans ??= sending.taken.map((queued) =>
        this.#revision.mark(toWireSpan(queued)),
      ));
      return await withoutTracing(() => sender.send(spans, abort.signal));
    } catch (error) {
      // The code above should never throw. If it does, the batch is lost, and counted.
      const why = `the exporter failed (${String(error)})`;
      settle(sending.unsettled, { type: "dropped", reason: "refused", why });
      return true;
    }
  }

  /** The transport for the steps of one batch. */
  #observedBy(sending: Sending): Transport<FetchBody> {
    const { timeout, retryBackoff } = this.#options.config;
    const transport = this.#transport;
    let attempts = 0;
    return {
      close: () => undefined,
      async post(body, signal) {
        stallAfter(sending, timeout * 1000);
        let retryAfter: string | undefined;
        try {
          const response = await transport.post(body, signal);
          ({ retryAfter } = response);
          return response;
        } finally {
          const retryAfterMs = readRetryAfterMs(retryAfter, Date.now());
          stallAfter(sending, retryWaitMs(attempts++, retryBackoff * 1000, retryAfterMs, 1));
        }
      },
    };
  }

  #settle(sending: Sending, count: number, outcome: Outcome): void {
    // A batch that was split before it stalled is sent again as a whole.
    const settled = Math.min(count, sending.unsettled);
    sending.unsettled -= settled;
    if (outcome.type === "acked") this.#isReachable = true;
    if (sending.unsettled === 0) this.#sendings.delete(sending);
    this.#settlement.settle(settled, outcome);
  }

  /** Drops what is being sent and what is in the buffer. */
  #abandon(why: string): void {
    const { buffer, ledger } = this.#options;
    const outcome: Outcome = { type: "dropped", reason: "shutdown", why };
    for (const sending of this.#sendings) {
      sending.starts++;
      this.#settle(sending, sending.unsettled, outcome);
      try {
        sending.abort?.abort();
      } catch {
        // The request of another batch.
      }
    }
    const count = buffer.take(Infinity, Infinity).length;
    ledger.take(count);
    this.#settlement.settle(count, outcome);
  }
}

function isStalled({ stallsAtMs }: Sending): boolean {
  return Date.now() > stallsAtMs;
}

function stallAfter(sending: Sending, ms: number): void {
  sending.stallsAtMs = Date.now() + ms + GRACE_MS;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
