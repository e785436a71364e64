import { randomBytes } from "node:crypto";
import { ApiError } from "../../api-schema/errors.js";
import type { TraceOrder } from "../../api-schema/trace.js";

/** Where a page ended. */
export interface ListPosition {
  readonly order: TraceOrder;
  /** Of the last trace of the page: its sequence and, in other orders than `newest`, what it was ordered by. */
  readonly sequence: number;
  readonly value: number;
  /** Traces of later sequences came after the first page, and are on none of its pages. */
  readonly newestSequence: number;
}

/**
 * Cursors of one store. Traces only ever come at the newer end and go anywhere, so that a cursor stays good while both
 * happen.
 */
export class ListCursors {
  /** Sequences of another store, such as the one before a restart, mean nothing here. */
  readonly #storeId = randomBytes(4).toString("hex");

  encode({ order, sequence, value, newestSequence }: ListPosition): string {
    const fields = [this.#storeId, order, sequence, value, newestSequence];
    return Buffer.from(JSON.stringify(fields)).toString("base64url");
  }

  /** @throws `ApiError` `invalid_query` where the cursor is not one of this store's, or of another order. */
  decode(cursor: string, order: TraceOrder): ListPosition {
    const position = this.#read(cursor);
    if (position?.order === order) return position;
    throw new ApiError(
      "invalid_query",
      "`cursor` is not a `next_cursor` that this collector has answered to a query of this order.",
      { field: "cursor" },
    );
  }

  #read(cursor: string): ListPosition | undefined {
    try {
      const fields = JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown[];
      const [, order, sequence, value, newestSequence] = fields;
      const position = { order, sequence, value, newestSequence } as ListPosition;
      const isOurs = fields.slice(2).every((field) => typeof field === "number");
      return isOurs && this.encode(position) === cursor ? position : undefined;
    } catch {
      return undefined;
    }
  }
}
