import type { SpanLabels } from "./span-labels.js";
import type { SpanStore } from "./span-store.js";
import { NO_ROW } from "./span-table.js";
import type { TraceRecord } from "./trace-record.js";
import type { TraceRegistry } from "./trace-registry.js";
import { readState, rootNameOf } from "./trace-summary.js";
import { TraceValuesTable, valuesOf, type TraceValues } from "./trace-values.js";

/** What a trace is filtered, counted and ordered by: nothing that needs its text. */
export interface TraceFacts {
  readonly values: TraceValues;
  readonly status: string;
  readonly startEpochMs: number;
  readonly startNanos: number;
  readonly durationMs: number;
  readonly costUsd: number;
  readonly hasEvaluation: boolean;
  /** Monotonic clock: from then on the status may be another one. */
  readonly holdsUntilMs: number;
  /** Read from the text of the root when it is first asked for. */
  rootName: string | undefined;
}

/** What facts cost on the heap, by estimate; their values are shared. */
const FACTS_BYTES = 200;

/**
 * The facts of all traces, added up when they are asked for and kept until a span comes: a query looks at ten thousand
 * traces and not at their two hundred thousand spans.
 */
export class TraceIndex {
  readonly #values = new TraceValuesTable();

  constructor(
    private readonly traces: Pick<TraceRegistry, "charge">,
    private readonly spans: SpanStore,
  ) {}

  of(trace: TraceRecord, nowMs: number): TraceFacts {
    const known = trace.facts;
    if (known !== undefined && nowMs < known.holdsUntilMs) return known;
    if (known === undefined) this.traces.charge(FACTS_BYTES);
    return (trace.facts = this.#read(trace, nowMs));
  }

  rootNameOf(trace: TraceRecord, nowMs: number): string {
    const facts = this.of(trace, nowMs);
    return (facts.rootName ??= rootNameOf(trace, this.spans, nowMs));
  }

  /** Says that the spans of a trace change: what was known of it is known no more. */
  forget(trace: TraceRecord): void {
    trace.changes++;
    trace.searchedTexts = 0;
    trace.foundTexts = 0;
    if (trace.facts === undefined) return;
    trace.facts = undefined;
    this.traces.charge(-FACTS_BYTES);
  }

  clear(): void {
    this.#values.clear();
  }

  #read(trace: TraceRecord, nowMs: number): TraceFacts {
    const { spans } = this;
    const { totals, status, holdsUntilMs } = readState(trace, spans, nowMs);
    const labels: SpanLabels[] = [];
    addLabels(labels, spans, trace.firstSpan);
    addLabels(labels, spans, trace.firstEvaluation);
    return {
      values: trace.dropped === undefined ? this.#values.of(labels) : valuesOf(labels, trace.dropped.totals),
      status,
      startEpochMs: totals.startEpochMs,
      startNanos: totals.startNanos,
      durationMs: totals.durationMs,
      costUsd: totals.costUsd,
      hasEvaluation: trace.firstEvaluation !== NO_ROW,
      holdsUntilMs,
      rootName: undefined,
    };
  }
}

/** Adds the labels of a chain of rows, each once. */
function addLabels(labels: SpanLabels[], spans: SpanStore, first: number): void {
  let last: SpanLabels | undefined;
  for (let row = first; row !== NO_ROW; row = spans.next(row)) {
    const each = spans.labels(row);
    if (each !== last && !labels.includes(each)) labels.push(each);
    last = each;
  }
}
