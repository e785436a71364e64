import { EventTextReader } from "./event-text-reader.js";

/** The bytes of a stream of server-sent events without some of the events; the others stay byte for byte. */
export function withoutEvents(
  source: ReadableStream<Uint8Array>,
  isUnwanted: (data: string) => boolean,
): ReadableStream<Uint8Array> {
  let rest = Buffer.alloc(0);
  return source.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>(
      {
        transform(piece, controller) {
          rest = Buffer.concat([rest, piece]);
          for (let end = endOfEvent(rest); end > 0; end = endOfEvent(rest)) {
            const event = rest.subarray(0, end);
            rest = rest.subarray(end);
            if (!dataOf(event).some(isUnwanted)) controller.enqueue(event);
          }
        },
        flush(controller) {
          if (rest.length > 0) controller.enqueue(rest);
        },
      },
      undefined,
      { highWaterMark: 0 },
    ),
  );
}

/** The position behind the empty line that ends the first event; 0 where it has not come yet. */
function endOfEvent(bytes: Buffer): number {
  const ends = ["\n\n", "\r\n\r\n"].map((separator) => {
    const at = bytes.indexOf(separator);
    return at < 0 ? Number.POSITIVE_INFINITY : at + separator.length;
  });
  const end = Math.min(...ends);
  return Number.isFinite(end) ? end : 0;
}

function dataOf(event: Buffer): string[] {
  const texts: string[] = [];
  const reader = new EventTextReader((data) => void texts.push(data));
  reader.read(event);
  reader.finish();
  return texts;
}
