import type {
  Facets,
  Histogram,
  HistogramQuery,
  TraceFilter,
  TraceOrder,
  TraceQuery,
  TraceSummary,
} from "../../../api-schema/trace.js";
import type { TraceKey, TracePage } from "../../../interfaces.js";
import type { Clock } from "../../../runtime/clock.js";
import { TimeSlice } from "../../../runtime/time-slice.js";
import { requireTimestamp } from "../../../span/required-timestamp.js";
import { FacetCounter } from "../../traces/facet-counter.js";
import type { ListCursors, ListPosition } from "../../traces/list-cursor.js";
import { ABANDONED } from "../../traces/summary-fields.js";
import { layOutBuckets, toHistogram } from "../../traces/start-histogram.js";
import type { SqlDatabase, SqlRow } from "../driver/sqlite-driver.js";
import { both, conditionOf, type PendingChanges, type SqlCondition } from "./query-sql.js";
import type { TextQueries } from "./text-queries.js";
import type { TraceTables } from "./trace-tables.js";
import type { ValueSets } from "./value-sets.js";

const DEFAULT_LIMIT = 20;
const DEFAULT_BUCKETS = 60;
/** Keys per page of {@link TraceQueries.select}. */
const SELECT_PAGE = 1000;

/** The column by which an order other than `newest` ranks traces, highest first. */
const RANK_COLUMNS: Readonly<Record<Exclude<TraceOrder, "newest">, string>> = {
  slowest: "t.duration_ms",
  costliest: "t.cost_usd",
};

/** Options of {@link TraceQueries}. */
export interface TraceQueriesOptions {
  readonly db: SqlDatabase;
  readonly tables: TraceTables;
  readonly valueSets: ValueSets;
  readonly texts: TextQueries;
  readonly cursors: () => ListCursors;
  readonly clock: Pick<Clock, "monotonic">;
  /** Writes what changed, and evicts what is expired. Called before each query. */
  readonly refresh: () => void;
  readonly pendingChanges: () => PendingChanges;
  readonly summaryOf: (sequence: number) => TraceSummary | undefined;
  /** The sequence of the newest trace. */
  readonly newestSequence: () => number;
}

/** Answers queries over all traces. */
export class TraceQueries {
  readonly #options: TraceQueriesOptions;

  constructor(options: TraceQueriesOptions) {
    this.#options = options;
  }

  async list(query: TraceQuery, signal: AbortSignal): Promise<TracePage> {
    const { refresh, cursors, newestSequence } = this.#options;
    refresh();
    const { limit = DEFAULT_LIMIT, cursor, order = "newest" } = query;
    const after = cursor === undefined ? undefined : cursors().decode(cursor, order);
    const newest = after?.newestSequence ?? newestSequence();
    const condition = this.#condition(query);
    if (condition === undefined) return { traces: [], nextCursor: null };

    const behind = both(condition, positionCondition(order, newest, after));
    const rows = await this.#page(query, behind, order, limit + 1, signal);
    const traces = await this.#summaries(rows.slice(0, limit), signal);
    const last = rows[limit - 1];
    const nextCursor =
      rows.length > limit && last !== undefined
        ? cursors().encode({ order, sequence: last.sequence, value: last.value, newestSequence: newest })
        : null;
    return { traces, nextCursor };
  }

