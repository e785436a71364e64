import { randomBytes } from "node:crypto";
import { invalidQuery } from "../../api-schema/errors.js";
import type { TraceOrder } from "../../api-schema/trace.js";

/** The end of a page. */
export interface ListPosition {
  readonly order: TraceOrder;
  /** The sequence of the last trace of the page and, except in the order `newest`, the value it is ordered by. */
  readonly sequence: number;
  readonly value: number;
  /** Traces of later sequences arrived after the first page, and are left out of all pages. */
  readonly newestSequence: number;
}

/**
 * Encodes and decodes the cursors of one store. Traces are added at the newer end only, so that a cursor stays valid while traces are added and
 * removed.
 */
export class ListCursors {
  /** Rejects cursors of another store, such as the one before a restart. */
  readonly #storeId: string;

  /** @param storeId - default: random, so that a restart invalidates the cursors. */
  constructor(storeId = randomBytes(4).toString("hex")) {
    this.#storeId = storeId;
  }

  encode({ order, sequence, value, newestSequence }: ListPosition): string {
    const fields = [this.#storeId, order, sequence, value, newestSequence];
    return Buffer.from(JSON.stringify(fields)).toString("base64url");
  }

  /** @throws `ApiError` `invalid_query` if the cursor is not from this store, or from another order. */
  decode(cursor: string, order: TraceOrder): ListPosition {
    const position = this.#read(cursor);
    if (position?.order === order) return position;
    throw invalidQuery("cursor must be the next_cursor of an earlier page of the same order", {
      field: "cursor",
    });
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
