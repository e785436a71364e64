import type { TraceSummary } from "../../api-schema/trace.js";
import { formatInstant } from "../../span/timestamp.js";
import { readRoot, startsBefore, type RootSpan } from "./dropped-spans.js";
import type { Score } from "./span-digest.js";
import { ABANDONED_AFTER_MS, type SpanRows } from "./span-rows.js";
import { FLAG, FLOAT, NO_ROW } from "./span-table.js";
import type { TraceRecord } from "./trace-record.js";
import { DistinctValues } from "./distinct-values.js";
import { costSourceOf } from "./cost-source.js";
import { MAX_LISTED, MAX_LISTED_CHARACTERS, TraceTotals } from "./trace-totals.js";

/**
 * The state of a trace, computed from its rows without parsing text. It is computed on demand: a few hundred rows take
 * microseconds, and it is correct after a span was replaced or turned out to be a wrapper.
 */
export interface TraceState {
  readonly totals: TraceTotals;
  readonly status: string;
  readonly isRunning: boolean;
  /** The stored root, or {@link NO_ROW}. */
  readonly rootRow: number;
  /** The root if the cap dropped it. */
  readonly droppedRoot: RootSpan | undefined;
  /** The earliest span. */
  readonly earliestRow: number;
  /** The earliest and the latest span of type llm. */
  readonly firstLlmRow: number;
  readonly lastLlmRow: number;
  /** When the last running span becomes abandoned (monotonic clock), and with it the trace. Infinite without one. */
  readonly holdsUntilMs: number;
}

/** Computes the state of a trace. */
export function readState(trace: TraceRecord, spans: SpanRows, nowMs: number): TraceState {
  const totals = trace.dropped?.totals.copy() ?? new TraceTotals(Number.POSITIVE_INFINITY);
  let rootRow = NO_ROW;
  let earliestRow = NO_ROW;
  let firstLlmRow = NO_ROW;
  let lastLlmRow = NO_ROW;
  const running = { isAny: false, isAnyAbandoned: false, untilMs: 0 };
  const addRunning = (seenAtMs: number): void => {
    const abandonedAtMs = seenAtMs + ABANDONED_AFTER_MS;
    if (nowMs >= abandonedAtMs) running.isAnyAbandoned = true;
    else {
      running.isAny = true;
      running.untilMs = Math.max(running.untilMs, abandonedAtMs);
    }
  };

  for (let row = trace.firstSpan; row !== NO_ROW; row = spans.next(row)) {
    totals.add(spans, trace, row);
    const flags = spans.flags(row);
    if ((flags & FLAG.hasParent) === 0) rootRow = earlier(spans, row, rootRow);
    earliestRow = earlier(spans, row, earliestRow);
    if ((flags & FLAG.llm) !== 0) {
      firstLlmRow = earlier(spans, row, firstLlmRow);
      if (lastLlmRow === NO_ROW || spans.compareStart(row, lastLlmRow) > 0) lastLlmRow = row;
    }
    if ((flags & FLAG.running) !== 0) addRunning(spans.float(row, FLOAT.seenAtMs));
  }
  if (trace.spanCount === 0) {
    // A trace of evaluations only takes its time from them.
    for (let row = trace.firstEvaluation; row !== NO_ROW; row = spans.next(row)) {
      totals.addTime(spans, row);
      earliestRow = earlier(spans, row, earliestRow);
    }
  }

  const candidate = trace.dropped?.root;
  const droppedRoot = startsBefore(candidate, spans, rootRow) ? candidate : undefined;
  if (droppedRoot !== undefined) {
    rootRow = NO_ROW;
    if (droppedRoot.isRunning) addRunning(droppedRoot.seenAtMs);
  }

  let status: string;
  if (running.isAny) status = "RUNNING";
  else if (running.isAnyAbandoned) status = "ABANDONED";
  else if (droppedRoot !== undefined) status = droppedRoot.labels.status;
  else if (rootRow !== NO_ROW) status = spans.labels(rootRow).status;
  else status = totals.errorCount > 0 ? "ERROR" : "OK";
  return {
    totals,
    status,
    isRunning: running.isAny,
    rootRow,
    droppedRoot,
    earliestRow,
    firstLlmRow,
    lastLlmRow,
    holdsUntilMs: running.isAny ? running.untilMs : Number.POSITIVE_INFINITY,
  };
}

