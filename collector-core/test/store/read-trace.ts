import type { NormalizedSpan } from "../../src/api-schema/trace.js";
import type { HeldSpan, StoredTrace } from "../../src/interfaces.js";
import { readReceived, readStored, type ReceivedSpan } from "../../src/span/stored-span.js";
import { systemClock } from "../../src/runtime/clock.js";
import { TimeSlice } from "../../src/runtime/time-slice.js";

/** The spans of a trace, in order of start. */
export async function spansOf(trace: StoredTrace | undefined): Promise<NormalizedSpan[]> {
  const spans: NormalizedSpan[] = [];
  for (const stored of trace?.spans ?? []) spans.push(await readStored(stored, new TimeSlice(systemClock)));
  return spans;
}

/** The spans of a trace as they came, in order of arrival. */
export async function receivedOf(trace: StoredTrace | undefined): Promise<ReceivedSpan[]> {
  const spans: ReceivedSpan[] = [];
  for (const stored of trace?.received ?? [])
    spans.push(await readReceived(stored, new TimeSlice(systemClock)));
  return spans;
}

/** A span, whose memory is released. */
export async function readHeld(held: HeldSpan | undefined): Promise<NormalizedSpan | undefined> {
  const span = held && (await readStored(held, new TimeSlice(systemClock)));
  held?.release();
  return span;
}
