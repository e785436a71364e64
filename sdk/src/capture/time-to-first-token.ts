import type { RecordedSpan } from "../span/recorded-span.js";

/**
 * Returns a function that records the time to the first token (`ttft_ms`). Only its first call has an effect, and none if
 * `enableTtft` is false.
 */
export function createFirstTokenTimer(span: RecordedSpan): (atMs?: number) => void {
  let isPending = span.runtime.config.enableTtft;
  return (atMs = performance.now()) => {
    if (!isPending) return;
    isPending = false;
    span.setAttribute("ttft_ms", Math.round((atMs - span.startedAtMs) * 1000) / 1000);
  };
}
