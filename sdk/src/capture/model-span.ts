import { beginSpan, type EvaluationRequest } from "./call-span.js";
import { firstTokenMarker } from "./first-token.js";
import { NOOP_SPAN } from "./noop-span.js";
import { activeRuntime } from "./recording.js";
import type { ManualSpan, SpanAttributes } from "./span-handle.js";

/** What is known before a model is called. */
export interface ModelSpanStart extends EvaluationRequest {
  /** Default `llm`. */
  readonly spanType?: "llm" | "embedding" | undefined;
  readonly name: string;
  readonly attributes?: SpanAttributes | undefined;
}

/** A call of a model that is under way. Its cost is calculated when it ends, from its model and its tokens. */
export interface ModelSpan extends ManualSpan {
  /**
   * Notes the time to the first token (`ttft_ms`), the first time only: call it for every chunk that carries anything
   * generated. Does nothing where `enableTtft` is false.
   */
  markFirstToken(): void;
  /**
   * Ends the span as of a moment that has gone by, of the monotonic clock: nobody was told of the end when it was.
   * Otherwise as `end()`.
   */
  endAt(monotonicMs: number): void;
}

/**
 * Starts the span of a model call, as a child of the current span. It is not put into context: `span.run(fn)` does that.
 *
 * @returns a span that does nothing, where nothing is recorded.
 */
export function startModelSpan(start: ModelSpanStart): ModelSpan {
  const runtime = activeRuntime();
  if (runtime === undefined) {
    const nothing = (): void => undefined;
    return Object.assign(Object.create(NOOP_SPAN) as ManualSpan, { markFirstToken: nothing, endAt: nothing });
  }
  const span = beginSpan(runtime, { ...start, spanType: start.spanType ?? "llm" });
  return Object.assign(span, {
    markFirstToken: firstTokenMarker(span),
    endAt(monotonicMs: number) {
      if (!span.isRecording) return;
      span.end();
      span.durationMs = Math.max(0, monotonicMs - span.startedAtMs);
    },
  });
}
