import type { RecordedSpan } from "./recorded-span.js";

/** Notes the time to the first token (`ttft_ms`) of a span, the first time only, where `enableTtft` is true. */
export function firstTokenMarker(span: RecordedSpan): () => void {
  let isDue = span.runtime.config.enableTtft;
  return () => {
    if (!isDue) return;
    isDue = false;
    span.setAttribute("ttft_ms", Math.round((performance.now() - span.startedAtMs) * 1000) / 1000);
  };
}
