import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { ApiError } from "../api-schema/errors.js";
import type { MaybePromise } from "../runtime/maybe-promise.js";
import type { ByteAccount } from "../in-flight/byte-budget.js";
import { createBodyLimits, type Wait } from "./body-limits.js";
import { bodyTooLarge, collectBody } from "./collect-body.js";
import { connectionSignal } from "./connection-signal.js";

const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip);
const inflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate);
const inflateRaw = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);
const brotliDecompress = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress);

/** Options of {@link createBodyReader}. */
export interface BodyReaderOptions {
  /** `limits.max_body_bytes`: limits the received and the decompressed body. */
  readonly maxBodyBytes: number;
  /** Memory budget of all large bodies. */
  readonly budget: ByteAccount;
  /** The error for a larger body. Default: one that names `limits.max_body_bytes`. */
  readonly tooLarge?: (size: number) => ApiError;
}

/**
 * Reads and decompresses (gzip, deflate or br) the body of a request. Calls `handle` synchronously with a complete body,
 * because a microtask would cost as much as the reading. Bodies over 256 KiB are processed one per turn of the event loop.
 *
 * Throws, or rejects with, `ApiError` body_too_large, unsupported_encoding, invalid_encoding, overloaded;
 * `RequestAborted`; and what `handle` throws.
 */
export type ReadBody = <T>(request: IncomingMessage, handle: (body: Buffer) => MaybePromise<T>) => Promise<T>;

/** Maximum size of a body that is parsed without a turn of its own: parsing it blocks the event loop only briefly. */
export const MAX_SYNCHRONOUS_BYTES = 256 * 1024;

export function createBodyReader({
  maxBodyBytes,
  budget,
  tooLarge = (size) => bodyTooLarge(size, maxBodyBytes),
}: BodyReaderOptions): ReadBody {
  const limits = createBodyLimits();

  return function readBody(request, handle) {
    const encoding = request.headers["content-encoding"];
    const decompress =
      encoding === undefined || encoding === "identity" ? undefined : decompressorFor(encoding);
    const announced = Number(request.headers["content-length"] ?? 0);
    if (announced > maxBodyBytes) throw tooLarge(announced);

    return new Promise((resolve, reject) => {
      collectBody(
        request,
        { announced, maxBytes: maxBodyBytes, budget, tooLarge },
        reject,
        (received, done) => {
          if (decompress !== undefined || received.byteLength > MAX_SYNCHRONOUS_BYTES) {
            resolve(processLimited(request, received, decompress, handle).finally(done));
            return;
          }
          try {
            resolve(untilSettled(handle(received), done));
          } catch (error) {
            done();
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        },
      );
    });
  };

  async function processLimited<T>(
    request: IncomingMessage,
    received: Buffer,
    decompress: Decompress | undefined,
    handle: (body: Buffer) => MaybePromise<T>,
  ): Promise<T> {
    const begin = async (wait: Wait, body: Buffer): Promise<PendingResult<T>> => {
      // Holds the turn until the body is processed, so that only one large body is parsed at a time.
      if (body.byteLength > MAX_SYNCHRONOUS_BYTES)
        return await limits.parse(wait, async () => ({ result: await handle(body) }));
      wait.signal.throwIfAborted();
      return { result: handle(body) };
    };
    const { result } = await limits.wait(connectionSignal(request.socket), (wait) => {
      if (decompress === undefined) return begin(wait, received);
      return limits.decompress(wait, async () => {
        const body = await decompress(received, maxBodyBytes, tooLarge);
        // Holds the turn while the body waits to be parsed, which limits the decompressed bodies in memory.
        budget.take(body.byteLength);
        const release = (): void => budget.release(body.byteLength);
        try {
          const { result } = await begin(wait, body);
          return { result: untilSettled(result, release) };
        } catch (error) {
          release();
          throw error;
        }
      });
    });
    return await result;
  }
}

/** Calls `done` when a result is there: a body may wait for a queue elsewhere. */
function untilSettled<T>(result: MaybePromise<T>, done: () => void): MaybePromise<T> {
  if (result instanceof Promise) return result.finally(done);
  done();
  return result;
}

/** A possibly pending result. The wrapper keeps `await` from waiting for it while a turn is held. */
interface PendingResult<T> {
  readonly result: MaybePromise<T>;
}

type Decompress = (
  compressed: Buffer,
  maxBytes: number,
  tooLarge: (size: number) => ApiError,
) => Promise<Buffer>;

function decompressorFor(encoding: string): Decompress {
  switch (encoding.trim().toLowerCase()) {
    case "gzip":
    case "x-gzip":
      return bounded("gzip", gunzip);
    case "deflate":
      // RFC 9110 defines the zlib format; some senders omit its header.
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
  return async (compressed, maxBytes, tooLarge) => {
    try {
      return await decompress(compressed, { maxOutputLength: maxBytes });
    } catch (error) {
      if (error instanceof RangeError) throw tooLarge(maxBytes + 1);
      throw new ApiError(
        "invalid_encoding",
        `The body is not valid ${name}, the encoding that Content-Encoding names.`,
      );
    }
  };
}
