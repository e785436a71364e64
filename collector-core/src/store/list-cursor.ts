import { randomBytes } from "node:crypto";
import { ApiError } from "../contract/errors.js";

/**
 * Cursors of one store: the sequence of the last trace of a page. Traces only ever come at the newer end and go
 * anywhere, so that a cursor stays good while both happen.
 */
export class ListCursors {
  /** Sequences of another store, such as the one before a restart, mean nothing here. */
  readonly #storeId = randomBytes(4).toString("hex");

  encode(sequence: number): string {
    return Buffer.from(`${this.#storeId}.${sequence}`).toString("base64url");
  }

  /** @throws `ApiError` `invalid_query` where the cursor is not one of this store's. */
  decode(cursor: string): number {
    const [storeId, sequence = ""] = Buffer.from(cursor, "base64url").toString().split(".");
    const decoded = Number(sequence);
    if (storeId === this.#storeId && Number.isSafeInteger(decoded) && this.encode(decoded) === cursor)
      return decoded;
    throw new ApiError("invalid_query", "`cursor` is not a `next_cursor` that this collector has answered.", {
      field: "cursor",
    });
  }
}
