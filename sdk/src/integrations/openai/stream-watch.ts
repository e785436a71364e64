import {
  tapAsyncIterable,
  tapAsyncIterator,
  type StreamEnd,
  type StreamObserver,
  warnOnce,
} from "../../capture/integration.js";
import { elementsOf, field, fieldsOf } from "../json-fields.js";
import type { StreamFold } from "./operation.js";
import { keepTail, type Tail } from "./body-tail.js";
import type { TracedCall } from "./traced-call.js";
import { usageAttributes } from "./usage.js";

/** What the watching of a stream has to know of its request. */
export interface StreamSettings {
  /** The usage was asked for on the app's behalf: the chunk that brings it is not for the app. */
  readonly hideUsageChunk: boolean;
  /** Said once where a stream brings no usage: it was not asked for, and the app may not know that it can be. */
  readonly hintWithoutUsage?: string | undefined;
}

/** The client's stream: iterable once, with a controller, `tee()` and `toReadableStream()`. */
interface ClientStream extends AsyncIterable<unknown> {
  readonly controller?: AbortController;
  /** Private to the client's class; all ways of reading go through it. */
  iterator?: () => AsyncIterator<unknown>;
}

/** True for what the client answers a streaming call with. */
export function isStream(value: unknown): value is ClientStream {
  if (typeof value !== "object" || value === null) return false;
  return typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === "function";
}

/**
 * Watches a stream go by, and returns the same object. Nothing is read ahead: a chunk is seen when the app asks for it.
 * The span ends when the stream does, when its reader leaves, when its controller aborts, and when nobody can read it any
 * more.
 */
export function tapStream(
  stream: ClientStream,
  response: unknown,
  call: TracedCall,
  settings: StreamSettings,
): ClientStream {
  const fold = call.operation.startFold?.();
  if (fold === undefined) {
    call.succeed(() => undefined);
    return stream;
  }
  const tail = keepTail(response);
  const observer = observe(call, fold, settings, () => stream.controller?.signal.aborted === true, tail);
  endOnAbort(stream.controller?.signal, call, fold);
  endWhenForgotten(stream, call, fold);

  // A stream can be read once; the client itself refuses the second reader.
  let isRead = false;
  const { iterator } = stream;
  if (typeof iterator !== "function") {
    return tapAsyncIterable(stream, () => {
      if (isRead) return undefined;
      isRead = true;
      return observer;
    });
  }
  // tee() reads the private iterator, `for await` and toReadableStream() come to it too.
  stream.iterator = () => {
    const source = iterator.call(stream);
    if (isRead) return source;
    isRead = true;
    return tapAsyncIterator(source, observer);
  };
  return stream;
}

/** Sees the chunks of a stream, and ends the span with it. */
export function observe(
  call: TracedCall,
  fold: StreamFold,
  { hideUsageChunk, hintWithoutUsage: hint }: StreamSettings,
  isAborted: () => boolean,
  tail?: Tail,
): StreamObserver<unknown> {
  return {
    onChunk(chunk) {
      call.noteLife();
      if (fold.add(chunk)) call.markFirstToken();
      return !(hideUsageChunk && isUsageChunk(chunk));
    },
    onEnd(end: StreamEnd) {
      if (end.type === "failed") {
        call.fail(end.error, () => {
          // The client throws an error chunk away with all that stands beside the error; the usage is there too.
          for (const chunk of tail?.errorChunks() ?? []) fold.add(chunk);
          return fold.response();
        });
        return;
      }
      // An aborted stream ends like any other, without an error.
      const isCut = end.type === "aborted" || isAborted();
      if (isCut && !fold.isComplete()) call.abort(() => fold.response());
      else call.succeed(() => fold.response());
      if (hint !== undefined && end.type === "finished" && lacksUsage(fold)) warnOnce(hint, hint);
    },
  };
}

function lacksUsage(fold: StreamFold): boolean {
  return fold.isComplete() && usageAttributes(fold.response())["tokens_output"] === undefined;
}

/** An abort ends a stream that nobody reads any more; one that is read says by itself how it ends. */
function endOnAbort(signal: AbortSignal | undefined, call: TracedCall, fold: StreamFold): void {
  if (typeof signal?.addEventListener !== "function") return;
  const end = (): void => {
    setTimeout(() => {
      if (!call.isEnded) call.abort(() => fold.response());
    }, 0).unref();
  };
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
}

/** Answers whose end nobody would tell: one that is never read, or whose reader stops without a word. */
const unfinished = new FinalizationRegistry<() => void>((end) => end());

/** A function of its own: what is called in the end must not keep the stream alive. */
export function endWhenForgotten(stream: object, call: TracedCall, fold?: StreamFold): void {
  unfinished.register(stream, () => call.forgetStream(() => fold?.response()));
}

/** The last chunk of a stream that was asked for its usage: no choices, and the numbers. */
export function isUsageChunk(chunk: unknown): boolean {
  const choices = field(chunk, "choices");
  return (
    Array.isArray(choices) &&
    elementsOf(choices).length === 0 &&
    fieldsOf(field(chunk, "usage")) !== undefined
  );
}
