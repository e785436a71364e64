/**
 * The interface of the core for integrations. An integration imports nothing else of the core. A call is recorded like
 * this:
 *
 * ```ts
 * if (!isRecording() || isInModelSpan()) return original.apply(client, args);
 * const span = startModelSpan({
 *   name: "openai.chat",
 *   attributes: { model, provider: "openai", prompt_messages: capturesPrompt() ? toMessages(body) : undefined },
 * });
 * return span.run(() => original.apply(client, args)).then(
 *   (response) => { span.setAttributes(readResponse(response)); span.end(); return response; },
 *   (error) => { span.recordError(error).end(); throw error; },
 * );
 * ```
 *
 * - Context: `span.run(fn)` makes the span the parent of the spans that `fn` starts. When the span ends, it adds session,
 *   user and agent of the trace, and its cost.
 * - Text: an integration sets `prompt_messages`, `completion_messages`, `tool_definitions`, `prompt_text` and
 *   `completion_text` as it reads them. The span leaves out what the capture switches forbid, masks, clips and copies.
 *   {@link capturesPrompt} and {@link capturesCompletion} only save the work of reading.
 * - Live text: {@link followLiveText} sends the completion while it streams.
 * - Streams: {@link tapAsyncIterable} keeps the object, {@link tapAsyncIterator} wraps one iterator. The observer gets each
 *   chunk, decides which chunks the caller does not get, and is told once how the stream ended.
 *
 * A client library is wrapped with `integrations/model-client`, which does all of this.
 */
import { activeRuntime } from "../runtime/active-runtime.js";

export {
  isInModelRun,
  isInModelSpan,
  startModelSpan,
  type ModelSpan,
  type ModelSpanStart,
} from "./model-span.js";
export { startSpan } from "./integration-span.js";
export { enterContext, prepareEntering } from "./integration-context.js";
export { readChunk } from "../streams/chunk-content.js";
export { TextAccumulator } from "../streams/text-accumulator.js";
export { tapAsyncIterable, tapAsyncIterator } from "../streams/async-iterator-tap.js";
export { isNodeStream, tapNodeStream } from "../streams/node-stream-tap.js";
export { tapReadableStream } from "../streams/readable-stream-tap.js";
export type { StreamEnd, StreamObserver } from "../streams/stream-observer.js";
export { copyValue, stringifyValue, toJsonValue } from "../span/json-value.js";
export { tool } from "./span-wrappers.js";
export { isWrapped } from "./wrap-function.js";
export { followThenable } from "./follow-thenable.js";
export { currentTraceparent, withTrace } from "./trace-context.js";
export { flush } from "../runtime/delivery.js";
export type { ManualSpan, SpanAttributes, SpanHandle } from "../span/span-handle.js";
export { describeError } from "../span/describe-error.js";
// For frameworks that report when their runs start and end: the context of a span is theirs, not that of the calling code.
export { activeRuntime } from "../runtime/active-runtime.js";
export { beginSpan, type CallSpanStart } from "./call-span.js";
export { createFirstTokenTimer } from "./time-to-first-token.js";
export { followLiveText } from "./live-text.js";
export {
  currentContext,
  runInContext,
  setContextBridge,
  type ContextBridge,
  type ContextNode,
} from "../span/context.js";
export { newTrace } from "../span/start-span.js";
export type { RecordedSpan } from "../span/recorded-span.js";
export { processWide } from "../process-wide.js";
export { warnOnce } from "../warnings.js";

/** True if spans are recorded: the SDK is configured, and not turned off. */
export function isRecording(): boolean {
  return activeRuntime() !== undefined;
}

/** False if no text of a prompt may be kept, so that an integration need not read it. */
export function capturesPrompt(): boolean {
  return activeRuntime()?.policy.capturesPrompt === true;
}

/** False if no text of a completion may be kept. */
export function capturesCompletion(): boolean {
  return activeRuntime()?.policy.capturesCompletion === true;
}
