import type { IncomingMessage } from "node:http";
import { ApiError } from "../api-schema/errors.js";
import type { ByteAccount } from "../in-flight/byte-budget.js";
import { SMALL_BYTES, type Transfer } from "../in-flight/transfers.js";
import { RequestAborted } from "../runtime/request-aborted.js";
import { GatheredBytes } from "./gathered-bytes.js";
import { onShortChunksRefused } from "./short-chunks.js";

/** Limits of {@link collectBody}. */
export interface CollectLimits {
  /** Content-Length; 0 if absent. */
  readonly announced: number;
  readonly maxBytes: number;
  readonly budget: ByteAccount;
  readonly tooLarge: (size: number) => ApiError;
}

/**
 * Collects the bytes of a body. A large body is charged to the budget first, and is not read until there is room. It is
 * given up if it stalls while others need the memory.
 *
 * Calls exactly one callback, once: `onFailure` with `ApiError` body_too_large, invalid_http or overloaded, or with `RequestAborted`;
 * `onBody` with the bytes, which stay charged until it calls `done`.
 */
export function collectBody(
  request: IncomingMessage,
  { announced, maxBytes, budget, tooLarge }: CollectLimits,
  onFailure: (error: Error) => void,
  onBody: (body: Buffer, done: () => void) => void,
): void {
  const gathered = new GatheredBytes();
  let isOver = false;
  /** Undefined while the body is small. */
  let large: LargeBody | undefined;

  function giveUp(error: Error): void {
    if (isOver) return;
    isOver = true;
    large?.end();
    gathered.clear();
    // Discards the rest: closing the connection now could lose the response.
    request.off("data", onData).resume();
    onFailure(error);
  }
  function onData(chunk: Buffer): void {
    gathered.add(chunk);
    const size = gathered.byteLength;
    if (size > maxBytes) giveUp(tooLarge(size));
    else if (large !== undefined) large.moved(chunk.byteLength);
    else if (size > SMALL_BYTES) beginLarge(maxBytes);
  }
  function beginLarge(bytes: number): void {
    large = new LargeBody(request, budget, bytes);
    large.begin(giveUp);
  }

  request.on("end", () => {
    if (isOver) return;
    isOver = true;
    large?.received();
    onBody(gathered.take(), () => large?.end());
  });
  // The sender disconnected or was too slow.
  request.on("close", () => {
    if (!isOver) giveUp(new RequestAborted());
  });
  if (announced > SMALL_BYTES) beginLarge(announced);
  request.on("data", onData);
  onShortChunksRefused(request, giveUp);
}

/** The charge of a large body to the budget. */
class LargeBody {
  readonly #request: IncomingMessage;
  readonly #budget: ByteAccount;
  readonly #bytes: number;
  #isCharged = false;
  #transfer: Transfer | undefined;
  /** Aborts the wait for room; undefined if there was room at once. */
  #waiting: AbortController | undefined;

  constructor(request: IncomingMessage, budget: ByteAccount, bytes: number) {
    this.#request = request;
    this.#budget = budget;
    this.#bytes = bytes;
  }

  /** Resumes reading when there is room. Calls `onGivenUp` if there is none in time, or when the body is cut off. */
  begin(onGivenUp: (error: Error) => void): void {
    if (this.#budget.takeIfAvailable(this.#bytes)) {
      this.#charged(onGivenUp);
      return;
    }
    this.#request.pause();
    const waiting = new AbortController();
    this.#waiting = waiting;
    this.#budget.takeWhenAvailable(this.#bytes, waiting.signal).then(() => {
      this.#charged(onGivenUp);
      if (waiting.signal.aborted) this.end();
      else this.#request.resume();
    }, onGivenUp);
  }

  #charged(onGivenUp: (error: Error) => void): void {
    this.#isCharged = true;
    this.#transfer = this.#budget.watch(() => onGivenUp(this.#budget.overloaded()));
  }

  moved(bytes: number): void {
    this.#transfer?.moved(bytes);
  }

  /** All bytes have come: it stalls no more, and stays charged until {@link end}. */
  received(): void {
    this.#transfer?.end();
  }

  /** Idempotent. */
  end(): void {
    this.#transfer?.end();
    if (this.#isCharged) this.#budget.release(this.#bytes);
    this.#isCharged = false;
    this.#waiting?.abort(new RequestAborted());
  }
}

/** The error for a body with spans. */
export function bodyTooLarge(size: number, maxBytes: number): ApiError {
  return new ApiError(
    "body_too_large",
    `The body has at least ${size} bytes; the limit is ${maxBytes} (limits.max_body_bytes). Send fewer spans a batch.`,
    { max_body_bytes: maxBytes },
  );
}
