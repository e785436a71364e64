import type { Readable } from "node:stream";
import { dataValue } from "../is-record.js";
import { overrideMembers } from "./async-iterator-tap.js";
import { createEndNotifier, notifyChunk, type StreamObserver } from "./stream-observer.js";

/**
 * Lets an observer see a Node stream while the app reads it. Returns the same object. Every way of reading it (`data`
 * events, `read()`, `pipe()`, `for await`) emits `data`. Observing `emit` neither starts the stream nor consumes data.
 */
export function tapNodeStream(stream: Readable, observer: StreamObserver<unknown>): Readable {
  const end = createEndNotifier(observer);
  const emit = stream.emit.bind(stream) as (...args: unknown[]) => boolean;
  const tapped = overrideMembers(stream, {
    emit(...args: unknown[]) {
      const [event, value] = args;
      if (event === "data") notifyChunk(observer, value);
      else if (event === "end") end({ type: "finished" });
      else if (event === "error") end({ type: "failed", error: value });
      else if (event === "close") end({ type: stream.readableEnded ? "finished" : "aborted" });
      return emit(...args);
    },
  });
  if (stream.readableEnded || stream.destroyed) end({ type: stream.readableEnded ? "finished" : "aborted" });
  return tapped;
}

/** True for a readable Node stream, also of the package `readable-stream`. */
export function isNodeStream(value: object): value is Readable {
  return ["pipe", "on", "read", "emit"].every((key) => typeof dataValue(value, key) === "function");
}
