import {
  tapAsyncIterable,
  tapAsyncIterator,
  tapReadableStream,
  type StreamEnd,
  type StreamObserver,
  warnOnce,
} from "../../capture/integration.js";
import type { ModelCall } from "./model-call.js";
import type { StreamAccumulator } from "./operation.js";
import { keepTail, type ResponseTail } from "./response-tail.js";
import type { StreamSettings } from "./stream-settings.js";

/** The stream of a client. The fields are those of clients that Stainless generates, unless said otherwise. */
interface ClientStream extends AsyncIterable<unknown> {
  readonly controller?: AbortController;
  /** The controller of Ollama's client. */
  readonly abortController?: AbortController;
  /** Private to the client's class. All ways of reading the stream use it. */
  iterator?: () => AsyncIterator<unknown>;
}

/** True for the response of a streaming call. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  if (typeof value !== "object" || value === null) return false;
  return typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === "function";
}

/**
 * Follows a stream while the app reads it, and returns the same object. Nothing is read ahead. The span ends when the stream
 * ends, its reader stops, its controller aborts, or the stream is garbage-collected.
 */
export function followStream(
  stream: ClientStream,
  httpResponse: unknown,
  call: ModelCall,
  settings: StreamSettings,
): ClientStream {
  const accumulator = call.operation.createAccumulator?.();
  if (accumulator === undefined) {
    call.succeed(() => undefined);
    return stream;
  }
  const tail = keepTail(httpResponse);
  const { signal } = stream.controller ?? stream.abortController ?? {};
  const observer = observeChunks(call, accumulator, settings, () => signal?.aborted === true, tail);
  endOnAbort(signal, call, accumulator);
  const tapped = tapOtherStream(stream, observer);
  endWhenCollected(tapped ?? stream, call, accumulator);
  if (tapped !== undefined) return tapped;

  // A stream can be read once; the client itself rejects a second reader.
  let isRead = false;
  const { iterator } = stream;
  if (typeof iterator !== "function") {
    return tapAsyncIterable(stream, () => {
      if (isRead) return undefined;
      isRead = true;
      return observer;
    });
  }
  // `tee()`, `for await` and `toReadableStream()` all use the private iterator.
  stream.iterator = () => {
    const source = iterator.call(stream);
    if (isRead) return source;
    isRead = true;
    return tapAsyncIterator(source, observer);
  };
  return stream;
}

/** Taps a stream that can be read without its async iterator: a generator, or a `ReadableStream` of any class. */
function tapOtherStream(stream: ClientStream, observer: StreamObserver<unknown>): ClientStream | undefined {
  if (stream instanceof ReadableStream && !stream.locked) {
    const tapped = tapReadableStream<unknown>(stream, observer);
    return Object.setPrototypeOf(tapped, Object.getPrototypeOf(stream) as object | null) as ClientStream;
  }
  const iterator = stream as Partial<AsyncIterator<unknown>>;
  return typeof iterator.next === "function"
    ? tapGenerator(stream as ClientStream & AsyncIterator<unknown>, observer)
    : undefined;
}

/** Replaces the methods of a generator, so that the app gets the same object. */
function tapGenerator<Generator extends AsyncIterator<unknown>>(
  generator: Generator,
  observer: StreamObserver<unknown>,
): Generator {
  const source: AsyncIterator<unknown> = {
    next: generator.next.bind(generator),
    ...(generator.return && { return: generator.return.bind(generator) }),
    ...(generator.throw && { throw: generator.throw.bind(generator) }),
  };
  const tapped = tapAsyncIterator(source, observer);
  const members = { ...tapped, [Symbol.asyncIterator]: () => generator };
  for (const key of Reflect.ownKeys(members)) {
    const value: unknown = Reflect.get(members, key);
    Object.defineProperty(generator, key, { value, configurable: true, writable: true });
  }
  return generator;
}

/** Accumulates the chunks of a stream, and ends the span with it. */
export function observeChunks(
  call: ModelCall,
  accumulator: StreamAccumulator,
  { isHiddenChunk, endsSilently, missingUsageWarning }: StreamSettings,
  isAborted: () => boolean,
  tail?: ResponseTail,
): StreamObserver<unknown> {
  const onText = call.followText(accumulator);
  return {
    onChunk(chunk) {
      call.recordData();
      if (accumulator.add(chunk)) {
        call.markFirstToken();
        onText?.();
      }
      return isHiddenChunk?.(chunk) !== true;
    },
    onEnd(end: StreamEnd) {
      if (end.type === "failed") {
        call.fail(end.error, () => {
          // The client discards a chunk with an error; the usage is on that chunk too.
          for (const chunk of tail?.errorChunks() ?? []) accumulator.add(chunk);
          return accumulator.response();
        });
        return;
      }
      // A stream whose controller aborts ends without an error.
      const isCut = end.type === "aborted" || isAborted() || endsSilently === true;
      if (isCut && !accumulator.isComplete()) call.abort(() => accumulator.response());
      else call.succeed(() => accumulator.response());
      if (missingUsageWarning !== undefined && end.type === "finished" && lacksUsage(call, accumulator))
        warnOnce(missingUsageWarning, missingUsageWarning);
    },
  };
}

function lacksUsage({ operation }: ModelCall, accumulator: StreamAccumulator): boolean {
  return (
    accumulator.isComplete() && operation.readResponse(accumulator.response())["tokens_output"] === undefined
  );
}

/** Ends the span after an abort if nobody reads the stream. A reader that is active ends the span itself. */
function endOnAbort(signal: AbortSignal | undefined, call: ModelCall, accumulator: StreamAccumulator): void {
  if (typeof signal?.addEventListener !== "function") return;
  const end = (): void => {
    setTimeout(() => {
      if (!call.isEnded) call.abort(() => accumulator.response());
    }, 0);
  };
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
}

/** Ends the span of a stream that is never read, or whose reader stops without closing it. */
const unfinishedStreams = new FinalizationRegistry<() => void>((end) => end());

/** Ends the span when the stream is garbage-collected. A separate function: the callback must not keep the stream alive. */
export function endWhenCollected(stream: object, call: ModelCall, accumulator?: StreamAccumulator): void {
  unfinishedStreams.register(stream, () => call.endCollectedStream(() => accumulator?.response()));
}
