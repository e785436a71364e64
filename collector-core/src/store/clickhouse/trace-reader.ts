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
import { IS_KEPT, timeParameters } from "./schema.js";
import { inPages, newestOf, PLACE_ORDER, placesQuery, type SpanPlace } from "./span-places.js";
import { together } from "./together.js";
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

/** Traces or spans that one query asks for. */
const KEYS_PER_QUERY = 250;
/** Spans of several traces whose places are read together, unless one trace has more. */
const PLACES_PER_QUERY = 5000;
/** JSON of several traces that is read together. A trace with more is read in pages. */
const BYTES_PER_QUERY = 2 * 2 ** 20;
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

interface StoredSpanRow extends StoredRow {
  readonly span_id: string;
}

/** Reads the rows of a page of spans, by their ids. */
type ReadPage = (page: readonly SpanPlace[]) => Promise<ReadonlyMap<string, StoredRow>>;

interface TraceSummaryRow extends SummaryRow {
  readonly remains: string;
  readonly spans: number;
}

/** A trace with the spans that are shown of it. */
interface PlacedTrace {
  readonly row: TraceSummaryRow;
  readonly places: readonly (SpanPlace & KeyColumns)[];
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
      database.rows<SpanPlace>(placesQuery(OF_TRACE), { ...ofTrace(key), most: this.#mostPlaces }, signal),
    ]);
    if (row === undefined) return undefined;
    return this.#traceOf(row, newestOf(places, maxSpansPerTrace), this.#pageReader(key, signal), signal);
  }

  /** The same for several traces, in the order of their keys and without those that are gone. */
  async *getEach(
    keys: readonly TraceKey[],
    signal: AbortSignal | undefined,
  ): AsyncGenerator<StoredTrace, void> {
    for (let from = 0; from < keys.length; from += KEYS_PER_QUERY) {
      const asked = keys.slice(from, from + KEYS_PER_QUERY);
      const found = new Map((await this.#summaryRows(asked, signal)).map((row) => [textOfTrace(row), row]));
      const rows = asked.map((key) => found.get(traceKeyText(key))).filter((row) => row !== undefined);
      for (const some of together(rows, ({ spans }) => spans, PLACES_PER_QUERY)) {
        const traces = await this.#placed(some, signal);
        for (const read of together(traces, ({ bytes }) => bytes, BYTES_PER_QUERY))
          yield* this.#readTogether(read, signal);
      }
    }
  }

  async #placed(
    rows: readonly TraceSummaryRow[],
    signal: AbortSignal | undefined,
  ): Promise<readonly PlacedTrace[]> {
    const { database, maxSpansPerTrace } = this.#options;
    const found = new Map<string, (SpanPlace & KeyColumns)[]>(rows.map((row) => [textOfTrace(row), []]));
    const parameters = { keys: keysParameter(rows.map(keyOf)), most: this.#mostPlaces };
    for (const place of await database.rows<SpanPlace & KeyColumns>(placesQuery(OF_KEYS), parameters, signal))
      found.get(textOfTrace(place))?.push(place);
    return rows.map((row) => {
      const places = newestOf(found.get(textOfTrace(row)) ?? [], maxSpansPerTrace);
      return { row, places, bytes: places.reduce((sum, { bytes }) => sum + bytes, 0) };
    });
  }

  /** @param traces - with few bytes, or a single one. */
  async *#readTogether(
    traces: readonly PlacedTrace[],
    signal: AbortSignal | undefined,
  ): AsyncGenerator<StoredTrace, void> {
    const { pagesInUse } = this.#options;
    const bytes = traces.reduce((sum, trace) => sum + trace.bytes, 0);
    if (bytes > BYTES_PER_QUERY) {
      for (const { row, places } of traces)
        yield this.#traceOf(row, places, this.#pageReader(keyOf(row), signal), signal);
      return;
    }
    pagesInUse.take(bytes);
    try {
      const rows = await this.#rowsAt(
        traces.flatMap(({ places }) => places),
        signal,
      );
      for (const { row, places } of traces) {
        const ofTrace = rows.get(textOfTrace(row)) ?? new Map<string, StoredRow>();
        yield this.#traceOf(row, places, async () => ofTrace, signal);
      }
    } finally {
      pagesInUse.release(bytes);
    }
  }

  /** The rows of spans by their ids, by the key of their trace. */
  async #rowsAt(
    places: readonly (SpanPlace & KeyColumns)[],
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, Map<string, StoredRow>>> {
    const found = new Map<string, Map<string, StoredRow>>();
    if (places.length === 0) return found;
    const rows = await this.#options.database.rows<StoredSpanRow & KeyColumns>(
      `SELECT trace_id, span_id, ${STORED_COLUMNS} FROM spans FINAL WHERE ${OF_SPANS}`,
      { spans: places.map(({ tenant, trace_id, span_id }) => new TupleParam([tenant, trace_id, span_id])) },
      signal,
    );
    for (const row of rows) {
      const text = textOfTrace(row);
      const ofTrace = found.get(text);
      if (ofTrace === undefined) found.set(text, new Map([[row.span_id, row]]));
      else ofTrace.set(row.span_id, row);
    }
    return found;
  }

  #traceOf(
    row: TraceSummaryRow,
    places: readonly SpanPlace[],
    read: ReadPage,
    signal: AbortSignal | undefined,
  ): StoredTrace {
    const pages = (order: keyof typeof PLACE_ORDER): SpanPages => {
      const sorted = places.toSorted(PLACE_ORDER[order]);
      return { [Symbol.asyncIterator]: () => this.#pages(sorted, read, signal) };
    };
    return {
      summary: summaryOf(row, this.#options.clock.now()),
      spans: pages("spans"),
      received: pages("received"),
      remains: row.remains === "" ? undefined : (JSON.parse(row.remains) as TraceRemains),
      release: () => undefined,
    };
  }

  get #mostPlaces(): number {
    return Math.max(this.#options.maxSpansPerTrace, MAX_EVALUATIONS_PER_TRACE);
  }

  #pageReader(key: TraceKey, signal: AbortSignal | undefined): ReadPage {
    return async (page) => {
      const rows = await this.#options.database.rows<StoredSpanRow>(
        `SELECT span_id, ${STORED_COLUMNS} FROM spans FINAL WHERE ${OF_TRACE} AND span_id IN {ids:Array(String)}`,
        { ...ofTrace(key), ids: page.map(({ span_id }) => span_id) },
        signal,
      );
      return new Map(rows.map((row) => [row.span_id, row]));
    };
  }

  async *#pages(
    places: readonly SpanPlace[],
    read: ReadPage,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<readonly StoredSpan[]> {
    for (const page of inPages(places)) {
      const found = await read(page);
      const spans = page.map(({ span_id }) => {
        const row = found.get(span_id);
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

  async #summaryRows(keys: readonly TraceKey[], signal: AbortSignal | undefined): Promise<TraceSummaryRow[]> {
    return await this.#options.database.rows(
      `SELECT ${SUMMARY_COLUMNS}, remains, span_count + evaluation_count AS spans FROM traces FINAL WHERE ${OF_KEYS} AND ${IS_KEPT}`,
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

function textOfTrace(row: KeyColumns): string {
  return traceKeyText(keyOf(row));
}
