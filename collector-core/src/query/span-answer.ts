import { isSmallSpan, readSmall, type StoredSpan } from "../span/stored-span.js";
import type { TimeSlice } from "../runtime/time-slice.js";
import { largeSpanAnswer } from "./large-span-answer.js";
import { shortenTexts } from "./shorten-texts.js";
import { spanJson } from "./span-json.js";

/** How a span is answered: long texts whole, or a preview of each. */
export type SpanShape = "whole" | "previews";

/** The JSON of a span of an answer; of a large one in pieces, for which the trace has to be held. */
export function spanAnswer(
  stored: StoredSpan,
  shape: SpanShape,
  timeSlice: TimeSlice,
): string | AsyncGenerator<string | Buffer> {
  if (!isSmallSpan(stored)) return largeSpanAnswer(stored, shape === "previews", timeSlice);
  return spanJson(readSmall(stored), shape === "whole" ? (span) => span : shortenTexts);
}
