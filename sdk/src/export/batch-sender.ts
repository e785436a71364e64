import type { Config } from "../config/options.js";
import { clearTimeout, setTimeout } from "../platform/timers.js";
import type { Span } from "../wire/index.js";
import type { DropReason } from "./ledger.js";
import { readRetryAfterMs, retryWaitMs, verdictOf } from "./retry-policy.js";
import type { Transport, TransportResponse } from "./transport.js";

/** What happened to some spans. `why` continues the sentence "N spans were dropped: ". */
export type Outcome =
  | { readonly type: "acked" }
  | { readonly type: "dropped"; readonly reason: DropReason; readonly why: string };

/** What sending needs. `Body` is the body of a request as the transport sends it. */
export interface BatchSenderOptions<Body> {
  readonly config: Config;
  readonly transport: Transport<Body>;
  /** A body is valid until the next one. */
  readonly bodies: { write(json: string): Body | Promise<Body> };
  /** The URL for warnings, without credentials. */
  readonly displayUrl: string;
  readonly newBatchId: () => string;
  /** The body of a batch. */
  readonly toJson: (batchId: string, spans: readonly Span[]) => string;
  /** Returns 0 to 1. */
  readonly random: () => number;
  /** Called with the body of each batch before it is sent. */
  readonly onSend: (json: string, spanCount: number) => void;
  /** Called exactly once for every span of a batch, for all together or in parts. */
  readonly onSettled: (spanCount: number, outcome: Outcome) => void;
  /** Logs each request. Absent without the option `debug`. */
  readonly debug: ((message: string) => void) | undefined;
}

/** Sends batches, one at a time. */
export interface BatchSender {
  /**
   * Sends spans as one request, with its retries. Never rejects.
   *
   * @returns false if the collector could not be reached after all retries: sending more is of no use now.
   */
  send(spans: readonly Span[], signal: AbortSignal): Promise<boolean>;
  /** From now on a refused connection is not retried: the process ends, and nobody listens. */
  giveUpWhenRefused(): void;
}

/** Creates a {@link BatchSender}. */
export function createBatchSender<Body extends { readonly length: number }>(
  options: BatchSenderOptions<Body>,
): BatchSender {
  const { config, transport, bodies, displayUrl, newBatchId, toJson, random, onSend, onSettled, debug } =
    options;
  const backoffMs = config.retryBackoff * 1000;

  let isEnding = false;
  let endWait = (): void => undefined;

  async function send(spans: readonly Span[], signal: AbortSignal): Promise<boolean> {
    // Retries repeat the id, so that the collector counts the batch once (contract 1).
    const json = toJson(newBatchId(), spans);
    onSend(json, spans.length);
    const written = bodies.write(json);
    const body = written instanceof Promise ? await written : written;

    for (let retry = 0; ; retry++) {
      let response: TransportResponse | Failure;
      try {
        response = await transport.post(body, signal);
      } catch (error) {
        response = failureOf(error);
      }
      const verdict = "status" in response ? verdictOf(response.status) : "retry";
      debug?.(`POST ${displayUrl}: ${spans.length} spans, ${body.length} bytes, ${describe(response)}`);
      if (verdict === "acked") {
        onSettled(spans.length, { type: "acked" });
        return true;
      }
      if (signal.aborted) {
        drop(spans, "shutdown", "the process ended before they were sent");
        return false;
      }
      if (verdict === "split") return sendHalves(spans, signal);
      if (verdict === "refused") {
        drop(spans, "refused", `${displayUrl} ${describe(response)}${hint(response)}`);
        return true;
      }
      const isRefused = "code" in response && response.code === "ECONNREFUSED";
      if (retry >= config.maxRetries || (isEnding && isRefused)) {
        drop(spans, "retries_exhausted", `${displayUrl} ${describe(response)}${hint(response)}`);
        return false;
      }
      const retryAfterMs =
        "status" in response ? readRetryAfterMs(response.retryAfter, Date.now()) : undefined;
      const waited = sleep(retryWaitMs(retry, backoffMs, retryAfterMs, random()), signal);
      if (isRefused) endWait = waited.end;
      await waited.promise;
    }
  }

  /** After a 413: each half is a batch of its own. */
  async function sendHalves(spans: readonly Span[], signal: AbortSignal): Promise<boolean> {
    if (spans.length === 1) {
      drop(spans, "too_large", `${displayUrl} answered 413, the span is larger than it accepts`);
      return true;
    }
    const middle = Math.ceil(spans.length / 2);
    const isReachable = await send(spans.slice(0, middle), signal);
    return (await send(spans.slice(middle), signal)) && isReachable;
  }

  function drop(spans: readonly Span[], reason: DropReason, why: string): void {
    onSettled(spans.length, { type: "dropped", reason, why });
  }

  return {
    send,
    giveUpWhenRefused() {
      isEnding = true;
      endWait();
    },
  };
}

/** A request that got no response. */
interface Failure {
  readonly code: string;
}

function failureOf(error: unknown): Failure {
  return { code: error instanceof Error ? error.message : "unknown error" };
}

function describe(response: TransportResponse | Failure): string {
  if ("status" in response) return `answered ${response.status}`;
  return response.code === "timeout" ? "did not answer in time" : `could not be reached (${response.code})`;
}

function hint(response: TransportResponse | Failure): string {
  if (!("status" in response)) return "";
  if (response.status === 401 || response.status === 403) return ", is apiKey (OBS_API_KEY) right?";
  if (response.status === 404) return ", is this a collector?";
  return response.status >= 300 && response.status < 400
    ? ", and redirects are not followed to another origin"
    : "";
}

/** Waits, at most until the signal. Does not keep the process alive. */
function sleep(
  ms: number,
  signal: AbortSignal,
): { readonly promise: Promise<void>; readonly end: () => void } {
  const { promise, resolve } = withResolvers();
  const timer = setTimeout(end, ms);
  timer.unref();
  signal.addEventListener("abort", end, { once: true });
  function end(): void {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    resolve();
  }
  return { promise, end };
}

/** `Promise.withResolvers` came with Node 22. */
function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve: () => resolve() };
}
