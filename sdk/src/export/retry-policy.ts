/** Longest `Retry-After` that is honoured. */
const MAX_RETRY_AFTER_MS = 30_000;
/** Waits are lengthened by up to this share, never shortened, so that many processes do not retry at the same time. */
const JITTER = 0.2;

/** What a response of the collector means for a batch. */
export type Verdict = "acked" | "retry" | "split" | "refused";

/** spec 4.10 rule 2: 5xx and 429 are retried. Any 2xx is an acknowledgement. After a 413 the batch is sent in halves. */
export function verdictOf(status: number): Verdict {
  if (status >= 200 && status < 300) return "acked";
  if (status === 429 || (status >= 500 && status < 600)) return "retry";
  return status === 413 ? "split" : "refused";
}

/**
 * How long to wait before a retry, in milliseconds.
 *
 * @param retry - 0 for the first retry.
 * @param backoffMs - the wait before the first retry; it doubles with each further retry (spec 4.10 rule 2).
 * @param retryAfterMs - the wait that the collector asked for; it applies if it is longer.
 * @param random - a random number from 0 to 1.
 */
export function retryWaitMs(
  retry: number,
  backoffMs: number,
  retryAfterMs: number | undefined,
  random: number,
): number {
  const wait = Math.max(backoffMs * 2 ** retry, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
  return Math.min(wait * (1 + JITTER * random), 2 ** 31 - 1);
}

/** Reads a `Retry-After` header: seconds or a date. Returns undefined if it is neither, or not in the future. */
export function readRetryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const waitMs = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return waitMs > 0 ? waitMs : undefined;
}
