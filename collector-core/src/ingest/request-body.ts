import type { IncomingMessage } from "node:http";
import { isAscii, isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { ApiError } from "../contract/errors.js";

const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip);
const inflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate);
const inflateRaw = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);
const brotliDecompress = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress);

/** The client went away before its body was whole: there is nobody to answer. */
export class RequestAborted extends Error {}

/** What bounds {@link createBodyReader}. */
export interface BodyReaderOptions {
  /** `limits.max_body_bytes`: holds for what travels and for what comes out of it. */
  readonly maxBodyBytes: number;
  /** Bytes of all bodies that are being received: many slow uploads must not fill the memory. */
  readonly maxReceivingBytes: number;
}

/**
 * Reads the body of a request, decompressed: gzip, deflate or br.
 *
 * Throws `ApiError` body_too_large, unsupported_encoding, invalid_encoding, queue_full; `RequestAborted`.
 */
export type ReadBody = (request: IncomingMessage) => Promise<Buffer>;

/** Bodies that are decompressed at once. Each may grow to the limit before it is found too large. */
const MAX_DECOMPRESSING = 8;

export function createBodyReader({ maxBodyBytes, maxReceivingBytes }: BodyReaderOptions): ReadBody {
  const inTurn = createTurns(MAX_DECOMPRESSING);
  let receivingBytes = 0;

  function collect(request: IncomingMessage): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const announced = Number(request.headers["content-length"] ?? 0);
      if (announced > maxBodyBytes) {
        // What still comes is read and thrown away: a closed connection would take the answer with it.
        request.resume();
        reject(tooLarge(announced, maxBodyBytes));
        return;
      }

      let chunks: Buffer[] = [];
      let size = 0;
      function settle(error?: Error): void {
        receivingBytes -= size;
        size = 0;
        request.off("data", onData).resume();
        if (error !== undefined) reject(error);
        else resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
        chunks = [];
      }
      function onData(chunk: Buffer): void {
        size += chunk.byteLength;
        receivingBytes += chunk.byteLength;
        chunks.push(chunk);
        if (size > maxBodyBytes) settle(tooLarge(size, maxBodyBytes));
        else if (receivingBytes > maxReceivingBytes) settle(tooMuchAtOnce(maxReceivingBytes));
      }
      request.on("data", onData);
      request.once("end", settle);
      request.once("error", () => settle(new RequestAborted()));
      request.once("close", () => {
        if (!request.complete) settle(new RequestAborted());
      });
    });
  }

  return async function readBody(request) {
    const encoding = request.headers["content-encoding"];
    if (encoding === undefined || encoding === "identity") return await collect(request);
    const decompress = decompressorFor(encoding);
    const compressed = await collect(request);
    return await inTurn(() => decompress(compressed, maxBodyBytes));
  };
}

/** Runs tasks, at most so many at a time. */
function createTurns(max: number): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

function tooLarge(size: number, maxBytes: number): ApiError {
  return new ApiError(
    "body_too_large",
    `The body has at least ${size} bytes; the limit is ${maxBytes} (limits.max_body_bytes). Send fewer spans a batch.`,
    { max_body_bytes: maxBytes },
  );
}

function tooMuchAtOnce(maxReceivingBytes: number): ApiError {
  return new ApiError(
    "queue_full",
    `The bodies that are being received exceed ${maxReceivingBytes} bytes (limits.max_queue_bytes).`,
    { max_queue_bytes: maxReceivingBytes },
    { "Retry-After": "1" },
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
