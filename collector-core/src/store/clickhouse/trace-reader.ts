import { TupleParam } from "@clickhouse/client";
import { ApiError } from "../../api-schema/errors.js";
import type { TraceSummary } from "../../api-schema/trace.js";
import type {
  EvaluatedLabels,
  HeldSpan,
  SpanPages,
  SpanReference,
  StoredEvaluation,
  StoredTrace,
  TraceKey,
} from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import { TimeSlice } from "../../runtime/time-slice.js";
import { readOutputPreview } from "../../span/output-preview.js";
import { readReceived, type StoredSpan } from "../../span/stored-span.js";
import { traceKeyText } from "../../span/trace-key-text.js";
import type { TraceRemains } from "../../span/trace-remains.js";
import { labelsOfSpan, labelsOfTrace } from "../traces/evaluated-labels.js";
import { isKnownWrapper } from "../traces/span-flags.js";
import { ABANDONED_AFTER_MS } from "../traces/span-rows.js";
import { FLAG } from "../traces/span-table.js";
import type { Database } from "./database.js";
import { compareStart } from "./fact-rows.js";
import { IS_KEPT, timeParameters } from "./schema.js";
import { keyOf, keysParameter, OF_KEYS, type KeyColumns } from "./trace-keys.js";
import { MAX_EVALUATIONS_PER_TRACE, SUMMARY_COLUMNS, summaryOf, type SummaryRow } from "./trace-row.js";

/** Accounts for memory that is read. */
export interface PagesInUse {
  take(bytes: number): void;
  release(bytes: number): void;
}

/** Options of {@link TraceReader}. */
export interface TraceReaderOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly ttlSeconds: number;
  /** `trace_store.max_spans_per_trace`: the newest spans are answered. */
  readonly maxSpansPerTrace: number;
  readonly pagesInUse: PagesInUse;
}

/** JSON of a page, unless it is a single span. */
const PAGE_BYTES = 256 * 1024;
/** Traces or spans that one query asks for. */
const KEYS_PER_QUERY = 250;
/** Spans whose JSON is read at a time for a preview. */
const PREVIEWS_PER_QUERY = 16;
/** Evaluations that are read at the start (contract 8). */
const MAX_EVALUATIONS = 20_000;

const OF_TRACE = "tenant = {tenant:String} AND trace_id = {trace_id:String}";
const OF_SPANS = "(tenant, trace_id, span_id) IN {spans:Array(Tuple(String, String, String))}";
const STORED_COLUMNS = "tenant, service, env, app_version, received_ms, flags, cost_usd, json";

/** What a span is read from. */
interface StoredRow {
  readonly tenant: string;
  readonly service: string;
  readonly env: string;
  readonly app_version: string | null;
  readonly received_ms: number;
  readonly flags: number;
  readonly cost_usd: number | null;
  readonly json: string;
}

/** A span of a trace that is being read. */
interface SpanPlace {
  readonly span_id: string;
  readonly arrival: number;
  readonly start_ms: number;
  readonly start_nanos: number;
  readonly is_evaluation: number;
  readonly bytes: number;
}

interface SpanKeyColumns extends KeyColumns {
  readonly span_id: string;
}

/** Reads single traces and spans. */
export class TraceReader {
  readonly #options: TraceReaderOptions;

  constructor(options: TraceReaderOptions) {
    this.#options = options;
  }

