import { pipeline, Transform, type Readable } from "node:stream";
import { EventTextReader } from "./event-text-reader.js";

/** The bytes of a stream of server-sent events without some of the events; the others stay byte for byte. */
export function withoutEvents(
  source: ReadableStream<Uint8Array>,
  isUnwanted: (data: string) => boolean,
): ReadableStream<Uint8Array> {
  const filter = new EventFilter(isUnwanted);
  return source.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>(
      {
        transform(piece, controller) {
          for (const event of filter.take(piece)) controller.enqueue(event);
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

/** {@link withoutEvents} for a Node stream. */
export function nodeWithoutEvents(source: Readable, isUnwanted: (data: string) => boolean): Readable {
  const filter = new EventFilter(isUnwanted);
  const filtered = new Transform({
    transform(piece: Uint8Array, _encoding, done) {
      for (const event of filter.take(piece)) this.push(event);
      done();
    },
    flush(done) {
      done(null, filter.rest);
    },
  });
  // An error, or a reader that leaves, goes through in either direction; who hears of it is the reader.
  return pipeline(source, filtered, () => undefined);
}

/** Cuts bytes into events, and passes on those that are wanted. */
class EventFilter {
  /** The bytes behind the last whole event. */
  rest = Buffer.alloc(0);
  readonly #isUnwanted: (data: string) => boolean;

  constructor(isUnwanted: (data: string) => boolean) {
    this.#isUnwanted = isUnwanted;
  }

  take(piece: Uint8Array): Buffer[] {
    const wanted: Buffer[] = [];
    this.rest = Buffer.concat([this.rest, piece]);
    for (let end = endOfEvent(this.rest); end > 0; end = endOfEvent(this.rest)) {
      const event = this.rest.subarray(0, end);
      this.rest = this.rest.subarray(end);
      if (!dataOf(event).some(this.#isUnwanted)) wanted.push(event);
    }
    return wanted;
  }
}

/** The position behind the empty line that ends the first event; 0 where it has not come yet. */
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
  const reader = new EventTextReader((data) => void texts.push(data));
  reader.read(event);
  reader.finish();
  return texts;
}
