/** Pure decisions about sending again (contract 5, exporter.max_retries; OTLP 1.x, "Failures"). */

/** Answers after which OTLP wants a request sent again. */
const RETRYABLE = new Set([429, 502, 503, 504]);
const FIRST_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 30_000;
/** What a receiver may ask for at most: spans wait in memory meanwhile. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;
/** A wait is lengthened by up to this part, so that many collectors do not come back at once. */
const JITTER = 0.2;

export function isRetryable(status: number): boolean {
  return RETRYABLE.has(status);
}

/**
 * How long to wait before the next attempt: 1 s, doubling to 30 s, lengthened by jitter; what the receiver asked for
 * wins where it is longer.
 *
 * @param attempt - 0 after the first failure.
 * @param random - 0 to 1.
 */
export function backoffMs(attempt: number, retryAfterMs: number | undefined, random: number): number {
  const doubled = Math.min(FIRST_BACKOFF_MS * 2 ** attempt, MAX_BACKOFF_MS);
  return Math.max(doubled * (1 + JITTER * random), retryAfterMs ?? 0);
}

/**
 * Reads Retry-After: seconds or a date. Undefined where it says nothing that can be used: not there, negative, in the
 * past, nonsense. Never more than five minutes.
 */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return ms > 0 && !/^-/.test(text) ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}
