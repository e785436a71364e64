import type { NormalizedSpan } from "../../src/api-schema/trace.js";

/** Start of the traces in these tests. */
export const START_MS = Date.UTC(2026, 10, 21, 14, 32, 20, 118);

/** A span as the collector returns it; times in milliseconds from the start of the trace. */
export function newSpan(
  id: string,
  parent: string | null,
  startMs: number,
  durationMs: number | null,
  fields: Partial<NormalizedSpan> = {},
): NormalizedSpan {
  return {
    trace_id: "t",
    span_id: id,
    parent_span_id: parent,
    name: id,
    span_type: "task",
    status: durationMs === null ? "RUNNING" : "OK",
    start_time: new Date(START_MS + startMs).toISOString(),
    end_time: durationMs === null ? null : new Date(START_MS + startMs + durationMs).toISOString(),
    duration_ms: durationMs,
    service: "shop",
    env: "production",
    version: null,
    attributes: {},
    events: [],
    ...fields,
  };
}
