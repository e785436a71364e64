/**
 * What an integration needs of the core, and all that it may use. READ FIRST when writing one; the way of a call is:
 *
 * ```ts
 * if (!isRecording()) return original.apply(client, args);
 * const span = startModelSpan({
 *   name: "openai.chat",
 *   attributes: { model, provider: "openai", prompt_messages: capturesPrompt() ? toMessages(body) : undefined },
 * });
 * return span.run(() => original.apply(client, args)).then(
 *   (answer) => { span.setAttributes(readAnswer(answer)); span.end(); return answer; },
 *   (error) => { span.recordError(error).end(); throw error; },
 * );
 * ```
 *
 * - Context: `span.run(fn)` makes the span the parent of whatever `fn` starts. Session, user and agent of the running
 *   trace, evaluation metadata and cost are added by the span itself when it ends.
 * - Text: an integration sets `prompt_messages`, `completion_messages`, `tool_definitions`, `prompt_text` and
 *   `completion_text` as it reads them. The span leaves out what the capture switches forbid, masks and clips, and copies:
 *   nothing is kept by reference. {@link capturesPrompt} and {@link capturesCompletion} only save the work of reading.
 * - Streams: {@link tapAsyncIterable} keeps the same object, or {@link tapAsyncIterator} wraps one iterator. The observer
 *   sees each chunk, says which are hidden from the caller, and hears once how the stream ended.
 */
import { activeRuntime } from "./recording.js";

export { startModelSpan, type ModelSpan, type ModelSpanStart } from "./model-span.js";
export { TextCollector } from "./text-collector.js";
export { tapAsyncIterable, tapAsyncIterator } from "./async-iterator-tap.js";
export { isNodeStream, tapNodeStream } from "./node-stream-tap.js";
export { tapReadableStream } from "./readable-stream-tap.js";
export type { StreamEnd, StreamObserver } from "./stream-observer.js";
export { stringifyValue, toJsonValue } from "./json-value.js";
export { tool } from "./span-wrappers.js";
export { isWrapped } from "./wrap-function.js";
export { warnOnce } from "./warnings.js";

/** True where spans are recorded: configured, and not turned off. */
export function isRecording(): boolean {
  return activeRuntime() !== undefined;
}

/** False where no text of a prompt may be kept, so that an integration need not read it. */
export function capturesPrompt(): boolean {
  return activeRuntime()?.policy.capturesPrompt === true;
}

/** False where no text of an answer may be kept. */
export function capturesCompletion(): boolean {
  return activeRuntime()?.policy.capturesCompletion === true;
}
