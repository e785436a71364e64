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
}

/**
 * Starts the span of a model call, as a child of the current span. It is not put into context: `span.run(fn)` does that.
 *
 * @returns a span that does nothing, where nothing is recorded.
 */
export function startModelSpan(start: ModelSpanStart): ModelSpan {
  const runtime = activeRuntime();
  if (runtime === undefined) return NOOP_SPAN;
  const span = beginSpan(runtime, { ...start, spanType: start.spanType ?? "llm" });
  return Object.assign(span, { markFirstToken: firstTokenMarker(span) });
}
