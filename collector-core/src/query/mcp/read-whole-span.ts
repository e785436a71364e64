import type { NormalizedSpan } from "../../api-schema/trace.js";
import type { TraceKey, TraceStore } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import { TimeSlice } from "../../runtime/time-slice.js";
import { readStored } from "../../span/stored-span.js";
import { requiredStore } from "../trace-requests.js";

/** Reads a span with its whole texts; undefined if the store no longer has it. */
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
      return await readStored(held, new TimeSlice(clock, signal));
    } finally {
      held.release();
    }
  };
}
