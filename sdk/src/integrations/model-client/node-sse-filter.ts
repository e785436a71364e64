import { pipeline, Transform, type Readable } from "node:stream";
import { SseFilter } from "./sse-filter.js";

/** Removes server-sent events from a Node stream. The bytes of all other events stay the same. */
export function filterNodeSse(source: Readable, isRemoved: (data: string) => boolean): Readable {
  const filter = new SseFilter(isRemoved);
  const filtered = new Transform({
    transform(piece: Uint8Array, _encoding, done) {
      for (const event of filter.write(piece)) this.push(event);
      done();
    },
    flush(done) {
      done(null, filter.rest);
    },
  });
  // Errors and cancellation pass in both directions. The reader of `filtered` gets the error; the callback is not needed.
  return pipeline(source, filtered, () => undefined);
}
