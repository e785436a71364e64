import { Readable } from "node:stream";
import type { ServerResponse } from "node:http";
import type { ByteAccount } from "../in-flight/byte-budget.js";
import { SMALL_BYTES } from "../in-flight/transfers.js";
import { RequestAborted } from "../runtime/request-aborted.js";

/** Charges answers to the budget from when they are made until they have left. */
export interface AnswerBudget {
  /**
   * The payload to send in place of `payload`: the same where it is small; else its bytes in pieces, charged until the
   * reader has taken them. A reader that stalls while others need the memory is disconnected.
   *
   * @throws `ApiError` overloaded where there is no room.
   */
  charge(payload: unknown, response: ServerResponse): Promise<unknown>;
}

export function createAnswerBudget(budget: ByteAccount): AnswerBudget {
  return {
    async charge(payload, response) {
      // Nobody reads it, and nothing would say when it has left.
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
    // Written as one, all of it would be in the socket's hands at once, and nobody could tell a stalled reader.
    return watched(pieces(asBytes(payload)), response, () => budget.giveBack(size));
  }

  async function chargeStream(payload: Readable, response: ServerResponse): Promise<Readable> {
    const closed = new AbortController();
    const answer = watched(chargedChunks(payload, closed.signal), response, () => {
      closed.abort(new RequestAborted());
      // Where the answer was never begun nothing else ends it.
      payload.destroy();
    });
    try {
      await waitForRoom(SMALL_BYTES, closed.signal);
      return answer;
    } catch (error) {
      payload.destroy();
      throw error;
    }
  }

  /** A chunk is charged until the next is asked for; none is asked for while there is no room. */
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
        budget.giveBack(charged);
        charged = 0;
        // The next one may be as large.
        await waitForRoom(bytes.byteLength, closed);
      }
    } finally {
      budget.giveBack(charged);
    }
  }

  async function waitForRoom(bytes: number, closed: AbortSignal): Promise<void> {
    await budget.takeWhenThere(bytes, closed);
    budget.giveBack(bytes);
  }

  function watched(
    chunks: Iterable<Buffer> | AsyncIterable<string | Buffer>,
    response: ServerResponse,
    onClosed: () => void,
  ): Readable {
    const transfer = budget.watch(() => response.destroy());
    // Until there is something to take, nobody waits for the reader.
    transfer.pause();
    response.once("close", () => {
      transfer.end();
      onClosed();
    });
    return Readable.from(counted());

    /** That the next is asked for says that the one before was taken. */
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

/** UTF-8 takes at most three bytes for a UTF-16 unit: most answers need no counting. */
function isSurelySmall(payload: string | Buffer): boolean {
  return payload.length * 3 <= SMALL_BYTES;
}

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += SMALL_BYTES) yield bytes.subarray(at, at + SMALL_BYTES);
}