  async #page(
    { q }: TraceQuery,
    condition: SqlCondition,
    order: TraceOrder,
    count: number,
    signal: AbortSignal,
  ): Promise<RankedRow[]> {
    const { texts } = this.#options;
    if (q !== undefined && order === "newest") {
      const sequences = await texts.newest(q, condition, count, signal);
      return sequences.map((sequence) => ({ sequence, value: 0 }));
    }
    const matching = q === undefined ? condition : both(condition, await texts.condition(q, signal));
    const rank = order === "newest" ? "0" : RANK_COLUMNS[order];
    const by = order === "newest" ? "t.seq DESC" : `${rank} DESC, t.seq DESC`;
    return this.#all(
      `SELECT t.seq AS seq, ${rank} AS value FROM trace t WHERE ${matching.sql} ORDER BY ${by} LIMIT ?`,
      [...matching.parameters, count],
    ).map((row) => ({ sequence: Number(row["seq"]), value: Number(row["value"]) }));
  }

  async facets(filter: TraceFilter, signal: AbortSignal): Promise<Facets> {
    this.#options.refresh();
    const { valueSets, clock } = this.#options;
    const counter = new FacetCounter();
    const timeSlice = new TimeSlice(clock, signal);
    const condition = await this.#matching(filter, signal);
    if (condition !== undefined) {
      const { abandonedMs } = this.#options.pendingChanges();
      const abandoned = abandonedMs === undefined ? "0" : "coalesce(t.running_until_ms <= ?, 0)";
      const rows = this.#all(
        `SELECT t.value_set AS value_set, ${abandoned} AS abandoned, count(*) AS traces, ` +
          `total(t.cost_usd) AS cost FROM trace t WHERE ${condition.sql} GROUP BY ${abandonedMs === undefined ? "t.value_set" : "1, 2"}`,
        abandonedMs === undefined ? condition.parameters : [abandonedMs, ...condition.parameters],
      );
      for (const row of rows) {
        const values = valueSets.valuesOf(Number(row["value_set"]));
        const shown = values && row["abandoned"] === 1 ? { ...values, status: ABANDONED } : values;
        if (shown !== undefined) counter.add(shown, Number(row["traces"]), Number(row["cost"]));
        if (timeSlice.isOver()) await timeSlice.next();
      }
    }
    return await counter.toFacets(timeSlice);
  }

  async histogram(query: HistogramQuery, signal: AbortSignal): Promise<Histogram> {
    this.#options.refresh();
    const since = requireTimestamp(query.since, "since");
    const until = requireTimestamp(query.until, "until");
    const range = { sinceMs: since?.epochMs, untilMs: until && until.epochMs + Math.sign(until.nanos) };
    const condition = await this.#matching(query, signal);
    const maxBuckets = query.buckets ?? DEFAULT_BUCKETS;
    if (condition === undefined) return toHistogram(0, layOutBuckets(undefined, range, maxBuckets), []);

    const [bounds] = this.#all(
      `SELECT count(*) AS traces, min(t.start_ms) AS first, max(t.start_ms) AS last FROM trace t WHERE ${condition.sql}`,
      condition.parameters,
    );
    const total = Number(bounds?.["traces"] ?? 0);
    const starts =
      total === 0 ? undefined : { firstMs: Number(bounds?.["first"]), lastMs: Number(bounds?.["last"]) };
    const layout = layOutBuckets(starts, range, maxBuckets);
    if (layout === undefined || total === 0) return toHistogram(total, layout, []);
    const failed = this.#options.valueSets.labelId("status", "ERROR") ?? -1;
    const rows = this.#all(
      // Starts are not negative, so that the integer division rounds down.
      `SELECT CAST(t.start_ms AS INTEGER) / ? AS bucket, count(*) AS traces, ` +
        `sum(t.value_set IN (SELECT value_set FROM value_set_label WHERE label = ?)) AS errors ` +
        `FROM trace t WHERE ${condition.sql} GROUP BY bucket`,
      [layout.lengthMs, failed, ...condition.parameters],
    );
    const counts = rows.map((row) => ({
      index: Number(row["bucket"]) - layout.first,
      traces: Number(row["traces"]),
      errors: Number(row["errors"]),
    }));
    return toHistogram(total, layout, counts);
  }

  /** The matching traces, oldest first, page by page. Traces that arrive meanwhile are left out. */
  async *select(filter: TraceFilter, signal: AbortSignal): AsyncGenerator<TraceKey[]> {
    this.#options.refresh();
    const newest = this.#options.newestSequence();
    const condition = await this.#matching(filter, signal);
    if (condition === undefined) return;
    for (let after = 0; ;) {
      signal.throwIfAborted();
      const rows = this.#all(
        `SELECT t.seq AS seq, d.tenant AS tenant, d.trace_id AS trace_id FROM trace t JOIN trace_detail d USING (seq) ` +
          `WHERE ${condition.sql} AND t.seq > ? AND t.seq <= ? ORDER BY t.seq LIMIT ?`,
        [...condition.parameters, after, newest, SELECT_PAGE],
      );
      if (rows.length > 0)
        yield rows.map((row) => ({ tenant: String(row["tenant"]), traceId: String(row["trace_id"]) }));
      if (rows.length < SELECT_PAGE) return;
      after = Number(rows.at(-1)?.["seq"]);
    }
  }

  #condition(filter: TraceFilter): SqlCondition | undefined {
    const { tables, valueSets, pendingChanges } = this.#options;
    return conditionOf(filter, tables, valueSets, pendingChanges());
  }

  /** The condition of all parameters; undefined if no trace can match. */
  async #matching(filter: TraceFilter, signal: AbortSignal): Promise<SqlCondition | undefined> {
    const condition = this.#condition(filter);
    if (condition === undefined || filter.q === undefined) return condition;
    return both(condition, await this.#options.texts.condition(filter.q, signal));
  }

  async #summaries(rows: readonly RankedRow[], signal: AbortSignal): Promise<TraceSummary[]> {
    const timeSlice = new TimeSlice(this.#options.clock, signal);
    const summaries: TraceSummary[] = [];
    for (const { sequence } of rows) {
      if (timeSlice.isOver()) await timeSlice.next();
      const summary = this.#options.summaryOf(sequence);
      if (summary !== undefined) summaries.push(summary);
    }
    return summaries;
  }

  #all(sql: string, parameters: readonly (string | number | Uint8Array | null)[]): SqlRow[] {
    return this.#options.db.prepare(sql).all(...parameters);
  }
}

interface RankedRow {
  readonly sequence: number;
  readonly value: number;
}

function positionCondition(order: TraceOrder, newest: number, after: ListPosition | undefined): SqlCondition {
  const known: SqlCondition = { sql: "t.seq <= ?", parameters: [newest] };
  if (after === undefined) return known;
  if (order === "newest") return both(known, { sql: "t.seq < ?", parameters: [after.sequence] });
  const column = RANK_COLUMNS[order];
  return both(known, {
    sql: `(${column} < ? OR (${column} = ? AND t.seq < ?))`,
    parameters: [after.value, after.value, after.sequence],
  });
}