function earlier(spans: SpanRows, row: number, than: number): number {
  return than === NO_ROW || spans.compareStart(row, than) < 0 ? row : than;
}

/** The `root_name` of the summary, without the other text that a summary reads. */
export function rootNameOf(trace: TraceRecord, spans: SpanRows, nowMs: number): string {
  const { droppedRoot, rootRow, earliestRow } = readState(trace, spans, nowMs);
  const shownRow = rootRow === NO_ROW ? earliestRow : rootRow;
  return (droppedRoot?.digest ?? spans.digest(shownRow)).name;
}

/**
 * Summarizes a trace for a list (contract 3). Reads the text of the root, the first and the last llm span, and the
 * evaluations only.
 */
export function summarizeTrace(
  trace: TraceRecord,
  spans: SpanRows,
  nowMs: number,
  state: TraceState = readState(trace, spans, nowMs),
): TraceSummary {
  const { totals } = state;
  const root = state.droppedRoot ?? (state.rootRow === NO_ROW ? undefined : readRoot(spans, state.rootRow));
  const shown = root ?? readRoot(spans, state.earliestRow);
  return {
    trace_id: trace.traceId,
    tenant: trace.tenant,
    root_name: shown.digest.name,
    service: shown.labels.service,
    env: shown.labels.env,
    version: shown.labels.version ?? null,
    agent: orNull(root?.labels.agent ?? "") ?? orNull(totals.agent),
    session_id: orNull(trace.sessionId),
    user_id: orNull(trace.userId),
    models: listed(totals.models),
    providers: totals.providers.toArray(),
    tools: totals.tools.toArray(),
    prompts: totals.prompts.toArray(),
    status: state.status,
    error_type: orNull(root?.labels.errorCategory ?? "") ?? orNull(totals.errorCategory),
    error_count: totals.errorCount,
    start_time: formatInstant({ epochMs: totals.startEpochMs, nanos: totals.startNanos }),
    duration_ms: totals.durationMs,
    ttft_ms: totals.ttftMs ?? null,
    span_count: trace.spanCount,
    llm_calls: totals.llmCalls,
    tool_calls: totals.toolCalls,
    tokens_input: totals.tokensInput,
    tokens_output: totals.tokensOutput,
    cost_usd: totals.costUsd,
    cost_source: costSourceOf(totals.costUsd, totals.hasComputedCost),
    scores: scoresOf(trace, spans),
    input_preview:
      root?.digest.input ??
      digestOf(spans, state.firstLlmRow)?.input ??
      digestOf(spans, state.lastLlmRow)?.input ??
      null,
    output_preview: root?.digest.output ?? digestOf(spans, state.lastLlmRow)?.output ?? null,
    dropped_spans: trace.dropped?.count ?? 0,
    running: state.isRunning,
    partial: trace.isPartial,
  };
}

function listed(texts: Iterable<string>): string[] {
  const values = new DistinctValues(MAX_LISTED, MAX_LISTED_CHARACTERS);
  for (const text of texts) values.add(text);
  return values.toArray();
}

function firstOf<T>(values: Iterable<T>, count: number): T[] {
  const first: T[] = [];
  for (const value of values) if (first.push(value) === count) break;
  return first;
}

/** The latest score of each type. */
export function scoresOf(trace: TraceRecord, spans: SpanRows): Score[] {
  const scores = new Map<string, Score>();
  for (let row = trace.firstEvaluation; row !== NO_ROW; row = spans.next(row)) {
    const { score } = spans.digest(row);
    if (score !== null) scores.set(score.type, score);
  }
  return firstOf(scores.values(), MAX_LISTED);
}

function digestOf(spans: SpanRows, row: number): { input: string | null; output: string | null } | undefined {
  return row === NO_ROW ? undefined : spans.digest(row);
}

function orNull(text: string): string | null {
  return text === "" ? null : text;
}
