import type { TraceSummary } from "../../api-schema/trace.js";
import { hashTrace } from "../../hashing/span-hashes.js";
import type { TraceKey } from "../../interfaces.js";
import type { TraceRemains } from "../../span/trace-remains.js";
import { DroppedSpans } from "../traces/dropped-spans.js";
import { restoreTrace } from "../traces/restored-trace.js";
import { SpanLabelTable } from "../traces/span-labels.js";
import { NO_ROW } from "../traces/span-table.js";
import { ABANDONED, decodeSummary, encodeSummary } from "../traces/summary-fields.js";
import { readTraceFacts } from "../traces/trace-facts.js";
import { TraceRecord } from "../traces/trace-record.js";
import { readState, scoresOf, summarizeTrace } from "../traces/trace-summary.js";
import { TraceValuesTable, VALUE_FIELDS } from "../traces/trace-values.js";
import { FactRows } from "./fact-rows.js";
import { VALUE_COLUMNS } from "./schema.js";
import { ARRIVALS_PER_MS, isRunning, type FactRow } from "./span-row.js";

/** Evaluation spans of a trace that count, apart from its other spans (contract 8). */
export const MAX_EVALUATIONS_PER_TRACE = 100;

/** What a row of `traces` that is there tells the next one. */
export interface KnownTrace {
  readonly firstArrival: number;
  /** JSON of what an import told; empty if none did. */
  readonly remains: string;
  /** 0 if it has no row yet. */
  readonly version: number;
  /** `first_received_ms` of its latest row; undefined if it has none yet. */
  readonly latestMs: number | undefined;
}

/** A row counts fewer spans in its version. */
const SEEN_LIMIT = 2 ** 32;

/** What an answer reads of a row of `traces`. */
export interface SummaryRow {
  readonly tenant: string;
  readonly trace_id: string;
  readonly running_until_ms: number;
  readonly summary: string;
}

/** The columns of {@link SummaryRow}. */
export const SUMMARY_COLUMNS = "tenant, trace_id, running_until_ms, summary";

/** A row of `traces` as it is written. */
export type TraceRow = SummaryRow & { readonly first_received_ms: number } & Readonly<
    Record<string, unknown>
  >;

/** A trace to be summed up. */
export interface TraceSpans {
  readonly key: TraceKey;
  /** Its spans, each once; at least one. The newest, if it has too many to be read. */
  readonly rows: readonly FactRow[];
  /** Spans that were too many to be read. */
  readonly unread: number;
  readonly known: KnownTrace | undefined;
}

/** Sums up traces, with the code of the other stores. */
export class TraceRows {
  readonly #maxSpansPerTrace: number;
  readonly #labels = new SpanLabelTable();
  readonly #values = new TraceValuesTable();

  /** @param maxSpansPerTrace - `trace_store.max_spans_per_trace`: older spans count, and are shown as dropped. */
  constructor(maxSpansPerTrace: number) {
    this.#maxSpansPerTrace = maxSpansPerTrace;
  }

