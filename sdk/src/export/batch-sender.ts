import { clearTimeout, setTimeout } from "node:timers";
import type { Config } from "../config/options.js";
import type { Span } from "../wire/index.js";
import { batchJson } from "./batch-request.js";
import type { Answer, Transport } from "./http-transport.js";
import type { DropReason } from "./ledger.js";
import type { BodyWriter } from "./request-body.js";
import { readRetryAfterMs, retryWaitMs, verdictOf } from "./retry-policy.js";

/** What became of some spans; `why` reads on after "N spans were dropped: ". */
export type Outcome =
  | { readonly type: "acked" }
  | { readonly type: "dropped"; readonly reason: DropReason; readonly why: string };

/** What sending needs. */
export interface BatchSenderOptions {
  readonly config: Config;
  readonly transport: Transport;
  readonly bodies: BodyWriter;
  /** Without credentials: it stands in warnings. */
  readonly shownUrl: string;
  readonly newBatchId: () => string;
  /** 0 to 1. */
  readonly random: () => number;
  /** Told of each request's body. */
  readonly sending: (json: string, spanCount: number) => void;
  /** Told of every span of a batch exactly once, together or in parts. */
  readonly settled: (spanCount: number, outcome: Outcome) => void;
  /** Where somebody listens. */
  readonly debug: ((message: string) => void) | undefined;
}

/** Sends batches, one at a time. */
export interface BatchSender {
  /**
   * Sends some spans as one request, with its retries. Never rejects.
   *
   * @returns false where the collector could not be reached with all retries, so that sending more is no use now.
   */
  send(spans: readonly Span[], signal: AbortSignal): Promise<boolean>;
}

/** Makes a {@link BatchSender}. */
export function createBatchSender(options: BatchSenderOptions): BatchSender {
  const { config, transport, bodies, shownUrl, newBatchId, random, sending, settled, debug } = options;
  const backoffMs = config.retryBackoff * 1000;

  async function send(spans: readonly Span[], signal: AbortSignal): Promise<boolean> {
    // The retries repeat the id, so that the collector counts the batch once (contract 1).
    const json = batchJson(config, newBatchId(), spans);
    sending(json, spans.length);
    const written = bodies.write(json);
    const body = written instanceof Promise ? await written : written;

    for (let retry = 0; ; retry++) {
      let answer: Answer | Failure;
      try {
        answer = await transport.post(body, signal);
      } catch (error) {
        answer = failureOf(error);
      }
      const verdict = "status" in answer ? verdictOf(answer.status) : "retry";
      debug?.(`POST ${shownUrl}: ${spans.length} spans, ${body.length} bytes, ${describe(answer)}`);
      if (verdict === "acked") {
        settled(spans.length, { type: "acked" });
        return true;
      }
      if (signal.aborted) {
        drop(spans, "shutdown", "the process ended before they were sent");
        return false;
      }
      if (verdict === "split") return splitUp(spans, signal);
      if (verdict === "refused") {
        drop(spans, "refused", `${shownUrl} ${describe(answer)}${hint(answer)}`);
        return true;
      }
      if (retry >= config.maxRetries) {
        drop(spans, "retries_exhausted", `${shownUrl} ${describe(answer)}${hint(answer)}`);
        return false;
      }
      const asked = "status" in answer ? readRetryAfterMs(answer.retryAfter, Date.now()) : undefined;
      await sleep(retryWaitMs(retry, backoffMs, asked, random()), signal);
    }
  }

  /** 413: each half is a batch of its own. */
  async function splitUp(spans: readonly Span[], signal: AbortSignal): Promise<boolean> {
    if (spans.length === 1) {
      drop(spans, "too_large", `${shownUrl} answered 413, the span is larger than it takes`);
      return true;
    }
    const middle = Math.ceil(spans.length / 2);
    const isReached = await send(spans.slice(0, middle), signal);
    return (await send(spans.slice(middle), signal)) && isReached;
  }

  function drop(spans: readonly Span[], reason: DropReason, why: string): void {
    settled(spans.length, { type: "dropped", reason, why });
  }

  return { send };
}

interface Failure {
  readonly code: string;
}

function failureOf(error: unknown): Failure {
  return { code: error instanceof Error ? error.message : "unknown error" };
}

function describe(answer: Answer | Failure): string {
  if ("status" in answer) return `answered ${answer.status}`;
  return answer.code === "timeout" ? "did not answer in time" : `could not be reached (${answer.code})`;
}

function hint(answer: Answer | Failure): string {
  if (!("status" in answer)) return "";
  if (answer.status === 401 || answer.status === 403) return ", is apiKey (OBS_API_KEY) right?";
  if (answer.status === 404) return ", is this a collector?";
  return answer.status >= 300 && answer.status < 400
    ? ", and redirects are not followed to another origin"
    : "";
}

/** Waits, at most until the signal; keeps no process alive. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(finish, ms);
    timer.unref();
    signal.addEventListener("abort", finish, { once: true });
    function finish(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    }
  });
}
