import type { TraceKey } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import { appendAll } from "../../runtime/append-all.js";
import { TimeSlice } from "../../runtime/time-slice.js";
import { traceKeyText } from "../../span/trace-key-text.js";
import type { Database } from "./database.js";
import { insertReadable } from "./insert-readable.js";
import { FACT_COLUMNS, type FactRow } from "./span-row.js";
import { mayHaveLaterRow, removeLaterRows } from "./trace-days.js";
import { keyOf, keysParameter, OF_KEYS, type KeyColumns } from "./trace-keys.js";
import { TraceRows, type KnownTrace, type TraceRow, type TraceSpans } from "./trace-row.js";

/** Options of {@link TraceSums}. */
export interface TraceSumsOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** `trace_store.max_spans_per_trace`. */
  readonly maxSpansPerTrace: number;
}

/** Traces that one query asks for. */
const KEYS_PER_QUERY = 250;
/** Rows that are inserted together, and about their characters: each insert is a part of the table, which ClickHouse has to merge. */
const ROWS_PER_INSERT = 1000;
const LENGTH_PER_INSERT = 4 * 2 ** 20;
/** Spans of a trace that are read to sum it up; of a longer one, the newest. */
const MAX_SPANS_READ = 20_000;
/** Rows that one query reads, unless one trace has more. */
const ROWS_PER_QUERY = 2 * MAX_SPANS_READ;
/** A trace with more rows keeps its summary: to sort them would take ClickHouse too long, again and again. */
const MAX_ROWS_SORTED = 200_000;

/** How many rows a trace has; rows that were replaced count until ClickHouse has merged them. */
const COUNT = `SELECT tenant, trace_id, count() AS rows FROM spans WHERE ${OF_KEYS} GROUP BY tenant, trace_id`;
const KNOWN = `SELECT tenant, trace_id, min(first_arrival) AS first, max(first_received_ms) AS latest_ms, max(remains) AS remains,
max(version) AS latest_version FROM traces WHERE ${OF_KEYS} GROUP BY tenant, trace_id`;
const FACTS = `SELECT ${FACT_COLUMNS} FROM spans FINAL WHERE ${OF_KEYS}
ORDER BY arrival DESC LIMIT ${MAX_SPANS_READ} BY tenant, trace_id`;
const IDS = `SELECT tenant, trace_id, uniqExact(span_id) AS spans FROM spans WHERE ${OF_KEYS} GROUP BY tenant, trace_id`;

/** A trace that a write has touched. */
interface Touched {
  readonly key: TraceKey;
  /** Its rows that were just written, each span once. */
  readonly rows: FactRow[];
}

/** A trace that has other rows too. */
interface Longer {
  readonly key: TraceKey;
  readonly known: KnownTrace | undefined;
  /** How many rows it has. */
  readonly count: number;
}

/** What {@link TraceSums.write} did. */
export interface WrittenSums {
  /** The traces of the spans. */
  readonly keys: readonly TraceKey[];
  /** Traces whose rows ClickHouse cannot read, their spans among those that were written, and why. */
  readonly refused: { traces: number; spans: number; code: string };
}

interface KnownRow extends KeyColumns {
  readonly first: number;
  readonly latest_ms: number;
  readonly remains: string;
  readonly latest_version: number;
}

/** A trace that has no row. */
const NO_ROW: KnownTrace = { firstArrival: Infinity, remains: "", version: 0, latestMs: undefined };

interface SummedTrace {
  readonly key: TraceKey;
  readonly row: TraceRow;
  /** See {@link mayHaveLaterRow}. */
  readonly mayBeTwice: boolean;
}

/** Sums up traces whose spans were just written. */
export class TraceSums {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #rows: TraceRows;

  constructor({ database, clock, maxSpansPerTrace }: TraceSumsOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#rows = new TraceRows(maxSpansPerTrace);
  }

