import { isSmallSpan, readSmall, type StoredSpan } from "../span/stored-span.js";
import type { TimeSlice } from "../runtime/time-slice.js";
import { largeSpanJson } from "./large-span-json.js";
import { shortenTexts } from "./shorten-texts.js";
import { spanJson } from "./span-json.js";

/** Whether long texts of a span are written in full or as previews. */
export type SpanShape = "whole" | "previews";

/** The JSON of a span in a response. A large span is streamed in chunks, and the trace must be held until the end. */
export function spanBody(
  stored: StoredSpan,
  shape: SpanShape,
  timeSlice: TimeSlice,
): string | AsyncGenerator<string | Buffer> {
  if (!isSmallSpan(stored)) return largeSpanJson(stored, shape === "previews", timeSlice);
  return spanJson(readSmall(stored), shape === "whole" ? (span) => span : shortenTexts);
}
