import { Buffer } from "node:buffer";
import type { ServerResponse } from "node:http";
import type { ByteAccount } from "../in-flight/byte-budget.js";
import { SMALL_BYTES, type Transfer } from "../in-flight/transfers.js";
import type { LiveReader } from "./live-reader.js";

/**
 * The connection of a live reader. What is written is charged to the budget until the reader has taken it. A reader that
 * stalls while others need the memory is disconnected.
 */
export function createLiveConnection(
  response: ServerResponse,
  budget: ByteAccount,
): Pick<LiveReader, "write" | "isBehind" | "end"> {
  /** Watched only while something is unsent: an idle reader is not slow. */
  let transfer: Transfer | undefined;
  let unsent = 0;
  response.once("close", () => {
    transfer?.end();
    budget.release(unsent);
    unsent = 0;
  });

  function taken(bytes: number): void {
    // The close has released all.
    if (response.closed) return;
    unsent -= bytes;
    budget.release(bytes);
    transfer?.moved(bytes);
    if (unsent > 0) return;
    transfer?.end();
    transfer = undefined;
  }

  return {
    write(text) {
      if (response.closed || response.destroyed) return;
      const bytes = Buffer.byteLength(text);
      unsent += bytes;
      budget.take(bytes);
      transfer ??= budget.watch(() => response.destroy());
      response.write(text, () => taken(bytes));
    },
    isBehind(bytes = 0) {
      if (response.writableNeedDrain) return true;
      if (bytes <= SMALL_BYTES) return false;
      // A refusal makes the budget end stalled transfers.
      if (!budget.tryTake(bytes)) return true;
      budget.release(bytes);
      return false;
    },
    end() {
      // The end of a reader that does not read would wait for it.
      if (response.writableNeedDrain) response.destroy();
      else response.end();
    },
  };
}
