import type { Readable } from "node:stream";
import { replaceMembers } from "./async-iterator-tap.js";
import { endOnce, showChunk, type StreamObserver } from "./stream-observer.js";

/**
 * Shows a Node stream to an observer as it is read, and keeps the object. Every way of reading it (`data` events, `read()`,
 * `pipe()`, `for await`) emits `data`: watching the events neither starts the stream nor takes from it.
 */
export function tapNodeStream(stream: Readable, observer: StreamObserver<unknown>): Readable {
  const end = endOnce(observer);
  const emit = stream.emit.bind(stream) as (...args: unknown[]) => boolean;
  const tapped = replaceMembers(stream, {
    emit(...args: unknown[]) {
      const [event, value] = args;
      if (event === "data") showChunk(observer, value);
      else if (event === "end") end({ type: "finished" });
      else if (event === "error") end({ type: "failed", error: value });
      else if (event === "close") end({ type: stream.readableEnded ? "finished" : "aborted" });
      return emit(...args);
    },
  });
  if (stream.readableEnded || stream.destroyed) end({ type: stream.readableEnded ? "finished" : "aborted" });
  return tapped;
}

/** True for what Node calls a readable stream, of whichever version of the library. */
export function isNodeStream(value: object): value is Readable {
  const { pipe, on, read, emit } = value as Record<string, unknown>;
  return [pipe, on, read, emit].every((method) => typeof method === "function");
}