  /** A trace as it is now, with the spans that it has now. */
  async get(key: TraceKey, signal: AbortSignal | undefined): Promise<StoredTrace | undefined> {
    const { database, maxSpansPerTrace } = this.#options;
    const [row, places] = await Promise.all([
      this.#summaryRows([key], signal).then((rows) => rows[0]),
      database.rows<SpanPlace>(
        `SELECT span_id, arrival, start_ms, start_nanos, span_type = 'evaluation' AS is_evaluation, length(json) AS bytes
FROM spans FINAL WHERE ${OF_TRACE} ORDER BY arrival DESC, span_id DESC
LIMIT {most:UInt32} BY is_evaluation`,
        { ...ofTrace(key), most: Math.max(maxSpansPerTrace, MAX_EVALUATIONS_PER_TRACE) },
        signal,
      ),
    ]);
    if (row === undefined) return undefined;
    const newest = [
      ...places.filter(({ is_evaluation }) => is_evaluation === 0).slice(0, maxSpansPerTrace),
      ...places.filter(({ is_evaluation }) => is_evaluation === 1).slice(0, MAX_EVALUATIONS_PER_TRACE),
    ];
    const pages = (compare: (a: SpanPlace, b: SpanPlace) => number): SpanPages => {
      const sorted = newest.toSorted(compare);
      return { [Symbol.asyncIterator]: () => this.#pages(key, sorted, signal) };
    };
    return {
      summary: summaryOf(row, this.#options.clock.now()),
      spans: pages(compareStart),
      received: pages((a, b) => a.arrival - b.arrival),
      remains: row.remains === "" ? undefined : (JSON.parse(row.remains) as TraceRemains),
      release: () => undefined,
    };
  }

  async *#pages(
    key: TraceKey,
    places: readonly SpanPlace[],
    signal: AbortSignal | undefined,
  ): AsyncGenerator<readonly StoredSpan[]> {
    const { database } = this.#options;
    for (let from = 0; from < places.length;) {
      const to = endOfPage(places, from);
      const ids = places.slice(from, to).map(({ span_id }) => span_id);
      const rows = await database.rows<StoredRow & { span_id: string }>(
        `SELECT span_id, ${STORED_COLUMNS} FROM spans FINAL WHERE ${OF_TRACE} AND span_id IN {ids:Array(String)}`,
        { ...ofTrace(key), ids },
        signal,
      );
      const found = new Map(rows.map((row) => [row.span_id, row]));
      const spans = ids.map((id) => {
        const row = found.get(id);
        if (row === undefined)
          throw new ApiError("trace_not_found", "The trace was deleted while it was read.");
        return this.#storedOf(row);
      });
      const release = this.#charge(spans);
      try {
        yield spans;
      } finally {
        release();
      }
      from = to;
    }
    signal?.throwIfAborted();
  }

  /** One span, whose memory is charged until `release`. */
  async span(key: TraceKey, spanId: string, signal: AbortSignal | undefined): Promise<HeldSpan | undefined> {
    const [row] = await this.#options.database.rows<StoredRow>(
      `SELECT ${STORED_COLUMNS} FROM spans FINAL WHERE ${OF_TRACE} AND span_id = {span_id:String}`,
      { ...ofTrace(key), span_id: spanId },
      signal,
    );
    if (row === undefined) return undefined;
    const stored = this.#storedOf(row);
    return { ...stored, release: this.#charge([stored]) };
  }

  /** Summaries in the order of the keys. */
  async summaries(
    keys: readonly TraceKey[],
    signal: AbortSignal | undefined,
  ): Promise<(TraceSummary | undefined)[]> {
    const nowMs = this.#options.clock.now();
    const found = new Map<string, TraceSummary>();
    for (let from = 0; from < keys.length; from += KEYS_PER_QUERY)
      for (const row of await this.#summaryRows(keys.slice(from, from + KEYS_PER_QUERY), signal)) {
        const summary = summaryOf(row, nowMs);
        found.set(traceKeyText({ tenant: summary.tenant, traceId: summary.trace_id }), summary);
      }
    return keys.map((key) => found.get(traceKeyText(key)));
  }

  async #summaryRows(
    keys: readonly TraceKey[],
    signal: AbortSignal | undefined,
  ): Promise<(SummaryRow & { readonly remains: string })[]> {
    return await this.#options.database.rows(
      `SELECT ${SUMMARY_COLUMNS}, remains FROM traces FINAL WHERE ${OF_KEYS} AND ${IS_KEPT}`,
      { keys: keysParameter(keys), ...timeParameters(this.#options) },
      signal,
    );
  }

  /** The tenants that have a trace of that id, newest trace first. */
  async tenantsOf(traceId: string, signal: AbortSignal | undefined): Promise<readonly string[]> {
    const rows = await this.#options.database.rows<{ tenant: string }>(
      `SELECT tenant FROM traces FINAL WHERE trace_id = {trace_id:String} AND ${IS_KEPT} ORDER BY first_arrival DESC`,
      { trace_id: traceId, ...timeParameters(this.#options) },
      signal,
    );
    return rows.map(({ tenant }) => tenant);
  }

  /** Labels of spans and of traces, in the order of the references. */
  async labelsOf(
    references: readonly SpanReference[],
    signal: AbortSignal | undefined,
  ): Promise<(EvaluatedLabels | undefined)[]> {
    const traces = references.filter(({ spanId }) => spanId === null);
    const summaries = await this.summaries(traces, signal);
    const found = new Map<string, EvaluatedLabels>();
    for (const [index, reference] of traces.entries()) {
      const summary = summaries[index];
      if (summary !== undefined) found.set(textOf(reference), labelsOfTrace(summary));
    }
    type LabelRow = SpanKeyColumns & { readonly model: string; readonly agent: string };
    for await (const row of this.#ofSpans<LabelRow>("model, agent", references, KEYS_PER_QUERY, signal))
      found.set(textOfRow(row), labelsOfSpan(row));
    return references.map((reference) => found.get(textOf(reference)));
  }

  /** Beginnings of the outputs of spans, in the order of the references. */
  async outputPreviews(
    references: readonly SpanReference[],
    signal: AbortSignal | undefined,
  ): Promise<(string | null | undefined)[]> {
    const timeSlice = new TimeSlice(this.#options.clock, signal);
    const found = new Map<string, string | null>();
    const columns = STORED_COLUMNS.replace("tenant, ", "");
    type Row = SpanKeyColumns & StoredRow;
    for await (const row of this.#ofSpans<Row>(columns, references, PREVIEWS_PER_QUERY, signal)) {
      if (timeSlice.isOver()) await timeSlice.next();
      found.set(textOfRow(row), await readOutputPreview(this.#storedOf(row), timeSlice));
    }
    return references.map((reference) => found.get(textOf(reference)));
  }

  /** Rows of spans, a few at a time. */
  async *#ofSpans<Row>(
    columns: string,
    references: readonly SpanReference[],
    atATime: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Row> {
    const spans = references.flatMap(({ tenant, traceId, spanId }) =>
      spanId === null ? [] : [new TupleParam([tenant, traceId, spanId])],
    );
    for (let from = 0; from < spans.length; from += atATime)
      yield* await this.#options.database.rows<Row>(
        `SELECT tenant, trace_id, span_id, ${columns} FROM spans FINAL WHERE ${OF_SPANS}`,
        { spans: spans.slice(from, from + atATime) },
        signal,
      );
  }

  /** The latest evaluations, oldest first: see `TraceStore.evaluations`. A sequence is an `arrival`. */
  async evaluations(after: number, limit: number): Promise<readonly StoredEvaluation[]> {
    const { database, clock } = this.#options;
    const columns = `arrival, model, agent, ${STORED_COLUMNS}`;
    const rows = await database.rows<StoredRow & { arrival: number; model: string; agent: string }>(
      `SELECT ${columns} FROM spans WHERE span_type = 'evaluation' AND arrival > {after:Int64}
AND arrival >= (SELECT min(arrival) FROM
  (SELECT arrival FROM spans WHERE span_type = 'evaluation' ORDER BY arrival DESC LIMIT ${MAX_EVALUATIONS}))
ORDER BY arrival LIMIT 1 BY tenant, trace_id, span_id LIMIT {most:UInt32}`,
      { after, most: limit },
    );
    const timeSlice = new TimeSlice(clock);
    const found: StoredEvaluation[] = [];
    for (const row of rows) {
      if (timeSlice.isOver()) await timeSlice.next();
      const { span, context } = await readReceived(this.#storedOf(row), timeSlice);
      const { arrival: sequence, model, agent } = row;
      found.push({ sequence, span, context, labels: { model, agent } });
    }
    return found;
  }

  #storedOf(row: StoredRow): StoredSpan {
    const { tenant, service, env, app_version, received_ms: receivedAtMs, flags, cost_usd: costUsd } = row;
    const bytes = Buffer.from(row.json);
    const isRunning = (flags & FLAG.running) !== 0;
    return {
      slice: { memory: { bytes }, start: 0, end: bytes.length },
      context: { tenant, service, env, version: app_version ?? undefined, receivedAtMs },
      isAbandoned: isRunning && this.#options.clock.now() - receivedAtMs >= ABANDONED_AFTER_MS,
      isWrapper: isKnownWrapper(flags),
      computedCostUsd: (flags & FLAG.computedCost) === 0 || costUsd === null ? undefined : costUsd,
    };
  }

  #charge(spans: readonly StoredSpan[]): () => void {
    const { pagesInUse } = this.#options;
    const bytes = spans.reduce((sum, { slice }) => sum + slice.end, 0);
    pagesInUse.take(bytes);
    let isCharged = true;
    return () => {
      if (isCharged) pagesInUse.release(bytes);
      isCharged = false;
    };
  }
}

function ofTrace({ tenant, traceId }: TraceKey): { tenant: string; trace_id: string } {
  return { tenant, trace_id: traceId };
}

function textOf({ spanId, ...key }: SpanReference): string {
  return `${spanId ?? ""}\n${traceKeyText(key)}`;
}

function textOfRow(row: SpanKeyColumns): string {
  return textOf({ ...keyOf(row), spanId: row.span_id });
}

function endOfPage(places: readonly SpanPlace[], from: number): number {
  let bytes = 0;
  for (let at = from; at < places.length; at++) {
    bytes += places[at]?.bytes ?? 0;
    if ((bytes > PAGE_BYTES && at > from) || at - from === KEYS_PER_QUERY) return at;
  }
  return places.length;
}
