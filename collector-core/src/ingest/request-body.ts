import type { IncomingMessage } from "node:http";
import { isAscii, isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { ApiError } from "../contract/errors.js";
import type { NowOrLater } from "../now-or-later.js";
import { RequestAborted } from "../request-aborted.js";
import { createTurns } from "../turns.js";

const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip);
const inflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate);
const inflateRaw = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);
const brotliDecompress = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress);

/** What bounds {@link createBodyReader}. */
export interface BodyReaderOptions {
  /** `limits.max_body_bytes`: holds for what travels and for what comes out of it. */
  readonly maxBodyBytes: number;
}

/**
 * Reads the body of a request, decompressed (gzip, deflate or br), and hands it on the moment it is there: what takes it
 * runs at once, for waiting in between would cost as much as the reading.
 *
 * Throws, or rejects with, `ApiError` body_too_large, unsupported_encoding, invalid_encoding; `RequestAborted`; and what
 * `take` throws.
 */
export type ReadBody = <T>(request: IncomingMessage, take: (body: Buffer) => NowOrLater<T>) => Promise<T>;

/** Bodies that are decompressed at once. Each may grow to the limit before it is found too large. */
const MAX_DECOMPRESSING = 8;
/**
 * What all bodies under way may hold, in bodies of the largest size. Many slow uploads must not fill the memory: over
 * it, those that come wait, unread, until others are through (or the server's time limit ends them).
 */
const MAX_RECEIVING_BODIES = 16;

export function createBodyReader({ maxBodyBytes }: BodyReaderOptions): ReadBody {
  const inTurn = createTurns(MAX_DECOMPRESSING);
  const budget = createReceivingBudget(maxBodyBytes * MAX_RECEIVING_BODIES);

  return function readBody(request, take) {
    const encoding = request.headers["content-encoding"];
    const decompress =
      encoding === undefined || encoding === "identity" ? undefined : decompressorFor(encoding);
    const announced = Number(request.headers["content-length"] ?? 0);
    if (announced > maxBodyBytes) throw tooLarge(announced, maxBodyBytes);

    return new Promise((resolve, reject) => {
      function onBody(received: Buffer): void {
        if (decompress !== undefined) {
          const decompressed = inTurn(() => decompress(received, maxBodyBytes));
          resolve(decompressed.finally(() => budget.giveBack(received.byteLength)).then(take));
          return;
        }
        budget.giveBack(received.byteLength);
        try {
          resolve(take(received));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      }
      collect(request, maxBodyBytes, budget, onBody, reject);
    });
  };
}

/** Bytes that bodies under way hold together. */
interface ReceivingBudget {
  /** A body begins. */
  begin(): void;
  /** A body that began ended, whole or not. */
  end(request: IncomingMessage): void;
  /** Takes bytes; where that goes over the budget, the request is read on when there is room again. */
  take(bytes: number, request: IncomingMessage): void;
  giveBack(bytes: number): void;
}

function createReceivingBudget(maxBytes: number): ReceivingBudget {
  let held = 0;
  /** Bodies under way that are not paused. */
  let reading = 0;
  const paused = new Set<IncomingMessage>();

  /** Lets all go on where there is room, and at least one always: else all could wait for each other. */
  function resume(): void {
    for (const request of paused) {
      if (held > maxBytes && reading > 0) return;
      paused.delete(request);
      reading++;
      request.resume();
    }
  }

  return {
    begin() {
      reading++;
    },
    end(request) {
      if (!paused.delete(request)) reading--;
      resume();
    },
    take(bytes, request) {
      held += bytes;
      if (held <= maxBytes || reading <= 1 || paused.has(request)) return;
      reading--;
      paused.add(request.pause());
    },
    giveBack(bytes) {
      held -= bytes;
      resume();
    },
  };
}

/** Reads the whole body; its bytes are taken from the budget and stay taken. Either callback is called, once. */
function collect(
  request: IncomingMessage,
  maxBytes: number,
  budget: ReceivingBudget,
  onBody: (body: Buffer) => void,
  onFailure: (error: Error) => void,
): void {
  let chunks: Buffer[] = [];
  let size = 0;
  let isOver = false;
  budget.begin();

  function end(): void {
    isOver = true;
    budget.end(request);
  }
  function giveUp(error: Error): void {
    end();
    budget.giveBack(size);
    chunks = [];
    // What still comes is read and thrown away: a closed connection would take the answer with it.
    request.off("data", onData).resume();
    onFailure(error);
  }
  function onData(chunk: Buffer): void {
    size += chunk.byteLength;
    chunks.push(chunk);
    budget.take(chunk.byteLength, request);
    if (size > maxBytes) giveUp(tooLarge(size, maxBytes));
  }
  request.on("data", onData);
  request.on("end", () => {
    if (isOver) return;
    end();
    onBody(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
  });
  // Closed before its end: the sender is gone, or was too slow.
  request.on("close", () => {
    if (!isOver) giveUp(new RequestAborted());
  });
}

function tooLarge(size: number, maxBytes: number): ApiError {
  return new ApiError(
    "body_too_large",
    `The body has at least ${size} bytes; the limit is ${maxBytes} (limits.max_body_bytes). Send fewer spans a batch.`,
    { max_body_bytes: maxBytes },
  );
}

type Decompress = (compressed: Buffer, maxBytes: number) => Promise<Buffer>;

function decompressorFor(encoding: string): Decompress {
  switch (encoding.trim().toLowerCase()) {
    case "gzip":
    case "x-gzip":
      return bounded("gzip", gunzip);
    case "deflate":
      // RFC 9110 means the zlib format; some senders leave its header out.
      return bounded("deflate", (body, options) =>
        ((body[0] ?? 0) & 0x0f) === 8 ? inflate(body, options) : inflateRaw(body, options),
      );
    case "br":
      return bounded("br", brotliDecompress);
    case "identity":
      return (body) => Promise.resolve(body);
    default:
      throw new ApiError(
        "unsupported_encoding",
        `Content-Encoding must be gzip, deflate, br or identity, got ${JSON.stringify(encoding.slice(0, 64))}.`,
      );
  }
}

function bounded(
  name: string,
  decompress: (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>,
): Decompress {
  return async (compressed, maxBytes) => {
    try {
      return await decompress(compressed, { maxOutputLength: maxBytes });
    } catch (error) {
      if (error instanceof RangeError) throw tooLarge(maxBytes + 1, maxBytes);
      throw new ApiError(
        "invalid_encoding",
        `The body is not valid ${name}, which Content-Encoding says it is.`,
      );
    }
  };
}

/**
 * The text of a body, which must be valid UTF-8: nothing is replaced by U+FFFD in silence.
 *
 * @throws `ApiError` invalid_encoding.
 */
export function decodeUtf8(body: Buffer): string {
  if (isAscii(body)) return body.toString("latin1");
  if (isUtf8(body)) return body.toString("utf8");
  throw new ApiError("invalid_encoding", "The body is not valid UTF-8.");
}
