import type { NormalizedSpan } from "../../api-schema/trace.js";
import type { TraceKey, TraceStore } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import { TimeSlice } from "../../runtime/time-slice.js";
import { hasFewValues } from "../../span/span-budget.js";
import { readScalars, readStored, TEXT_ATTRIBUTES } from "../../span/stored-span.js";
import { requiredStore } from "../trace-requests.js";

/**
 * Reads a span with its whole texts, without its lists and objects if these have too many values; undefined if the store no
 * longer has it.
 */
export type ReadWholeSpan = (
  key: TraceKey,
  spanId: string,
  signal: AbortSignal,
) => Promise<NormalizedSpan | undefined>;

export function createSpanReader(
  store: TraceStore | undefined,
  clock: Pick<Clock, "monotonic">,
): ReadWholeSpan {
  return async (key, spanId, signal) => {
    const held = await requiredStore(store).getSpan(key, spanId, signal);
    if (held === undefined) return undefined;
    try {
      const timeSlice = new TimeSlice(clock, signal);
      return await (hasFewValues(held)
        ? readStored(held, timeSlice)
        : readScalars(held, TEXT_ATTRIBUTES, timeSlice));
    } finally {
      held.release();
    }
  };
}
