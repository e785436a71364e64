import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { ApiError } from "../api-schema/errors.js";
import type { MaybePromise } from "../runtime/maybe-promise.js";
import type { ByteAccount } from "../in-flight/byte-budget.js";
import { createBodyTurns, type Wait } from "./body-turns.js";
import { collectBody, tooLarge } from "./collect-body.js";
import { connectionSignal } from "./connection-signal.js";

const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip);
const inflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate);
const inflateRaw = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);
const brotliDecompress = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress);

/** What bounds {@link createBodyReader}. */
export interface BodyReaderOptions {
  /** `limits.max_body_bytes`: holds for what travels and for what comes out of it. */
  readonly maxBodyBytes: number;
  /** What large bodies may hold together. */
  readonly budget: ByteAccount;
}

/**
 * Reads the body of a request, decompressed (gzip, deflate or br), and hands it on the moment it is there: what takes it
 * runs at once, since a wait in between would cost as much as the reading. Only bodies over 256 KiB are taken one in each
 * turn of the event loop.
 *
 * Throws, or rejects with, `ApiError` body_too_large, unsupported_encoding, invalid_encoding, overloaded;
 * `RequestAborted`; and what `take` throws.
 */
export type ReadBody = <T>(request: IncomingMessage, take: (body: Buffer) => MaybePromise<T>) => Promise<T>;

/** Of as much a parser makes what holds nobody up. */
export const MAX_TAKEN_AT_ONCE = 256 * 1024;

export function createBodyReader({ maxBodyBytes, budget }: BodyReaderOptions): ReadBody {
  const turns = createBodyTurns();

  return function readBody(request, take) {
    const encoding = request.headers["content-encoding"];
    const decompress =
      encoding === undefined || encoding === "identity" ? undefined : decompressorFor(encoding);
    const announced = Number(request.headers["content-length"] ?? 0);
    if (announced > maxBodyBytes) throw tooLarge(announced, maxBodyBytes);

    return new Promise((resolve, reject) => {
      collectBody(request, { announced, maxBytes: maxBodyBytes, budget }, reject, (received, done) => {
        if (decompress !== undefined || received.byteLength > MAX_TAKEN_AT_ONCE) {
          resolve(takeInTurn(request, received, decompress, take).finally(done));
          return;
        }
        try {
          resolve(take(received));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        } finally {
          done();
        }
      });
    });
  };

  async function takeInTurn<T>(
    request: IncomingMessage,
    received: Buffer,
    decompress: Decompress | undefined,
    take: (body: Buffer) => MaybePromise<T>,
  ): Promise<T> {
    const begin = async (wait: Wait, body: Buffer): Promise<Begun<T>> => {
      // Its turn lasts until it is taken: no two large bodies have more than their bytes in memory.
      if (body.byteLength > MAX_TAKEN_AT_ONCE)
        return await turns.parse(wait, async () => ({ taken: await take(body) }));
      wait.signal.throwIfAborted();
      return { taken: take(body) };
    };
    const { taken } = await turns.wait(connectionSignal(request.socket), (wait) => {
      if (decompress === undefined) return begin(wait, received);
      return turns.decompress(wait, async () => {
        const body = await decompress(received, maxBodyBytes);
        // What waits to be parsed keeps its turn: no more bodies than these are decompressed and not yet taken.
        budget.take(body.byteLength);
        try {
          return await begin(wait, body);
        } finally {
          budget.giveBack(body.byteLength);
        }
      });
    });
    return await taken;
  }
}

/** A result that may still come: not itself a promise, which would be waited for in turn. */
interface Begun<T> {
  readonly taken: MaybePromise<T>;
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
