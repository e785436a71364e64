import type { Instant } from "../../span/timestamp.js";
import type { SpanLabels } from "./span-labels.js";
import type { SpanRows } from "./span-rows.js";
import { NO_ROW } from "./span-table.js";
import type { TraceRecord } from "./trace-record.js";
import { readState, type TraceState } from "./trace-summary.js";
import type { TraceValues, TraceValuesTable } from "./trace-values.js";

/** What a trace is filtered, counted and ordered by, except its text. */
export interface TraceFacts {
  readonly values: TraceValues;
  /** The earliest start. */
  readonly start: Instant;
  readonly durationMs: number;
  readonly costUsd: number;
  /** When the status may change without a new span (monotonic clock). */
  readonly holdsUntilMs: number;
}

/** Reads the facts of a trace from its rows. */
export function readTraceFacts(
  trace: TraceRecord,
  spans: SpanRows,
  valuesTable: TraceValuesTable,
  nowMs: number,
  state: TraceState = readState(trace, spans, nowMs),
): TraceFacts {
  const { totals, status, holdsUntilMs } = state;
  const hasEvaluation = trace.firstEvaluation !== NO_ROW;
  const labels: SpanLabels[] = [];
  addLabels(labels, spans, trace.firstSpan);
  addLabels(labels, spans, trace.firstEvaluation);
  return {
    values: valuesTable.of(labels, { tenant: trace.tenant, status, hasEvaluation }, trace.dropped?.totals),
    start: { epochMs: totals.startEpochMs, nanos: totals.startNanos },
    durationMs: totals.durationMs,
    costUsd: totals.costUsd,
    holdsUntilMs,
  };
}

/** Adds the distinct labels of a chain of rows. */
function addLabels(labels: SpanLabels[], spans: SpanRows, first: number): void {
  let last: SpanLabels | undefined;
  for (let row = first; row !== NO_ROW; row = spans.next(row)) {
    const each = spans.labels(row);
    if (each !== last && !labels.includes(each)) labels.push(each);
    last = each;
  }
}
