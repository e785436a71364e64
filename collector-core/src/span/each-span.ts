import type { TimeSlice } from "../runtime/time-slice.js";
import type { StoredSpan } from "./stored-span.js";

/**
 * The spans of a trace one after the other, with a pause before each that the time slice has no room for. A trace may have very
 * many: whoever reads one reads it by this, so that no reader can forget the pause.
 */
export async function* eachSpan(
  pages: AsyncIterable<readonly StoredSpan[]>,
  timeSlice: Pick<TimeSlice, "isOver" | "next">,
): AsyncGenerator<StoredSpan, void> {
  for await (const page of pages)
    for (const stored of page) {
      if (timeSlice.isOver()) await timeSlice.next();
      yield stored;
    }
}
