/** Retry decisions (contract 5, exporter.max_retries; OTLP 1.x, "Failures"). */

/** Status codes that OTLP defines as retryable. */
const RETRYABLE = new Set([429, 502, 503, 504]);
const FIRST_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 30_000;
/** Upper limit for Retry-After: the spans stay in memory during the wait. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;
/** Jitter lengthens a backoff by up to this fraction, so that many collectors do not retry at the same time. */
const JITTER = 0.2;

export function isRetryable(status: number): boolean {
  return RETRYABLE.has(status);
}

/**
 * Computes the backoff before the next attempt: 1 s, doubling to 30 s, plus jitter. A longer Retry-After takes
 * precedence.
 *
 * @param attempt - 0 after the first failure.
 * @param random - 0 to 1.
 */
export function backoffMs(attempt: number, retryAfterMs: number | undefined, random: number): number {
  const doubled = Math.min(FIRST_BACKOFF_MS * 2 ** attempt, MAX_BACKOFF_MS);
  return Math.max(doubled * (1 + JITTER * random), retryAfterMs ?? 0);
}

/**
 * Parses Retry-After: seconds or a date, limited to five minutes. Returns undefined for an absent, negative, past or
 * malformed value.
 */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return ms > 0 && !/^-/.test(text) ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}
