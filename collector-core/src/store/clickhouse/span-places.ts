import { compareStart } from "./fact-rows.js";
import { MAX_EVALUATIONS_PER_TRACE } from "./trace-row.js";

/** A span of a trace that is being read. */
export interface SpanPlace {
  readonly span_id: string;
  readonly arrival: number;
  readonly start_ms: number;
  readonly start_nanos: number;
  readonly is_evaluation: number;
  readonly bytes: number;
}

/** JSON of a page, unless it is a single span. */
const PAGE_BYTES = 256 * 1024;
/** Spans of a page. */
const PAGE_SPANS = 250;

/** A query of the places of the spans of some traces, the newest spans first, with `most` as a parameter. */
export function placesQuery(ofTraces: string): string {
  return `SELECT tenant, trace_id, span_id, arrival, start_ms, start_nanos, span_type = 'evaluation' AS is_evaluation, length(json) AS bytes
FROM spans FINAL WHERE ${ofTraces} ORDER BY arrival DESC, span_id DESC LIMIT {most:UInt32} BY tenant, trace_id, is_evaluation`;
}

/** The spans of a trace that are shown: its newest. */
export function newestOf<Place extends SpanPlace>(
  places: readonly Place[],
  maxSpans: number,
): readonly Place[] {
  return [
    ...places.filter(({ is_evaluation }) => is_evaluation === 0).slice(0, maxSpans),
    ...places.filter(({ is_evaluation }) => is_evaluation === 1).slice(0, MAX_EVALUATIONS_PER_TRACE),
  ];
}

/** Orders spans by start, or by arrival. */
export const PLACE_ORDER = {
  spans: compareStart,
  received: (a: SpanPlace, b: SpanPlace): number => a.arrival - b.arrival,
} as const;

/** The places in pages. */
export function* inPages<Place extends SpanPlace>(places: readonly Place[]): Generator<readonly Place[]> {
  for (let from = 0; from < places.length;) {
    const to = endOfPage(places, from);
    yield places.slice(from, to);
    from = to;
  }
}

function endOfPage(places: readonly SpanPlace[], from: number): number {
  let bytes = 0;
  for (let at = from; at < places.length; at++) {
    bytes += places[at]?.bytes ?? 0;
    if ((bytes > PAGE_BYTES && at > from) || at - from === PAGE_SPANS) return at;
  }
  return places.length;
}
