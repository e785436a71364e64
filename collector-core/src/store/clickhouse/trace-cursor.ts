import { invalidQuery } from "../../api-schema/errors.js";
import type { TraceKey } from "../../interfaces.js";

/** The last trace of a page. */
export interface TracePosition extends TraceKey {
  /** What the order compares first; 0 in the order of arrival. */
  readonly value: number;
  readonly firstArrival: number;
  /** The newest trace when the first page was asked for. */
  readonly newest: number;
}

/** Encodes a cursor. Every collector reads it. @param list - the list that the cursor is of, in its order. */
export function encodeCursor(
  list: string,
  { value, firstArrival, newest, tenant, traceId }: TracePosition,
): string {
  return Buffer.from(JSON.stringify([list, value, firstArrival, newest, tenant, traceId])).toString(
    "base64url",
  );
}

/** @throws `ApiError` `invalid_query` if the cursor is from another store, or from another list or order. */
export function decodeCursor(cursor: string, list: string): TracePosition {
  const position = read(cursor);
  if (position !== undefined && encodeCursor(list, position) === cursor) return position;
  throw invalidQuery("cursor must be the next_cursor of an earlier page of the same order", {
    field: "cursor",
  });
}

function read(cursor: string): TracePosition | undefined {
  try {
    const parts = JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown[];
    const [, value, firstArrival, newest, tenant, traceId] = parts;
    if (typeof value !== "number" || !Number.isSafeInteger(firstArrival) || !Number.isSafeInteger(newest))
      return undefined;
    if (typeof tenant !== "string" || typeof traceId !== "string") return undefined;
    return { value, firstArrival: firstArrival as number, newest: newest as number, tenant, traceId };
  } catch {
    return undefined;
  }
}
