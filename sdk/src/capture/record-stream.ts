import { stringifyValue } from "../span/json-value.js";
import type { RecordedSpan } from "../span/recorded-span.js";
import { readChunk } from "../streams/chunk-content.js";
import type { StreamEnd } from "../streams/stream-observer.js";
import { TextAccumulator } from "../streams/text-accumulator.js";
import { followLiveText } from "./live-text.js";
import { createFirstTokenTimer } from "./time-to-first-token.js";

/** Gets the chunks of a stream and then its end, each with its time on the monotonic clock. */
export type StreamRecorder = (chunk: unknown, end: StreamEnd | undefined, atMs: number) => void;

/**
 * Creates the function that accumulates the text of a stream, measures the time to the first token, and ends the span.
 *
 * @param recordsOutput - whether the text is recorded.
 */
export function recordStream(span: RecordedSpan, recordsOutput: boolean): StreamRecorder {
  const isModelCall = span.spanType === "llm";
  const markFirstToken = isModelCall ? createFirstTokenTimer(span) : undefined;
  const keepsText = recordsOutput && span.runtime.policy.capturesCompletion;
  const accumulated = new TextAccumulator();
  const decoder = new TextDecoder();
  if (isModelCall) span.put("stream", true);
  const onText =
    isModelCall && keepsText ? followLiveText(span, { response: () => accumulated.toString() }) : undefined;

  function onChunk(chunk: unknown, atMs: number): void {
    if (chunk instanceof Uint8Array) {
      if (chunk.length > 0) markFirstToken?.(atMs);
      if (keepsText) accumulated.append(decoder.decode(chunk, { stream: true }));
      return;
    }
    const { text, isGenerated } = readChunk(chunk);
    if (isGenerated) markFirstToken?.(atMs);
    if (!keepsText) return;
    if (text !== undefined) accumulated.append(text);
    else if (!isModelCall)
      accumulated.append(`${accumulated.length > 0 ? "\n" : ""}${stringifyValue(chunk) ?? ""}`);
  }

  return (chunk, end, atMs) => {
    if (end === undefined) {
      onChunk(chunk, atMs);
      onText?.();
      return;
    }
    if (!span.isRecording) return;
    const text = accumulated.toString();
    if (keepsText && text !== "") span.putDefault(isModelCall ? "completion_text" : "output_text", text);
    if (end.type === "failed") span.recordError(end.error);
    if (end.type === "aborted") span.put("aborted", true);
    span.endAt(atMs);
  };
}
