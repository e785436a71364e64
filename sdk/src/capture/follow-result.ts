import { overrideMembers, tapAsyncIterable, tapAsyncIterator } from "../streams/async-iterator-tap.js";
import { dataValue, isProxy } from "../is-record.js";
import { followThenable } from "./follow-thenable.js";
import { lateCode, withLateCode } from "../late-code.js";
import { recordOutput } from "./call-texts.js";
import { runInContext } from "../span/context.js";
import type { RecordedSpan } from "../span/recorded-span.js";
import type { StreamObserver } from "../streams/stream-observer.js";
import { tapGenerator } from "../streams/generator-tap.js";
import type { StreamRecorder } from "./record-stream.js";

/** Most chunks of a stream that wait for the code that reads them. */
const MAX_WAITING = 1000;

/**
 * Ends a span when the result of its function is complete: now, when a promise settles, or when a stream ends.
 *
 * @param recordsOutput - whether the output is recorded.
 * @returns the result for the caller.
 */
export function followResult<R>(span: RecordedSpan, result: R, recordsOutput: boolean): R {
  try {
    if (typeof result === "object" && result !== null && !isProxy(result) && !isPlainData(result)) {
      if (isPlainPromise(result) || isPromiseLike(result))
        return followPromise(span, result, recordsOutput) as R;
      const stream = followStream(span, result, recordsOutput);
      if (stream !== undefined) return stream as R;
    }
    if (recordsOutput) recordOutput(span, result);
  } catch {
    // A result that throws when it is read is returned unchanged.
  }
  span.end();
  return result;
}

/** Ends the span of a call that has failed, and rethrows the error. */
export function failSpan(span: RecordedSpan, error: unknown): never {
  span.recordError(error).end();
  throw error;
}

function followPromise(span: RecordedSpan, promise: PromiseLike<unknown>, recordsOutput: boolean): unknown {
  const onValue = (value: unknown) => followResult(span, value, recordsOutput);
  const onError = (error: unknown): never => failSpan(span, error);
  if (isPlainPromise(promise)) return promise.then(onValue, onError);
  return followThenable(promise, onValue, onError);
}

/** The stream to return to the caller; undefined if the value is not a stream. */
function followStream(span: RecordedSpan, value: object, recordsOutput: boolean): object | undefined {
  const run = <T>(step: () => T): T => runInContext(span, step);
  const isWebStream = value instanceof ReadableStream;
  if (isWebStream || dataValue(value, "pipe") !== undefined) {
    // In the first milliseconds, before this code is loaded, the span ends without the stream.
    const observe = () => observeText(span, recordsOutput, isWebStream ? value : undefined);
    return lateCode()?.tapStream(value, observe, run);
  }
  if (isGenerator(value)) return tapGenerator(value, observeText(span, recordsOutput, value), run);
  if (!isAsyncIterable(value)) return undefined;
  if (isAsyncIterator(value)) {
    // An iterator that is its own iterable, like an async generator: the object is kept.
    const source = iteratorMethods((step) =>
      methodOf(value, step)?.bind(value),
    ) as unknown as AsyncIterator<unknown>;
    const tapped = tapAsyncIterator(source, observeText(span, recordsOutput, value), run);
    return overrideMembers(
      value,
      iteratorMethods((step) => source[step] && tapped[step]?.bind(tapped)),
    );
  }
  // Only the first reading belongs to the call.
  let observer: StreamObserver<unknown> | undefined = observeText(span, recordsOutput, value);
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
  const methods: Record<string, unknown> = {};
  for (const step of ["next", "return", "throw"] as const) {
    const run = stepOf(step);
    if (run) methods[step] = run;
  }
  return methods;
}

/** Ends the span of a stream that was garbage-collected before its end. */
const unreachableStreams = new FinalizationRegistry<StreamObserver<unknown>>((observer) =>
  observer.onEnd({ type: "aborted" }),
);

/**
 * Records the text of a stream, and ends the span with it. The code that reads chunks loads after the start of the app;
 * until then, they wait.
 *
 * @param stream - the object that its reader holds: if it is garbage-collected, the span ends as aborted.
 */
function observeText(span: RecordedSpan, recordsOutput: boolean, stream?: object): StreamObserver<unknown> {
  const waiting: Parameters<StreamRecorder>[] = [];
  let record: StreamRecorder = (...event) => {
    if (waiting.length < MAX_WAITING || event[1] !== undefined) waiting.push(event);
  };
  withLateCode((late) => {
    record = late?.recordStream(span, recordsOutput) ?? ((_, end, atMs) => end && span.endAt(atMs));
    for (const event of waiting.splice(0)) record(...event);
  });
  const observer: StreamObserver<unknown> = {
    onChunk: (chunk) => {
      record(chunk, undefined, performance.now());
      return true;
    },
    onEnd: (end) => record(undefined, end, performance.now()),
  };
  if (stream !== undefined) unreachableStreams.register(stream, observer);
  return observer;
}

/**
 * True for most results: a plain object with nothing of a promise, a stream or an iterator. The checks for these read
 * properties one by one, so that they run no getter, and cost as much as the rest of the span.
 */
function isPlainData(value: object): boolean {
  return (
    Object.getPrototypeOf(value) === Object.prototype &&
    !("then" in value || "pipe" in value || "next" in value || Symbol.asyncIterator in value)
  );
}

function isPromiseLike(value: object): value is PromiseLike<unknown> {
  return methodOf(value, "then") !== undefined;
}

function isPlainPromise(value: object): value is Promise<unknown> {
  return (
    Object.getPrototypeOf(value) === Promise.prototype &&
    !Object.hasOwn(value, "then") &&
    !Object.hasOwn(value, "constructor")
  );
}

function isGenerator(value: object): value is Generator {
  return dataValue(value, Symbol.toStringTag) === "Generator";
}

function isAsyncIterable(value: object): value is AsyncIterable<unknown> {
  return methodOf(value, Symbol.asyncIterator) !== undefined;
}

function isAsyncIterator(value: object): value is AsyncIterator<unknown> {
  return methodOf(value, "next") !== undefined;
}

function methodOf(value: object, key: PropertyKey): ((...args: unknown[]) => unknown) | undefined {
  const method = dataValue(value, key);
  return typeof method === "function" ? (method as () => unknown) : undefined;
}