  /** The row of a trace. */
  rowOf({ key, rows, unread, known }: TraceSpans, nowMs: number): TraceRow {
    const hash = hashTrace(key.tenant, key.traceId);
    const spans = new FactRows(rows, hash, this.#labels);
    const remains = known === undefined || known.remains === "" ? undefined : remainsIn(known.remains);
    const trace = new TraceRecord(0, key, hash, remains?.partial === true, nowMs);
    this.#fill(trace, spans, nowMs, remains);
    if (unread > 0) {
      trace.dropped ??= new DroppedSpans();
      trace.dropped.count += unread;
    }
    const state = readState(trace, spans, nowMs);
    const facts = readTraceFacts(trace, spans, this.#values, nowMs, state);
    const summary = summarizeTrace(trace, spans, nowMs, state);
    const scores = scoresOf(trace, spans);
    const times = rows.map(({ received_ms }) => received_ms);
    const firstArrival = Math.min(known?.firstArrival ?? Infinity, least(rows.map(({ arrival }) => arrival)));
    const values = VALUE_FIELDS.map((field) => [VALUE_COLUMNS[field], facts.values[field]] as const);
    // Old spans, which are not read, have ended.
    const seen = rows.length + rows.filter((row) => !isRunning(row)).length + 2 * unread;
    return {
      tenant: key.tenant,
      trace_id: key.traceId,
      version: versionOf(seen, known?.version ?? 0),
      first_arrival: firstArrival,
      first_received_ms: Math.floor(firstArrival / ARRIVALS_PER_MS),
      last_received_ms: -least(times.map((ms) => -ms)),
      start_ms: facts.start.epochMs,
      start_nanos: facts.start.nanos,
      duration_ms: facts.durationMs,
      ttft_ms: Number.isNaN(facts.ttftMs) ? null : facts.ttftMs,
      cost_usd: facts.costUsd,
      tokens_input: facts.tokensInput,
      tokens_output: facts.tokensOutput,
      span_count: trace.spanCount,
      evaluation_count: trace.evaluationCount,
      status: state.status,
      running_until_ms: state.isRunning ? Math.ceil(state.holdsUntilMs) : 0,
      root_name: summary.root_name,
      session_id: trace.sessionId,
      user_id: trace.userId,
      has_evaluation: facts.values.hasEvaluation,
      ...Object.fromEntries(values),
      score_types: scores.map(({ type }) => type),
      score_values: scores.map(({ score }) => score),
      score_labels: scores.map(({ label }) => label),
      summary: encodeSummary(summary),
      remains: known?.remains ?? "",
    };
  }

  /** Forgets the labels of traces that were summed up. */
  clear(): void {
    this.#labels.clear();
    this.#values.clear();
  }

  #fill(trace: TraceRecord, spans: FactRows, nowMs: number, remains: TraceRemains | undefined): void {
    if (remains !== undefined) restoreTrace(trace, remains, nowMs);
    const { spanCount, evaluationCount } = spans;
    const evaluations = Math.min(evaluationCount, MAX_EVALUATIONS_PER_TRACE);
    trace.firstSpan = spanCount === 0 ? NO_ROW : 0;
    trace.spanCount = spanCount;
    trace.evaluationCount = evaluations;
    trace.firstEvaluation = evaluations === 0 ? NO_ROW : spanCount + evaluationCount - evaluations;
    for (let row = trace.firstSpan; row !== NO_ROW; row = spans.next(row)) {
      const { session_id: sessionId, user_id: userId } = spans.at(row);
      trace.setOwner({ sessionId, userId });
    }
    for (; trace.spanCount > this.#maxSpansPerTrace; trace.spanCount--) {
      trace.dropped ??= new DroppedSpans();
      trace.dropped.add(spans, trace, trace.firstSpan);
      trace.firstSpan = spans.next(trace.firstSpan);
    }
  }
}

/** The summary of a trace at a time. */
export function summaryOf(
  { tenant, trace_id, running_until_ms, summary }: SummaryRow,
  nowMs: number,
): TraceSummary {
  const read = decodeSummary({ tenant, trace_id }, JSON.parse(summary) as readonly unknown[]);
  const isAbandoned = running_until_ms > 0 && running_until_ms <= nowMs;
  return isAbandoned ? { ...read, status: ABANDONED, running: false } : read;
}

/** The version of a row that counts what was seen, after a row of the version `known`. */
function versionOf(seen: number, known: number): number {
  const removals = Math.floor(known / SEEN_LIMIT);
  const isLess = seen < known % SEEN_LIMIT;
  return (isLess ? removals + 1 : removals) * SEEN_LIMIT + seen;
}

function remainsIn(json: string): TraceRemains {
  return JSON.parse(json) as TraceRemains;
}

/** The least of many numbers; a call with as many arguments would fail. */
function least(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.min(a, b), Infinity);
}
