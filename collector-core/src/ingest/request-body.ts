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

/**
 * Reads the body of a request, decompressed: gzip, deflate or br.
 *
 * @param maxBytes - `limits.max_body_bytes`: holds for what travels and for what comes out of it.
 * @throws `ApiError` body_too_large, unsupported_encoding, invalid_encoding; `RequestAborted`.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const encoding = request.headers["content-encoding"];
  if (encoding === undefined || encoding === "identity") return await collect(request, maxBytes);
  const decompress = decompressorFor(encoding);
  const compressed = await collect(request, maxBytes);
  return await decompress(compressed, maxBytes);
}

function collect(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const announced = Number(request.headers["content-length"] ?? 0);
    if (announced > maxBytes) {
      // What still comes is read and thrown away: a closed connection would take the answer with it.
      request.resume();
      reject(tooLarge(announced, maxBytes));
      return;
    }

    let first: Buffer | undefined;
    let rest: Buffer[] | undefined;
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > maxBytes) {
        first = undefined;
        rest = undefined;
        reject(tooLarge(size, maxBytes));
      } else if (first === undefined) first = chunk;
      else (rest ??= []).push(chunk);
    });
    request.on("end", () => {
      if (first === undefined) resolve(EMPTY);
      else resolve(rest === undefined ? first : Buffer.concat([first, ...rest], size));
    });
    request.on("close", () => {
      if (!request.complete) reject(new RequestAborted());
    });
    request.on("error", () => reject(new RequestAborted()));
  });
}

const EMPTY = Buffer.alloc(0);

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
