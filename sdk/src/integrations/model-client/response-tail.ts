import { tapReadableStream } from "../../capture/integration.js";
import { field, fieldsOf, member, parseJsonOrText } from "../json-fields.js";
import { decodePieces } from "./sse-reader.js";

/** The end of a response body that was read. */
export interface ResponseTail {
  /** The chunks at the end of the stream that have an error, as they were sent. */
  errorChunks(): readonly unknown[];
}

/** Bytes that are kept: an error chunk is the last or the last but one of its stream. */
const KEPT_BYTES = 64 * 1024;

/**
 * Keeps the end of a response body while the client reads it. A client discards a chunk with an error and throws only the
 * error; the token counts beside it would be lost.
 */
export function keepTail(response: unknown): ResponseTail | undefined {
  const body = member(response, "body");
  if (!(body instanceof ReadableStream) || body.locked) return undefined;
  const pieces: Uint8Array[] = [];
  let length = 0;
  const tapped = tapReadableStream<Uint8Array>(body, {
    onChunk(piece) {
      // A copy: a byte stream transfers the memory of its chunks to the reader.
      pieces.push(piece.slice());
      length += piece.length;
      while (pieces.length > 1 && length - (pieces[0]?.length ?? 0) >= KEPT_BYTES) {
        length -= pieces.shift()?.length ?? 0;
      }
      return true;
    },
    onEnd: () => undefined,
  });
  Object.defineProperty(response, "body", { value: tapped, configurable: true });
  return {
    errorChunks() {
      const lines = decodePieces(pieces).split("\n");
      const chunks = lines.flatMap((line) =>
        line.startsWith("data:") ? parseJsonOrText(line.slice(5)) : [],
      );
      return chunks.filter((chunk) => fieldsOf(field(chunk, "error")) !== undefined);
    },
  };
}
