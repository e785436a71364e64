import { withLateCode } from "../late-code.js";
import { recordInput } from "./call-texts.js";
import { runInContext } from "../span/context.js";
import { failSpan, followResult } from "./follow-result.js";
import type { RecordedSpan } from "../span/recorded-span.js";
import type { Runtime } from "../runtime/runtime.js";
import type { SpanAttributes } from "../span/span-handle.js";
import { startRecordedSpan } from "../span/start-span.js";

/** The evaluations that a call asks for. They are sent only if `evaluationEnabled` is true. */
export interface EvaluationRequest {
  /** Default: the option `evaluationTypes`. */
  readonly evaluationTypes?: readonly string[] | undefined;
  /** Share of the calls to evaluate, 0 to 1. Default: the option `evaluationSampleRate`. */
  readonly evaluationSampleRate?: number | undefined;
}

/** What the span of a call starts with. */
export interface CallSpanStart extends EvaluationRequest {
  readonly name: string;
  readonly spanType: string;
  readonly attributes?: SpanAttributes | undefined;
}

/**
 * Starts the span of a call, with everything that is known before the call: the tool or agent name, evaluation metadata,
 * attributes and arguments. With `live` the start is sent too.
 *
 * @param args - the arguments of the call; undefined if they are not recorded.
 * @param entry - the function that the app called: its caller is where the span was made.
 */
export function beginSpan(
  runtime: Runtime,
  start: CallSpanStart,
  args: readonly unknown[] | undefined,
  entry: (...args: never[]) => unknown,
): RecordedSpan {
  const { spanType, attributes } = start;
  const span = startRecordedSpan(runtime, start.name, spanType);
  if (spanType === "agent") span.agent = span.name;
  if (spanType === "tool") span.put("tool_name", span.name);
  if (attributes !== undefined) span.setAttributes(attributes);
  if (runtime.config.captureSource === true) captureSource(span, entry);
  if (args !== undefined) {
    try {
      recordInput(span, args);
    } catch {
      // Arguments that throw when they are read must not prevent the call.
    }
  }
  if (spanType === "llm" || spanType === "embedding") prepareModelCall(runtime, span, start);
  if (runtime.config.live) runtime.exporter.offer(span);
  return span;
}

/** Most frames of a stack that are read. */
const MAX_FRAMES = 30;

/** The stack becomes a text only when it is read. */
function captureSource(span: RecordedSpan, entry: (...args: never[]) => unknown): void {
  const site: { stack?: unknown } = {};
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = MAX_FRAMES;
  Error.captureStackTrace(site, entry);
  Error.stackTraceLimit = stackTraceLimit;
  withLateCode((late) => late?.recordSource(span, site));
}

/** Runs a function inside a span, and ends the span with its result. Rethrows the same error object. */
export function runInSpan<T>(span: RecordedSpan, fn: () => T, recordsOutput: boolean): T {
  let result: T;
  try {
    result = runInContext(span, fn);
  } catch (error) {
    return failSpan(span, error);
  }
  return followResult(span, result, recordsOutput);
}

/** Sets the evaluation metadata, and calculates the cost when the span ends. */
function prepareModelCall(
  { config, prices }: Runtime,
  span: RecordedSpan,
  {
    evaluationTypes = config.evaluationTypes,
    evaluationSampleRate = config.evaluationSampleRate,
  }: EvaluationRequest,
): void {
  if (span.prompt !== undefined && span.spanType === "llm") span.setAttributes(span.prompt);
  if (config.evaluationEnabled && span.spanType === "llm") {
    if (evaluationTypes !== undefined && evaluationTypes.length > 0)
      span.put("evaluation_types", evaluationTypes);
    if (evaluationSampleRate !== undefined) span.put("evaluation_sample_rate", evaluationSampleRate);
  }
  if (prices !== undefined) span.onEnd = () => prices.price(span);
}
