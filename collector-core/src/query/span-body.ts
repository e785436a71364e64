import { isSmallSpan, readSmall, type StoredSpan } from "../span/stored-span.js";
import type { TimeSlice } from "../runtime/time-slice.js";
import { largeSpanJson } from "./large-span-json.js";
import { shortenTexts, type TextLimit } from "./shorten-texts.js";
import { spanJson } from "./span-json.js";

/**
 * The JSON of a span in a response. A large span is streamed in chunks, and the trace must be held until the end.
 *
 * @param limit - which texts are replaced by a preview; undefined for none.
 */
export function spanBody(
  stored: StoredSpan,
  limit: TextLimit | undefined,
  timeSlice: TimeSlice,
): string | AsyncGenerator<string | Buffer> {
  if (!isSmallSpan(stored)) return largeSpanJson(stored, limit, timeSlice);
  return spanJson(readSmall(stored), (span) => (limit === undefined ? span : shortenTexts(span, limit)));
}
