import { overrideMembers, tapAsyncIterable, tapAsyncIterator } from "../streams/async-iterator-tap.js";
import { recordOutput, recordStreamedText } from "./call-texts.js";
import { readChunk } from "../streams/chunk-content.js";
import { runInContext } from "../span/context.js";
import { stringifyValue } from "../span/json-value.js";
import { createFirstTokenTimer } from "./time-to-first-token.js";
import { isNodeStream, tapNodeStream } from "../streams/node-stream-tap.js";
import { tapReadableStream } from "../streams/readable-stream-tap.js";
import type { RecordedSpan } from "../span/recorded-span.js";
import type { StreamObserver } from "../streams/stream-observer.js";
import { tapGenerator } from "../streams/generator-tap.js";
import { TextAccumulator } from "../streams/text-accumulator.js";

/**
 * Ends a span when the result of its function is complete: now, when a promise settles, or when a stream ends.
 *
 * @param recordsOutput - whether the output is recorded.
 * @returns the result for the caller.
 */
export function followResult<R>(span: RecordedSpan, result: R, recordsOutput: boolean): R {
  try {
    if (typeof result === "object" && result !== null) {
      if (isPromiseLike(result)) return followPromise(span, result, recordsOutput) as R;
      const stream = followStream(span, result, recordsOutput);
      if (stream !== undefined) return stream as R;
    }
    if (recordsOutput) recordOutput(span, result);
  } catch {
    // A result that throws when it is read, such as a Proxy, is returned unchanged.
  }
  span.end();
  return result;
}

function followPromise(span: RecordedSpan, promise: PromiseLike<unknown>, recordsOutput: boolean): unknown {
  const onValue = (value: unknown) => followResult(span, value, recordsOutput);
  const onError = (error: unknown): never => {
    span.recordError(error).end();
    throw error;
  };
  if (isPlainPromise(promise)) return promise.then(onValue, onError);
  // A promise of another class may be lazy, such as a query that runs when it is awaited, and may have more methods. It is
  // kept, and the span ends when somebody awaits it.
  const then = promise.then.bind(promise) as (
    resolve: (value: unknown) => void,
    reject: (error: unknown) => void,
  ) => unknown;
  let settled: Promise<unknown> | undefined;
  const settle = () => (settled ??= new Promise(then).then(onValue, onError));
  return overrideMembers(promise, {
    then: (resolve?: () => unknown, reject?: () => unknown) => settle().then(resolve, reject),
    catch: (reject?: () => unknown) => settle().catch(reject),
    finally: (done?: () => void) => settle().finally(done),
  });
}

/** The stream to return to the caller; undefined if the value is not a stream. */
function followStream(span: RecordedSpan, value: object, recordsOutput: boolean): object | undefined {
  const run = <T>(step: () => T): T => runInContext(span, step);
  if (isNodeStream(value)) return tapNodeStream(value, observeText(span, recordsOutput));
  if (value instanceof ReadableStream) {
    const stream = value as ReadableStream<unknown>;
    return stream.locked
      ? undefined
      : tapReadableStream(stream, observeText(span, recordsOutput, stream), run);
  }
  if (isGenerator(value)) return tapGenerator(value, observeText(span, recordsOutput, value), run);
  if (!isAsyncIterable(value)) return undefined;
  if (isAsyncIterator(value)) {
    // An iterator that is its own iterable, like an async generator: the object is kept.
    const source = iteratorMethods((step) => value[step]?.bind(value)) as unknown as AsyncIterator<unknown>;
    const tapped = tapAsyncIterator(source, observeText(span, recordsOutput, value), run);
    return overrideMembers(
      value,
      iteratorMethods((step) => source[step] && tapped[step]?.bind(tapped)),
    );
  }
  // Only the first reading belongs to the call.
  let observer: StreamObserver<unknown> | undefined = observeText(span, recordsOutput);
  return tapAsyncIterable(
    value,
    () => {
      const first = observer;
      observer = undefined;
      return first;
    },
    run,
  );
}

type Step = "next" | "return" | "throw";

/** The methods that `stepOf` returns, without those that are undefined. */
function iteratorMethods(stepOf: (step: Step) => unknown): Record<string, unknown> {
  const steps = (["next", "return", "throw"] as const).map((step) => [step, stepOf(step)] as const);
  return Object.fromEntries(steps.filter(([, run]) => run !== undefined));
}

/** Ends the span of a stream that was garbage-collected before its end. */
const unreachableStreams = new FinalizationRegistry<StreamObserver<unknown>>((observer) =>
  observer.onEnd({ type: "aborted" }),
);

/**
 * Accumulates the text of a stream, and ends the span with it.
 *
 * @param stream - the object that its reader holds: if it is garbage-collected, the span ends as aborted.
 */
function observeText(span: RecordedSpan, recordsOutput: boolean, stream?: object): StreamObserver<unknown> {
  const isModelCall = span.spanType === "llm";
  const markFirstToken = isModelCall ? createFirstTokenTimer(span) : undefined;
  const keepsText = recordsOutput && span.runtime.policy.capturesCompletion;
  const accumulated = new TextAccumulator();
  const decoder = new TextDecoder();
  if (isModelCall) span.put("stream", true);
  const observer: StreamObserver<unknown> = {
    onChunk(chunk) {
      if (chunk instanceof Uint8Array) {
        if (chunk.length > 0) markFirstToken?.();
        if (keepsText) accumulated.append(decoder.decode(chunk, { stream: true }));
        return true;
      }
      const { text, isGenerated } = readChunk(chunk);
      if (isGenerated) markFirstToken?.();
      if (!keepsText) return true;
      if (text !== undefined) accumulated.append(text);
      else if (!isModelCall)
        accumulated.append(`${accumulated.length > 0 ? "\n" : ""}${stringifyValue(chunk) ?? ""}`);
      return true;
    },
    onEnd(end) {
      if (!span.isRecording) return;
      if (keepsText) recordStreamedText(span, accumulated.toString());
      if (end.type === "failed") span.recordError(end.error);
      if (end.type === "aborted") span.put("aborted", true);
      span.end();
    },
  };
  if (stream !== undefined) unreachableStreams.register(stream, observer);
  return observer;
}

function isPromiseLike(value: object): value is PromiseLike<unknown> {
  return "then" in value && typeof value.then === "function";
}

function isPlainPromise(value: object): boolean {
  return value.constructor === Promise;
}

function isGenerator(value: object): value is Generator {
  return Object.prototype.toString.call(value) === "[object Generator]";
}

function isAsyncIterable(value: object): value is AsyncIterable<unknown> {
  return typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === "function";
}

function isAsyncIterator(value: object): value is AsyncIterator<unknown> {
  return "next" in value && typeof value.next === "function";
}
