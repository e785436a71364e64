import { SseReader } from "./sse-reader.js";

/** Bytes that wait for the end of their event. More of them are passed on: an event that is removed is short. */
const MAX_REST = 65_536;
const LF = 10;
const CR = 13;

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

/** Finds the events of a stream that are kept. */
export class SseFilter {
  /** The bytes after the last complete event. */
  rest: Uint8Array = new Uint8Array();
  readonly #isRemoved: (data: string) => boolean;

  constructor(isRemoved: (data: string) => boolean) {
    this.#isRemoved = isRemoved;
  }

  /** Returns the complete events that are kept. */
  write(piece: Uint8Array): Uint8Array[] {
    const kept: Uint8Array[] = [];
    const bytes = new Uint8Array(this.rest.length + piece.length);
    bytes.set(this.rest);
    bytes.set(piece, this.rest.length);
    this.rest = bytes;
    for (let end = endOfEvent(this.rest); end > 0; end = endOfEvent(this.rest)) {
      const event = this.rest.subarray(0, end);
      this.rest = this.rest.subarray(end);
      if (!dataOf(event).some(this.#isRemoved)) kept.push(event);
    }
    if (this.rest.length > MAX_REST) {
      // The empty line at the end may be cut: it belongs to this event.
      kept.push(this.rest.subarray(0, -3));
      this.rest = this.rest.slice(-3);
    }
    return kept;
  }
}

/** The index after the empty line that ends the first event; 0 if the event is incomplete. */
function endOfEvent(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at - 1] === CR && bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return 0;
}

function dataOf(event: Uint8Array): string[] {
  const texts: string[] = [];
  const reader = new SseReader((data) => void texts.push(data));
  reader.read(event);
  reader.finish();
  return texts;
}
