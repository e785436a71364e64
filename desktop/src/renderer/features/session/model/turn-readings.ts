import { readTurn, type TurnReading } from "@obspan/collector-core/analysis";
import type { TraceDetail } from "@obspan/collector-core/api-schema";

type Spans = TraceDetail["spans"];

const readings = new WeakMap<Spans, TurnReading>();

/** The spans of a turn, read once: the conversation, the pane and the foot of the page show the same. */
export function readingOf(spans: Spans): TurnReading {
  let reading = readings.get(spans);
  if (reading === undefined) readings.set(spans, (reading = readTurn(spans)));
  return reading;
}
