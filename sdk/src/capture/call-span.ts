import { recordInput } from "./call-texts.js";
import { runInContext } from "./context.js";
import { followResult } from "./follow-result.js";
import type { RecordedSpan } from "./recorded-span.js";
import type { Runtime } from "./runtime.js";
import type { SpanAttributes } from "./span-handle.js";
import { startRecordedSpan } from "./start-span.js";

/** Which evaluations a call asks for; sent only while `evaluationEnabled` is true. */
export interface EvaluationRequest {
  /** In place of the option `evaluationTypes`. */
  readonly evaluationTypes?: readonly string[] | undefined;
  /** 0 to 1, in place of the option `evaluationSampleRate`. */
  readonly evaluationSampleRate?: number | undefined;
}

/** What a call's span is started with. */
export interface CallSpanStart extends EvaluationRequest {
  readonly name: string;
  readonly spanType: string;
  readonly attributes?: SpanAttributes | undefined;
}

/**
 * Starts the span of a call, with all that is known before it: what its kind brings (the name of a tool or an agent,
 * evaluation metadata and cost of a model call), its attributes and its arguments. With `live` the start is announced.
 *
 * @param args - what the call is given, where that is recorded.
 */
export function beginSpan(runtime: Runtime, start: CallSpanStart, args?: readonly unknown[]): RecordedSpan {
  const { spanType, attributes } = start;
  const span = startRecordedSpan(runtime, start.name, spanType);
  if (spanType === "agent") span.agent = span.name;
  if (spanType === "tool") span.put("tool_name", span.name);
  if (attributes !== undefined) span.setAttributes(attributes);
  if (args !== undefined) {
    try {
      recordInput(span, args);
    } catch {
      // Arguments that throw when they are looked at are no reason not to call.
    }
  }
  if (spanType === "llm" || spanType === "embedding") prepareModelCall(runtime, span, start);
  if (runtime.config.live) runtime.exporter.offer(span);
  return span;
}

/** Runs a function inside a span, which ends with its result. What it throws is thrown on, the same object. */
export function runInSpan<T>(span: RecordedSpan, fn: () => T, recordsOutput: boolean): T {
  let result: T;
  try {
    result = runInContext(span, fn);
  } catch (error) {
    span.recordError(error).end();
    throw error;
  }
  return followResult(span, result, recordsOutput);
}

/** Evaluation metadata now, where evaluation is enabled; the cost at the span's end. */
function prepareModelCall(
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
