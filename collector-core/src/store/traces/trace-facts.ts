import type { Instant } from "../../span/timestamp.js";
import type { SpanLabels } from "./span-labels.js";
import type { SpanRows } from "./span-rows.js";
import { FLAG, NO_ROW } from "./span-table.js";
import type { TraceRecord } from "./trace-record.js";
import { readState, type TraceState } from "./trace-summary.js";
import { MARK, type TraceValues, type TraceValuesTable } from "./trace-values.js";

/** What a trace is filtered, counted and ordered by, except its text. */
export interface TraceFacts {
  readonly values: TraceValues;
  /** The earliest start. */
  readonly start: Instant;
  readonly durationMs: number;
  readonly costUsd: number;
  readonly tokensInput: number;
  readonly tokensOutput: number;
  /** NaN if there is none. */
  readonly ttftMs: number;
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
  const flags = addLabels(labels, spans, trace.firstSpan) | addLabels(labels, spans, trace.firstEvaluation);
  const marks =
    ((flags & FLAG.image) !== 0 ? MARK.image : 0) |
    ((flags & FLAG.emptyToolOutput) !== 0 ? MARK.emptyToolOutput : 0) |
    ((flags & FLAG.scored) !== 0 ? MARK.scored : 0) |
    (totals.hasComputedCost ? MARK.computedCost : 0);
  return {
    values: valuesTable.of(
      labels,
      { tenant: trace.tenant, status, hasEvaluation },
      marks,
      trace.dropped?.totals,
    ),
    start: { epochMs: totals.startEpochMs, nanos: totals.startNanos },
    durationMs: totals.durationMs,
    costUsd: totals.costUsd,
    tokensInput: totals.tokensInput,
    tokensOutput: totals.tokensOutput,
    ttftMs: totals.ttftMs ?? Number.NaN,
    holdsUntilMs,
  };
}

/** Adds the distinct labels of a chain of rows. @returns the flags that any of the rows has. */
function addLabels(labels: SpanLabels[], spans: SpanRows, first: number): number {
  let last: SpanLabels | undefined;
  let flags = 0;
  for (let row = first; row !== NO_ROW; row = spans.next(row)) {
    const each = spans.labels(row);
    if (each !== last && !labels.includes(each)) labels.push(each);
    last = each;
    flags |= spans.flags(row);
  }
  return flags;
}
