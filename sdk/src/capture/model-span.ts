import { NOOP_SPAN } from "./noop-span.js";
import type { RecordedSpan } from "./recorded-span.js";
import { activeRuntime } from "./recording.js";
import type { Runtime } from "./runtime.js";
import type { ManualSpan, SpanAttributes } from "./span-handle.js";
import { announceStart, startRecordedSpan } from "./start-span.js";

/** Which evaluations a call asks for; sent only while `evaluationEnabled` is true. */
export interface EvaluationRequest {
  /** In place of the option `evaluationTypes`. */
  readonly evaluationTypes?: readonly string[] | undefined;
  /** 0 to 1, in place of the option `evaluationSampleRate`. */
  readonly evaluationSampleRate?: number | undefined;
}

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
  const spanType = start.spanType ?? "llm";
  const span = startRecordedSpan(runtime, start.name, spanType);
  if (start.attributes !== undefined) span.setAttributes(start.attributes);
  prepareModelSpan(runtime, span, start);
  announceStart(span);
  return Object.assign(span, { markFirstToken: firstTokenMarker(span) });
}

/** Adds to the span of a model call what comes from the options: evaluation metadata now, the cost at its end. */
export function prepareModelSpan(
  { config, prices }: Runtime,
  span: RecordedSpan,
  {
    evaluationTypes = config.evaluationTypes,
    evaluationSampleRate = config.evaluationSampleRate,
  }: EvaluationRequest,
): void {
  if (config.evaluationEnabled && span.spanType === "llm") {
    if (evaluationTypes !== undefined && evaluationTypes.length > 0)
      span.put("evaluation_types", evaluationTypes);
    if (evaluationSampleRate !== undefined) span.put("evaluation_sample_rate", evaluationSampleRate);
  }
  if (prices !== undefined) span.onEnd = () => prices.price(span);
}

/** What {@link ModelSpan.markFirstToken} does. */
export function firstTokenMarker(span: RecordedSpan): () => void {
  let isDue = span.runtime.config.enableTtft;
  return () => {
    if (!isDue) return;
    isDue = false;
    span.setAttribute("ttft_ms", Math.round((performance.now() - span.startedAtMs) * 1000) / 1000);
  };
}
