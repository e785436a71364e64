import type { IncomingMessage } from "node:http";
import { ApiError } from "../api-schema/errors.js";

/** What a chunk takes on its way beside its content, at least: a digit, and the ends of two lines. */
const CHUNK_OVERHEAD = 5;
/** A body may have so many chunks, whatever their size. Each takes some microseconds to read. */
const MANY_CHUNKS = 8192;
/** A body of more chunks has so many bytes in each at least, on average. */
const SHORT_CHUNK = 16;

/**
 * Finds out whether a long body comes in very short chunks, without looking at each: by the bytes that came for it beside
 * its own.
 */
export class ShortChunks {
  readonly #before: number;

  constructor(private readonly request: IncomingMessage) {
    this.#before = request.socket.bytesRead;
  }

  /**
   * @param taken - bytes of the body that have been taken from the request.
   * @returns the reason to refuse the body; undefined where there is none.
   */
  problem(taken: number): ApiError | undefined {
    const { request } = this;
    // What comes behind the end of the body belongs to the next request.
    if (request.complete || request.headers["transfer-encoding"] === undefined) return undefined;
    const body = taken + request.readableLength;
    const overhead = request.socket.bytesRead - this.#before - body;
    if (overhead <= MANY_CHUNKS * CHUNK_OVERHEAD || body * CHUNK_OVERHEAD >= overhead * SHORT_CHUNK)
      return undefined;
    return new ApiError(
      "invalid_http",
      `The body comes in more than ${MANY_CHUNKS} chunks of fewer than ${SHORT_CHUNK} bytes on average. Write more at a time.`,
      { max_short_chunks: MANY_CHUNKS },
      { Connection: "close" },
    );
  }
}
