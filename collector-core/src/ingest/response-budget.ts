import { Readable } from "node:stream";
import type { ServerResponse } from "node:http";
import type { ByteAccount } from "../in-flight/byte-budget.js";
import { SMALL_BYTES } from "../in-flight/transfers.js";
import { RequestAborted } from "../runtime/request-aborted.js";

/** Charges large responses to the memory budget until the client has read them. */
export interface ResponseBudget {
  /**
   * Returns the payload to send. A small payload is returned unchanged. A large one becomes a stream of pieces and is
   * charged until the client has read it. A client that stalls while others need the memory is disconnected.
   *
   * @throws `ApiError` overloaded if the budget is exhausted.
   */
  charge(payload: unknown, response: ServerResponse): Promise<unknown>;
}

export function createResponseBudget(budget: ByteAccount): ResponseBudget {
  return {
    async charge(payload, response) {
      // A destroyed response emits no event that could end the charge.
      if (response.destroyed) return payload;
      if (payload instanceof Readable) return await chargeStream(payload, response);
      if (typeof payload === "string" || Buffer.isBuffer(payload)) return chargeWhole(payload, response);
      return payload;
    },
  };

  function chargeWhole(payload: string | Buffer, response: ServerResponse): string | Buffer | Readable {
    if (isSurelySmall(payload)) return payload;
    const size = Buffer.byteLength(payload);
    if (size <= SMALL_BYTES) return payload;
    budget.require(size);
    response.setHeader("Content-Length", size);
    // One write would hand all bytes to the socket, and a stalled client could not be detected.
    return watched(pieces(asBytes(payload)), response, () => budget.release(size));
  }

  async function chargeStream(payload: Readable, response: ServerResponse): Promise<Readable> {
    const closed = new AbortController();
    const watchedChunks = watched(chargedChunks(payload, closed.signal), response, () => {
      closed.abort(new RequestAborted());
      // Destroys the source even if no chunk was read.
      payload.destroy();
    });
    try {
      await waitForRoom(SMALL_BYTES, closed.signal);
      return watchedChunks;
    } catch (error) {
      payload.destroy();
      throw error;
    }
  }

  /** Charges a chunk until the next one is requested. Reads no chunk while the budget is exhausted. */
  async function* chargedChunks(source: Readable, closed: AbortSignal): AsyncGenerator<string | Buffer> {
    let charged = 0;
    try {
      for await (const chunk of source as AsyncIterable<string | Buffer>) {
        if (isSurelySmall(chunk)) {
          yield chunk;
          continue;
        }
        const bytes = asBytes(chunk);
        charged = bytes.byteLength;
        budget.take(charged);
        yield* pieces(bytes);
        budget.release(charged);
        charged = 0;
        // Assumes that the next chunk has the same size.
        await waitForRoom(bytes.byteLength, closed);
      }
    } finally {
      budget.release(charged);
    }
  }

  async function waitForRoom(bytes: number, closed: AbortSignal): Promise<void> {
    await budget.takeWhenAvailable(bytes, closed);
    budget.release(bytes);
  }

  function watched(
    chunks: Iterable<Buffer> | AsyncIterable<string | Buffer>,
    response: ServerResponse,
    onClosed: () => void,
  ): Readable {
    const transfer = budget.watch(() => response.destroy());
    // The stall timeout counts only while a chunk is ready for the client.
    transfer.pause();
    response.once("close", () => {
      transfer.end();
      onClosed();
    });
    return Readable.from(counted());

    /** A request for the next chunk means that the client has taken the previous one. */
    async function* counted(): AsyncGenerator<string | Buffer> {
      for await (const chunk of chunks) {
        transfer.resume();
        yield chunk;
        transfer.moved(chunk.length);
        transfer.pause();
      }
    }
  }
}

function asBytes(payload: string | Buffer): Buffer {
  return typeof payload === "string" ? Buffer.from(payload) : payload;
}

/** A UTF-16 unit has at most three bytes in UTF-8, so that most responses need no count of bytes. */
function isSurelySmall(payload: string | Buffer): boolean {
  return payload.length * 3 <= SMALL_BYTES;
}

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += SMALL_BYTES) yield bytes.subarray(at, at + SMALL_BYTES);
}
