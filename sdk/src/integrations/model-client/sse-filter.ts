import { pipeline, Transform, type Readable } from "node:stream";
import { SseReader } from "./sse-reader.js";

/** Removes server-sent events from a stream. The bytes of all other events stay the same. */
export function filterSse(
  source: ReadableStream<Uint8Array>,
  isRemoved: (data: string) => boolean,
): ReadableStream<Uint8Array> {
  const filter = new SseFilter(isRemoved);
  return source.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>(
      {
        transform(piece, controller) {
          for (const event of filter.write(piece)) controller.enqueue(event);
        },
        flush(controller) {
          if (filter.rest.length > 0) controller.enqueue(filter.rest);
        },
      },
      undefined,
      { highWaterMark: 0 },
    ),
  );
}

/** {@link filterSse} for a Node stream. */
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

class SseFilter {
  /** The bytes after the last complete event. */
  rest = Buffer.alloc(0);
  readonly #isRemoved: (data: string) => boolean;

  constructor(isRemoved: (data: string) => boolean) {
    this.#isRemoved = isRemoved;
  }

  /** Returns the complete events that are kept. */
  write(piece: Uint8Array): Buffer[] {
    const kept: Buffer[] = [];
    this.rest = Buffer.concat([this.rest, piece]);
    for (let end = endOfEvent(this.rest); end > 0; end = endOfEvent(this.rest)) {
      const event = this.rest.subarray(0, end);
      this.rest = this.rest.subarray(end);
      if (!dataOf(event).some(this.#isRemoved)) kept.push(event);
    }
    return kept;
  }
}

/** The index after the empty line that ends the first event; 0 if the event is incomplete. */
function endOfEvent(bytes: Buffer): number {
  const ends = ["\n\n", "\r\n\r\n"].map((separator) => {
    const at = bytes.indexOf(separator);
    return at < 0 ? Number.POSITIVE_INFINITY : at + separator.length;
  });
  const end = ends.reduce((a, b) => Math.min(a, b));
  return Number.isFinite(end) ? end : 0;
}

function dataOf(event: Buffer): string[] {
  const texts: string[] = [];
  const reader = new SseReader((data) => void texts.push(data));
  reader.read(event);
  reader.finish();
  return texts;
}
