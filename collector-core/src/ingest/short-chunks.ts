import type { IncomingMessage } from "node:http";
import { ApiError } from "../api-schema/errors.js";

/** A chunk of fewer bytes is short: parsing it costs more than its content is worth. */
const SHORT_BYTES = 16;
/** Short chunks that one body may have. Node takes about 3 µs for each. */
const MAX_PER_BODY = 8192;
/** Short chunks that all bodies together may have in one turn of the event loop, about 50 ms of work. */
const MAX_PER_TURN = 16_384;
/** A body with no more short chunks is never refused for the load that others cause. */
const ALWAYS_ALLOWED = 512;

/** Bounds the time that bodies of very short chunks take from the event loop. */
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

export function createShortChunkLimit(): ShortChunkLimit {
  let countOfTurn = 0;
  const resetTurn = (): void => void (countOfTurn = 0);

  function countShortChunk(): void {
    if (countOfTurn++ === 0) setImmediate(resetTurn);
  }

  return {
    watch(request) {
      const body: WatchedBody = { error: undefined, onRefused: undefined };
      const push = request.push.bind(request);
      let chunks = 0;
      let shortChunks = 0;
      let bytes = 0;
      watchedBodies.set(request, body);
      // Node's parser hands each chunk to `push`, before and regardless of any reader.
      request.push = (chunk: unknown): boolean => {
        if (!Buffer.isBuffer(chunk)) return push(chunk);
        chunks++;
        bytes += chunk.byteLength;
        if (chunk.byteLength >= SHORT_BYTES) return push(chunk);
        countShortChunk();
        shortChunks++;
        if (bytes < chunks * SHORT_BYTES) {
          if (shortChunks > MAX_PER_BODY) body.error = tooManyOfBody();
          else if (shortChunks > ALWAYS_ALLOWED && countOfTurn > MAX_PER_TURN) body.error = tooManyOfTurn();
        }
        if (body.error === undefined) return push(chunk);
        refuse(request, body, body.error);
        return true;
      };
    },
  };
}

/**
 * Calls back with `ApiError` invalid_http or overloaded when the short chunks of a body are too many: the body never ends
 * then. The connection of a body without a callback closes instead.
 */
export function onShortChunksRefused(request: IncomingMessage, callback: (error: ApiError) => void): void {
  const body = watchedBodies.get(request);
  if (body === undefined) return;
  body.onRefused = callback;
  if (body.error !== undefined) callback(body.error);
}

function refuse(request: IncomingMessage, body: WatchedBody, error: ApiError): void {
  const { socket } = request;
  // The parser finishes the block of up to 64 KiB that it has read. This halves the cost of the remaining chunks.
  request.push = () => true;
  socket.pause();
  if (body.onRefused === undefined) setImmediate(() => socket.destroySoon());
  else body.onRefused(error);
}

function tooManyOfBody(): ApiError {
  return new ApiError(
    "invalid_http",
    `The body has more than ${MAX_PER_BODY} chunks of fewer than ${SHORT_BYTES} bytes. Write more bytes at a time.`,
    { max_short_chunks: MAX_PER_BODY },
    { Connection: "close" },
  );
}

function tooManyOfTurn(): ApiError {
  return new ApiError(
    "overloaded",
    `The collector receives too many chunks of fewer than ${SHORT_BYTES} bytes at the same time. Write more bytes at a time, or try again later.`,
    { max_short_chunks: ALWAYS_ALLOWED },
    { Connection: "close", "Retry-After": "2" },
  );
}
