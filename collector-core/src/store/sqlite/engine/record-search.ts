import { runInSlices } from "../../../runtime/steps.js";
import type { TimeSlice } from "../../../runtime/time-slice.js";
import type { JsonTextSearch } from "../../memory/search/json-text-search.js";
import type { SpanPredicate } from "../../memory/search/span-predicate.js";
import type { BatchRecord } from "../records/batch-record.js";
import type { Span } from "@obspan/sdk/wire";

/** A larger record has one span, or few large ones. */
const SMALL_RECORD_BYTES = 96 * 1024;

/** The spans of a record that meet the predicate: their indexes and trace ids. */
export async function matchesInRecord(
  record: BatchRecord,
  predicate: SpanPredicate,
  timeSlice: TimeSlice,
): Promise<[index: number, traceId: string][]> {
  const found: [number, string][] = [];
  if (record.end - record.start > SMALL_RECORD_BYTES) {
    for (let index = 0; index < record.spanCount; index++) {
      const json = record.jsonOf(index);
      if (json === undefined) continue;
      const { bytes, start, end } = json;
      if (!(await runInSlices(predicate.matches(bytes, start, end), timeSlice))) continue;
      found.push([index, (JSON.parse(bytes.toString("utf8", start, end)) as Span).trace_id]);
    }
    return found;
  }
  for (const [index, span] of record.parse().entries())
    if (span !== null && predicate.isIn(span)) found.push([index, span.trace_id]);
  if (timeSlice.isOver()) await timeSlice.next();
  return found;
}

/** False if one of the texts is surely not in the bytes. */
export async function mayBeIn(
  searches: readonly JsonTextSearch[],
  bytes: Buffer,
  start: number,
  end: number,
  timeSlice: TimeSlice,
): Promise<boolean> {
  for (const json of searches) if (!(await mayHaveText(json, bytes, start, end, timeSlice))) return false;
  return true;
}

async function mayHaveText(
  json: JsonTextSearch,
  bytes: Buffer,
  start: number,
  end: number,
  timeSlice: TimeSlice,
): Promise<boolean> {
  for (let at = start; ;) {
    const next = json.passOver(bytes, at, end);
    if (next === undefined) return true;
    if (next === end) return false;
    at = next;
    if (timeSlice.isOver()) await timeSlice.next();
  }
}
