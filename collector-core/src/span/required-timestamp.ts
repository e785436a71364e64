import { invalidQuery, quoteValue } from "../api-schema/errors.js";
import { parseTimestamp, type Instant } from "./timestamp.js";

/**
 * Parses a time of a query: RFC 3339, or Unix epoch milliseconds.
 *
 * @throws `ApiError` `invalid_query` if it is neither.
 */
export function requireTimestamp(text: string | undefined, field: string): Instant | undefined {
  if (text === undefined) return undefined;
  const instant = parseTimestamp(/^\d+(\.\d+)?$/.test(text) ? Number(text) : text);
  if (instant !== undefined) return instant;
  throw invalidQuery(
    `${field} must be RFC 3339, such as 2026-11-21T05:57:56Z (a + written as %2B), or Unix epoch milliseconds, from 1970 to 9999, not ${quoteValue(text)}`,
    { field },
  );
}
