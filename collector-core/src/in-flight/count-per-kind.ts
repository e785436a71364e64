import type { InFlightKind } from "../api-schema/metrics.js";

/** A count for each kind of work under way, all 0. */
export function countPerKind(): Record<InFlightKind, number> {
  return {
    request_bodies: 0,
    answers: 0,
    evicted_traces: 0,
    import_lines: 0,
    export_queue: 0,
    evaluation_queue: 0,
  };
}
