import { tapReadableStream } from "../../capture/integration.js";
import { field, fieldsOf, parsedJson } from "../json-fields.js";

/** The last bytes of a body that was read. */
export interface Tail {
  /** Chunks of the stream's end that carry an error, as they were sent. */
  errorChunks(): readonly unknown[];
}

/** Bytes that are kept: an error chunk is the last of its stream, or the last but one. */
const KEPT_BYTES = 64 * 1024;

/**
 * Keeps the end of a response's body as the client reads it. The client throws a chunk with an error away and passes on
 * the error alone; what the call has cost until then stands beside it.
 */
export function keepTail(response: unknown): Tail | undefined {
  const body = field(response, "body");
  if (!(body instanceof ReadableStream) || body.locked) return undefined;
  const pieces: Uint8Array[] = [];
  let length = 0;
  const watched = tapReadableStream<Uint8Array>(body, {
    onChunk(piece) {
      // A copy: a stream of bytes takes the memory of what it passes on.
      pieces.push(piece.slice());
      length += piece.length;
      while (pieces.length > 1 && length - (pieces[0]?.length ?? 0) >= KEPT_BYTES) {
        length -= pieces.shift()?.length ?? 0;
      }
      return true;
    },
    onEnd: () => undefined,
  });
  Object.defineProperty(response, "body", { value: watched, configurable: true });
  return {
    errorChunks() {
      const lines = new TextDecoder().decode(Buffer.concat(pieces)).split("\n");
      const chunks = lines.flatMap((line) => (line.startsWith("data:") ? parsedJson(line.slice(5)) : []));
      return chunks.filter((chunk) => fieldsOf(field(chunk, "error")) !== undefined);
    },
  };
}