  /**
   * Writes the rows of the traces of spans that are in ClickHouse.
   *
   * @param remains - JSON of what an import tells of its traces, by `traceKeyText`. Ignored for a trace that is there.
   * @param signal - ends the work.
   */
  async write(
    spans: readonly FactRow[],
    remains: ReadonlyMap<string, string>,
    signal?: AbortSignal,
  ): Promise<WrittenSums> {
    const touched = byTrace(spans);
    const traces = [...touched.values()];
    const refused = { traces: 0, spans: 0, code: "" };
    const timeSlice = new TimeSlice(this.#clock, signal);
    const summed: SummedTrace[] = [];
    for (let from = 0; from < traces.length; from += KEYS_PER_QUERY) {
      const asked = traces.slice(from, from + KEYS_PER_QUERY);
      appendAll(summed, await this.#sumUp(asked, remains, timeSlice, signal));
      const isLast = from + KEYS_PER_QUERY >= traces.length;
      if (isLast || summed.length >= ROWS_PER_INSERT || lengthOf(summed) >= LENGTH_PER_INSERT)
        await this.#insert(summed.splice(0), touched, refused, signal);
    }
    return { keys: traces.map(({ key }) => key), refused };
  }

  async #insert(
    summed: readonly SummedTrace[],
    touched: ReadonlyMap<string, Touched>,
    refused: WrittenSums["refused"],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const rows = summed.map(({ row }) => row);
    const { inserted, refusals } = await insertReadable(this.#database, "traces", rows, signal);
    await this.#removeLaterRows(summed, signal);
    const [first] = refusals;
    if (first === undefined) return;
    refused.traces += refusals.length;
    refused.code = first.code;
    const isInserted = new Set(inserted);
    for (const row of rows)
      if (!isInserted.has(row)) refused.spans += touched.get(textOf(row))?.rows.length ?? 0;
  }

  async #removeLaterRows(summed: readonly SummedTrace[], signal: AbortSignal | undefined): Promise<void> {
    const keys = summed.filter(({ mayBeTwice }) => mayBeTwice).map(({ key }) => key);
    // What fails is done by the next write of the trace.
    await removeLaterRows(this.#database, keys, signal).catch(() => undefined);
  }

  /** A trace that has no other rows needs none of ClickHouse. */
  async #sumUp(
    touched: readonly Touched[],
    remains: ReadonlyMap<string, string>,
    timeSlice: TimeSlice,
    signal: AbortSignal | undefined,
  ): Promise<readonly SummedTrace[]> {
    const parameters = { keys: keysParameter(touched.map(({ key }) => key)) };
    const [counts, known] = await Promise.all([
      this.#database.rows<KeyColumns & { rows: number }>(COUNT, parameters, signal),
      this.#database.rows<KnownRow>(KNOWN, parameters, signal),
    ]);
    const countOf = new Map(counts.map((row) => [textOf(row), row.rows]));
    const knownOf = new Map<string, KnownTrace>(known.map((row) => [textOf(row), knownIn(row)]));
    const summed: SummedTrace[] = [];
    const add = (trace: TraceSpans): void => {
      const row = this.#rows.rowOf(trace, this.#clock.now());
      const mayBeTwice = mayHaveLaterRow(row.first_received_ms, trace.known?.latestMs);
      summed.push({ key: trace.key, row, mayBeTwice });
    };
    const longer: Longer[] = [];
    for (const { key, rows } of touched) {
      if (timeSlice.isOver()) await timeSlice.next();
      const text = traceKeyText(key);
      const before = knownOf.get(text);
      const count = countOf.get(text) ?? 0;
      const imported = remains.get(text);
      const first = imported === undefined ? undefined : { ...NO_ROW, remains: imported };
      // Fewer rows than were written: the trace has been removed, and is read again.
      if (before === undefined && count === rows.length) add({ key, rows, unread: 0, known: first });
      else if (before === undefined || count <= MAX_ROWS_SORTED)
        longer.push({ key, known: before ?? first, count });
    }
    for (const traces of byRows(longer)) {
      const read = await this.#read(
        traces.map(({ key }) => key),
        signal,
      );
      for (const { key, known: before } of traces) {
        if (timeSlice.isOver()) await timeSlice.next();
        const spans = read.get(traceKeyText(key));
        // The trace may have been removed since its spans were written.
        if (spans === undefined || spans.rows.length === 0) continue;
        add({ key, ...spans, known: before });
      }
    }
    this.#rows.clear();
    return summed;
  }

  /** All spans of traces. */
  async #read(
    keys: readonly TraceKey[],
    signal: AbortSignal | undefined,
  ): Promise<Map<string, { rows: FactRow[]; unread: number }>> {
    const found = new Map<string, { rows: FactRow[]; unread: number }>(
      keys.map((key) => [traceKeyText(key), { rows: [], unread: 0 }]),
    );
    if (keys.length === 0) return found;
    const rows = await this.#database.rows<FactRow>(FACTS, { keys: keysParameter(keys) }, signal);
    for (const row of rows) found.get(textOf(row))?.rows.push(row);
    const cut = keys.filter((key) => found.get(traceKeyText(key))?.rows.length === MAX_SPANS_READ);
    if (cut.length === 0) return found;
    const ids = await this.#database.rows<KeyColumns & { spans: number }>(
      IDS,
      { keys: keysParameter(cut) },
      signal,
    );
    for (const row of ids) {
      const trace = found.get(textOf(row));
      if (trace !== undefined) trace.unread = Math.max(0, row.spans - MAX_SPANS_READ);
    }
    return found;
  }
}

function knownIn({ first, latest_ms, remains, latest_version }: KnownRow): KnownTrace {
  return { firstArrival: first, remains, version: latest_version, latestMs: latest_ms };
}

function lengthOf(summed: readonly SummedTrace[]): number {
  return summed.reduce((length, { row }) => length + row.summary.length, 0);
}

function textOf(row: KeyColumns): string {
  return traceKeyText(keyOf(row));
}

function byTrace(spans: readonly FactRow[]): Map<string, Touched> {
  const touched = new Map<string, Touched>();
  for (const row of spans) {
    const key = keyOf(row);
    const text = traceKeyText(key);
    const trace = touched.get(text);
    if (trace === undefined) touched.set(text, { key, rows: [row] });
    else trace.rows.push(row);
  }
  return touched;
}

/** Traces that are read together. */
function byRows(traces: readonly Longer[]): Longer[][] {
  const groups: Longer[][] = [];
  let rows = Infinity;
  for (const trace of traces) {
    const count = Math.min(trace.count, MAX_SPANS_READ);
    if (rows + count > ROWS_PER_QUERY) {
      groups.push([]);
      rows = 0;
    }
    groups.at(-1)?.push(trace);
    rows += count;
  }
  return groups;
}
