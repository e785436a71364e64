import type { NormalizedSpan } from "../../src/api-schema/trace.js";
import type { HeldSpan, SpanPages, StoredTrace, TraceKey } from "../../src/interfaces.js";
import { readReceived, readStored, type ReceivedSpan, type StoredSpan } from "../../src/span/stored-span.js";
import { systemClock } from "../../src/runtime/clock.js";
import { TimeSlice } from "../../src/runtime/time-slice.js";

/** All pages of keys, joined. */
export async function keysOf(pages: AsyncIterable<readonly TraceKey[]>): Promise<TraceKey[]> {
  const keys: TraceKey[] = [];
  for await (const page of pages) keys.push(...page);
  return keys;
}

/** All pages of spans, joined. */
export async function storedOf(pages: SpanPages | undefined): Promise<StoredSpan[]> {
  const spans: StoredSpan[] = [];
  if (pages !== undefined) for await (const page of pages) spans.push(...page);
  return spans;
}

/** The spans of a trace, in order of start. */
export async function spansOf(trace: StoredTrace | undefined): Promise<NormalizedSpan[]> {
  const spans: NormalizedSpan[] = [];
  for (const stored of await storedOf(trace?.spans))
    spans.push(await readStored(stored, new TimeSlice(systemClock)));
  return spans;
}

/** The spans of a trace as they came, in order of arrival. */
export async function receivedOf(trace: StoredTrace | undefined): Promise<ReceivedSpan[]> {
  const spans: ReceivedSpan[] = [];
  for (const stored of await storedOf(trace?.received))
    spans.push(await readReceived(stored, new TimeSlice(systemClock)));
  return spans;
}

/** A span, whose memory is released. */
export async function readHeld(held: HeldSpan | undefined): Promise<NormalizedSpan | undefined> {
  const span = held && (await readStored(held, new TimeSlice(systemClock)));
  held?.release();
  return span;
}
