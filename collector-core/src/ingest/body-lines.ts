import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import * as zlib from "node:zlib";
import { ApiError } from "../api-schema/errors.js";
import type { ByteAccount } from "../in-flight/byte-budget.js";
import { RequestAborted } from "../runtime/request-aborted.js";
import type { TimeSlice } from "../runtime/time-slice.js";
import type { BodyPace } from "./body-pace.js";
import { GatheredBytes } from "./gathered-bytes.js";

/** A line of a body, or the number of a line that is too long. */
export type BodyLine =
  | { readonly type: "line"; readonly number: number; readonly bytes: Buffer }
  | { readonly type: "too_long"; readonly number: number };

/** Options of {@link bodyLines}. */
export interface BodyLineOptions {
  /** The bytes of a longer line are discarded. */
  readonly maxLineBytes: number;
  /** Minimum speed of the body. */
  readonly pace: BodyPace;
  /** Charged with the bytes of a line until the next line is requested. */
  readonly budget: Pick<ByteAccount, "require" | "release">;
  /** Looked at after each chunk: lines that are skipped give the caller no occasion to yield. */
  readonly timeSlice: Pick<TimeSlice, "isOver" | "next">;
}

const NEWLINE = 0x0a;

/**
 * Reads and decompresses the body of a request line by line. Holds one line and the stream buffers; backpressure stops
 * the sender while a line is processed. Empty lines are counted and skipped.
 *
 * @throws `ApiError` unsupported_encoding, invalid_encoding, invalid_http, request_timeout; what the budget throws; `RequestAborted`.
 */
export async function* bodyLines(
  request: IncomingMessage,
  { maxLineBytes, pace, budget, timeSlice }: BodyLineOptions,
): AsyncGenerator<BodyLine> {
  const parts = new GatheredBytes();
  let size = 0;
  /** Leading white space counts towards the size and is not stored. */
  let isBlank = true;
  let charged = 0;
  let number = 0;
  const release = (): void => {
    budget.release(charged);
    charged = 0;
  };
  const finish = (): BodyLine | undefined => {
    number++;
    const bytes = parts.take();
    const isTooLong = size > maxLineBytes;
    const wasBlank = isBlank;
    size = 0;
    isBlank = true;
    if (isTooLong) return { type: "too_long", number };
    return wasBlank ? undefined : { type: "line", number, bytes };
  };
  const add = (part: Buffer): void => {
    size += part.length;
    if (size > maxLineBytes) {
      parts.clear();
      release();
      return;
    }
    isBlank &&= isWhiteSpace(part);
    if (isBlank) return;
    budget.require(part.length);
    charged += part.length;
    parts.add(part);
  };

  try {
    for await (const chunk of decompressedChunks(request, pace)) {
      let start = 0;
      for (;;) {
        if (size === 0) {
          const blank = blankLines(chunk, { start, maxLineBytes });
          number += blank.count;
          start = blank.end;
        }
        const end = chunk.indexOf(NEWLINE, start);
        if (end === -1) break;
        add(chunk.subarray(start, end));
        start = end + 1;
        const line = finish();
        if (line !== undefined) yield line;
        release();
      }
      if (start < chunk.length) add(chunk.subarray(start));
      if (timeSlice.isOver()) await timeSlice.next();
    }
    const last = size === 0 ? undefined : finish();
    if (last !== undefined) yield last;
  } finally {
    release();
  }
}

/** The blank lines at a place of a chunk, none of them too long. One kilobyte of gzip may contain a million. */
function blankLines(
  chunk: Buffer,
  { start, maxLineBytes }: { readonly start: number; readonly maxLineBytes: number },
): { readonly count: number; readonly end: number } {
  let count = 0;
  let end = start;
  for (let at = start; at - end <= maxLineBytes; at++) {
    const byte = chunk[at];
    if (byte === NEWLINE) {
      count++;
      end = at + 1;
    } else if (!isWhiteSpaceByte(byte)) break;
  }
  return { count, end };
}

/** A loop over indexes is ten times as fast as `every`, which calls a function for each byte. */
function isWhiteSpace(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at++) if (!isWhiteSpaceByte(bytes[at])) return false;
  return true;
}

/** False for a newline, and past the end. */
function isWhiteSpaceByte(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0d || byte === 0x09;
}

async function* decompressedChunks(request: IncomingMessage, pace: BodyPace): AsyncGenerator<Buffer> {
  const encoding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  const decompressor = encoding === "identity" ? undefined : decompressorFor(encoding);
  const source: Readable = decompressor === undefined ? request : request.pipe(decompressor);
  // A disconnect ends the request but not the decompressor.
  const onClose = (): void => {
    if (!request.complete) source.destroy(new RequestAborted());
  };
  request.once("close", onClose);
  // Does not destroy the request, because its response is still to be sent.
  const chunks = source.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  try {
    for (;;) {
      const next = chunks.next();
      // Prevents an unhandled rejection after a timeout.
      next.catch(() => undefined);
      const { done, value } = await pace.during(next);
      if (done === true) return;
      yield value;
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (error instanceof RequestAborted || !request.complete) throw new RequestAborted();
    throw new ApiError(
      "invalid_encoding",
      `The body is not valid ${encoding}, the encoding that Content-Encoding names.`,
    );
  } finally {
    request.off("close", onClose);
    if (decompressor !== undefined) request.unpipe(decompressor);
    decompressor?.destroy();
    // Not awaited: it settles with the next chunk, which may never arrive.
    chunks.return?.().catch(() => undefined);
  }
}

function decompressorFor(encoding: string): zlib.Gunzip | zlib.BrotliDecompress {
  if (encoding === "gzip" || encoding === "x-gzip") return zlib.createGunzip();
  if (encoding === "br") return zlib.createBrotliDecompress();
  throw new ApiError(
    "unsupported_encoding",
    `Content-Encoding of an import must be gzip, br or identity, got ${JSON.stringify(encoding.slice(0, 64))}.`,
  );
}
