import type { IncomingMessage } from "node:http";
import { ApiError } from "../api-schema/errors.js";
import type { ReadConnection, ReadingTurns } from "./reading-turns.js";

/** A chunk of fewer bytes takes longer to parse than to read, and counts towards the limit of a turn. */
const SHORT_BYTES = 1024;
/** A chunk of fewer bytes is refused if a body has many of them. */
const TOO_SHORT_BYTES = 16;
/** Such chunks that one body may have. Node takes about 3 µs for each. */
const MAX_TOO_SHORT = 8192;

/** Bounds the time that bodies of short chunks take from the event loop. */
export interface ShortChunkLimit {
  /** Counts the short chunks of a request with `Transfer-Encoding`, whether or not anything reads its body. */
  watch(request: IncomingMessage): void;
}

interface WatchedBody {
  /** Set when the body is refused. */
  error: ApiError | undefined;
  onRefused: ((error: ApiError) => void) | undefined;
}

const watchedBodies = new WeakMap<IncomingMessage, WatchedBody>();

export function createShortChunkLimit(turns: ReadingTurns): ShortChunkLimit {
  return {
    watch(request) {
      const body: WatchedBody = { error: undefined, onRefused: undefined };
      const connection = turns.of(request.socket);
      const push = request.push.bind(request);
      let chunks = 0;
      let tooShort = 0;
      let bytes = 0;
      watchedBodies.set(request, body);
      // Node's parser hands each chunk to `push`, before and regardless of any reader.
      request.push = (chunk: unknown): boolean => {
        if (!Buffer.isBuffer(chunk)) return push(chunk);
        const { byteLength } = chunk;
        chunks++;
        bytes += byteLength;
        if (byteLength >= SHORT_BYTES) return push(chunk);
        connection?.count(1);
        if (byteLength < TOO_SHORT_BYTES && ++tooShort > MAX_TOO_SHORT && bytes < chunks * TOO_SHORT_BYTES) {
          body.error = tooManyShort();
          refuse(request, connection, body, body.error);
          return true;
        }
        return push(chunk);
      };
    },
  };
}

/**
 * Calls back with `ApiError` invalid_http when a body has too many short chunks: it never ends then. The connection of a body
 * without a callback closes instead.
 */
export function onShortChunksRefused(request: IncomingMessage, callback: (error: ApiError) => void): void {
  const body = watchedBodies.get(request);
  if (body === undefined) return;
  body.onRefused = callback;
  if (body.error !== undefined) callback(body.error);
}

function refuse(
  request: IncomingMessage,
  connection: ReadConnection | undefined,
  body: WatchedBody,
  error: ApiError,
): void {
  const { socket } = request;
  // The parser finishes the block of up to 64 KiB that it has read. This halves the cost of the remaining chunks.
  request.push = () => {
    connection?.count(1);
    return true;
  };
  socket.pause();
  if (body.onRefused === undefined) setImmediate(() => socket.destroySoon());
  else body.onRefused(error);
}

function tooManyShort(): ApiError {
  return new ApiError(
    "invalid_http",
    `The body has more than ${MAX_TOO_SHORT} chunks of fewer than ${TOO_SHORT_BYTES} bytes. Write more bytes at a time.`,
    { max_short_chunks: MAX_TOO_SHORT },
    { Connection: "close" },
  );
}
