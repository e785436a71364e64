import { replaceMembers, tapAsyncIterable, tapAsyncIterator } from "./async-iterator-tap.js";
import { recordOutput, recordStreamedText } from "./call-texts.js";
import { readChunk } from "./chunk-content.js";
import { runInContext } from "./context.js";
import { stringifyValue } from "./json-value.js";
import { firstTokenMarker } from "./first-token.js";
import { isNodeStream, tapNodeStream } from "./node-stream-tap.js";
import { tapReadableStream } from "./readable-stream-tap.js";
import type { RecordedSpan } from "./recorded-span.js";
import type { StreamObserver } from "./stream-observer.js";
import { tapGenerator } from "./generator-tap.js";
import { TextCollector } from "./text-collector.js";

/**
 * Ends a span when the result of its function is there: at once, when a promise settles, or when a stream has gone by.
 *
 * @param recordsOutput - whether what comes out is set on the span.
 * @returns the result, for the caller.
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
    // A result that throws when it is looked at, a Proxy for one, is the caller's all the same.
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
  // A promise of another class may be lazy (a query that runs when it is awaited) and has methods of its own: it stays,
  // and tells us when somebody waits for it.
  const then = promise.then.bind(promise) as (
    resolve: (value: unknown) => void,
    reject: (error: unknown) => void,
  ) => unknown;
  let settled: Promise<unknown> | undefined;
  const settle = () => (settled ??= new Promise(then).then(onValue, onError));
  return replaceMembers(promise, {
    then: (resolve?: () => unknown, reject?: () => unknown) => settle().then(resolve, reject),
    catch: (reject?: () => unknown) => settle().catch(reject),
    finally: (done?: () => void) => settle().finally(done),
  });
}

/** The stream to hand on, where the value is one. */
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
    // An iterator that is its own iterable, as generators are: it stays the object it is.
    const source = members((step) => value[step]?.bind(value)) as unknown as AsyncIterator<unknown>;
    const tapped = tapAsyncIterator(source, observeText(span, recordsOutput, value), run);
    return replaceMembers(
      value,
      members((step) => source[step] && tapped[step]?.bind(tapped)),
    );
  }
  // Only the first reader is the call's; another one reads what is there already.
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

/** The steps of an iterator that there are. */
function members(stepOf: (step: Step) => unknown): Record<string, unknown> {
  const steps = (["next", "return", "throw"] as const).map((step) => [step, stepOf(step)] as const);
  return Object.fromEntries(steps.filter(([, run]) => run !== undefined));
}

/** Ends the spans of streams that nobody can read any more, and whose end nobody has told. */
const forgotten = new FinalizationRegistry<StreamObserver<unknown>>((observer) =>
  observer.onEnd({ type: "aborted" }),
);

/**
 * Gathers the text that goes by, and ends the span with it.
 *
 * @param stream - what is held for as long as it is read: where it is forgotten, nothing more will go by.
 */
function observeText(span: RecordedSpan, recordsOutput: boolean, stream?: object): StreamObserver<unknown> {
  const isModelCall = span.spanType === "llm";
  const markFirstToken = isModelCall ? firstTokenMarker(span) : undefined;
  const keepsText = recordsOutput && span.runtime.policy.capturesCompletion;
  const collected = new TextCollector();
  const decoder = new TextDecoder();
  if (isModelCall) span.put("stream", true);
  const observer: StreamObserver<unknown> = {
    onChunk(chunk) {
      if (chunk instanceof Uint8Array) {
        if (chunk.length > 0) markFirstToken?.();
        if (keepsText) collected.append(decoder.decode(chunk, { stream: true }));
        return true;
      }
      const { text, isGenerated } = readChunk(chunk);
      if (isGenerated) markFirstToken?.();
      if (!keepsText) return true;
      if (text !== undefined) collected.append(text);
      else if (!isModelCall)
        collected.append(`${collected.length > 0 ? "\n" : ""}${stringifyValue(chunk) ?? ""}`);
      return true;
    },
    onEnd(end) {
      if (!span.isRecording) return;
      if (keepsText) recordStreamedText(span, collected.toString());
      if (end.type === "failed") span.recordError(end.error);
      if (end.type === "aborted") span.put("aborted", true);
      span.end();
    },
  };
  if (stream !== undefined) forgotten.register(stream, observer);
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
