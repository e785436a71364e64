import { randomBytes } from "node:crypto";
import { invalidQuery } from "../../api-schema/errors.js";
import type { TraceOrder } from "../../api-schema/trace.js";

/** The end of a page. */
export interface ListPosition {
  readonly order: TraceOrder;
  /** The sequence of the last trace of the page and, except in the order `newest`, the value it is ordered by. */
  readonly sequence: number;
  readonly value: number;
  /** Traces of later sequences arrived after the first page. The orders `slowest` and `costliest` leave them out. */
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
    return this.encodeNumbers(order, [sequence, value, newestSequence]);
  }

  /** @throws `ApiError` `invalid_query` if the cursor is not from this store, or from another order. */
  decode(cursor: string, order: TraceOrder): ListPosition {
    const [sequence, value, newestSequence] = this.decodeNumbers(cursor, order);
    return { order, sequence, value, newestSequence };
  }

  /** @param list - the list that the cursor is of, in its order. */
  encodeNumbers(list: string, position: CursorNumbers): string {
    return Buffer.from(JSON.stringify([this.#storeId, list, ...position])).toString("base64url");
  }

  /** @throws `ApiError` `invalid_query` if the cursor is not from this store, or from another list or order. */
  decodeNumbers(cursor: string, list: string): CursorNumbers {
    const position = readNumbers(cursor);
    if (position !== undefined && this.encodeNumbers(list, position) === cursor) return position;
    throw invalidQuery("cursor must be the next_cursor of an earlier page of the same order", {
      field: "cursor",
    });
  }
}

/** Where a page ends. */
export type CursorNumbers = readonly [number, number, number];

function readNumbers(cursor: string): CursorNumbers | undefined {
  try {
    const [, , a, b, c] = JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown[];
    if (typeof a !== "number" || typeof b !== "number" || typeof c !== "number") return undefined;
    return [a, b, c];
  } catch {
    return undefined;
  }
}
