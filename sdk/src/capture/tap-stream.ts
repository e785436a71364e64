import type { StepRunner } from "../streams/async-iterator-tap.js";
import { isNodeStream, tapNodeStream } from "../streams/node-stream-tap.js";
import { tapReadableStream } from "../streams/readable-stream-tap.js";
import type { StreamObserver } from "../streams/stream-observer.js";

/**
 * The stream to return to the caller instead of a web stream or a Node stream; undefined for any other value, and for a
 * stream that somebody reads already.
 */
export function tapStream(
  value: object,
  createObserver: () => StreamObserver<unknown>,
  run: StepRunner,
): object | undefined {
  if (isNodeStream(value)) return tapNodeStream(value, createObserver());
  if (!(value instanceof ReadableStream) || value.locked) return undefined;
  return tapReadableStream(value as ReadableStream<unknown>, createObserver(), run);
}
