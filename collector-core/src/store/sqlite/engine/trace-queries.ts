import { LRUCache } from "lru-cache";
import type {
  Facets,
  FacetsQuery,
  Histogram,
  HistogramQuery,
  TraceFilter,
  TraceOrder,
  TraceQuery,
  TraceSummary,
} from "../../../api-schema/trace.js";
import type { GroupsQuery, TraceGroups } from "../../../api-schema/groups.js";
import type { TraceKey, TracePage } from "../../../interfaces.js";
import type { Clock } from "../../../runtime/clock.js";
import { TimeSlice } from "../../../runtime/time-slice.js";
import { requireTimestamp } from "../../../span/required-timestamp.js";
import { FacetCounter } from "../../traces/facet-counter.js";
import { createConcurrencyLimit } from "../../../runtime/concurrency-limit.js";
import { GroupCounter } from "../../traces/group-counter.js";
import type { TraceFigures } from "../../traces/group-figures.js";
import { groupValuesOf, requireGroupBy, type GroupBy, type NameKey } from "../../traces/group-key.js";
import type { ListCursors, ListPosition } from "../../traces/list-cursor.js";
import { ABANDONED } from "../../traces/summary-fields.js";
import { layOutBuckets, toHistogram } from "../../traces/start-histogram.js";
import type { SqlDatabase, SqlRow } from "../driver/sqlite-driver.js";
import type { SpanSearch } from "../../memory/search/span-predicate.js";
import { readConditions } from "../../traces/trace-conditions.js";
import type { SqlCondition } from "./condition-sql.js";
import { ALL, both, conditionOf, type PendingChanges } from "./query-sql.js";
import type { StartBounds } from "./start-bounds.js";
import { latestStarts } from "./start-order.js";
import type { StoredAttributes } from "./stored-attributes.js";
import type { FirstTraces, RankedRow, TextQueries } from "./text-queries.js";
import type { TraceTables } from "./trace-tables.js";
import type { ValueSets } from "./value-sets.js";

const DEFAULT_LIMIT = 20;
const DEFAULT_BUCKETS = 60;
/** Keys per page of {@link TraceQueries.select}. */
const SELECT_PAGE = 1000;

/** Traces per page of {@link TraceQueries.groups}. */
const GROUP_PAGE = 1000;
/** Concurrent questions that parse the spans of all traces: one is not faster beside another. */
const MAX_READS = 1;

/** Names of root spans that a question for groups remembers: those of further traces are read again. */
const MAX_NAMES = 4096;

/** The column by which an order other than `newest` ranks traces, highest first. */
const RANK_COLUMNS: Readonly<Record<Exclude<TraceOrder, "newest">, string>> = {
  start: "t.start_ms",
  slowest: "t.duration_ms",
  costliest: "t.cost_usd",
};

/** Options of {@link TraceQueries}. */
export interface TraceQueriesOptions {
  readonly db: SqlDatabase;
  readonly tables: TraceTables;
  readonly valueSets: ValueSets;
  readonly texts: TextQueries;
  readonly attributes: StoredAttributes;
  readonly bounds: StartBounds;
  readonly cursors: () => ListCursors;
  readonly clock: Pick<Clock, "monotonic" | "now">;
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
  readonly #reads = createConcurrencyLimit(MAX_READS);

  constructor(options: TraceQueriesOptions) {
    this.#options = options;
  }

  async list(query: TraceQuery, signal: AbortSignal): Promise<TracePage> {
    const { refresh, cursors, newestSequence } = this.#options;
    refresh();
    const { limit = DEFAULT_LIMIT, cursor, order = "newest" } = query;
    const after = cursor === undefined ? undefined : cursors().decode(cursor, order);
    const newest = after?.newestSequence ?? newestSequence();
    const { condition, searches } = this.#condition(query);
    if (condition === undefined) return { traces: [], nextCursor: null };

    const behind = both(condition, positionCondition(order, newest, after));
    const rows =
      order === "start" && searches.length === 0
        ? await latestStarts(this.#options, behind, { after, count: limit + 1 }, signal)
        : await this.#page(
            searches,
            {
              condition: behind,
              order,
              newest: order === "newest" && after !== undefined ? after.sequence : newest,
              count: limit + 1,
            },
            signal,
          );
    const traces = await this.#summaries(rows.slice(0, limit), signal);
    const last = rows[limit - 1];
    const nextCursor =
      rows.length > limit && last !== undefined
        ? cursors().encode({ order, sequence: last.sequence, value: last.value, newestSequence: newest })
        : null;
    return { traces, nextCursor };
  }

  async #page(
    searches: readonly SpanSearch[],
    { condition, order, newest, count }: Omit<FirstTraces, "order"> & { readonly order: TraceOrder },
    signal: AbortSignal,
  ): Promise<RankedRow[]> {
    const { texts } = this.#options;
    if (searches.length > 0 && (order === "newest" || order === "start"))
      return await texts.first(searches, { condition, order, newest, count }, signal);
    const found = await texts.condition(searches, signal);
    if (found === undefined) return [];
    const matching = both(condition, found);
    const rank = order === "newest" ? "0" : RANK_COLUMNS[order];
    const by = order === "newest" ? "t.seq DESC" : `${rank} DESC, t.seq DESC`;
    return this.#all(
      `SELECT t.seq AS seq, ${rank} AS value FROM trace t WHERE ${matching.sql} ORDER BY ${by} LIMIT ?`,
      [...matching.parameters, count],
    ).map((row) => ({ sequence: Number(row["seq"]), value: Number(row["value"]) }));
  }

  async facets(query: FacetsQuery, signal: AbortSignal): Promise<Facets> {
    this.#options.refresh();
    const { valueSets, clock } = this.#options;
    const counter = new FacetCounter(query.contains);
    const timeSlice = new TimeSlice(clock, signal);
    const condition = await this.matching(query, signal);
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

  async groups(query: GroupsQuery, signal: AbortSignal): Promise<TraceGroups> {
    const by = requireGroupBy(query.by);
    const answer = (): Promise<TraceGroups> => this.#groups(by, query, signal);
    return await (by.kind === "attribute" ? this.#reads(answer, signal) : answer());
  }

  async #groups(by: GroupBy, query: GroupsQuery, signal: AbortSignal): Promise<TraceGroups> {
    this.#options.refresh();
    const { attributes, valueSets, clock, summaryOf } = this.#options;
    const counter = new GroupCounter(query);
    const timeSlice = new TimeSlice(clock, signal);
    const condition = await this.matching(query, signal);
    if (condition === undefined) return { ...(await counter.toGroups(timeSlice)), unread: 0 };
    const { abandonedMs } = this.#options.pendingChanges();
    const reading = by.kind === "attribute" ? attributes.read(by.path) : undefined;
    const names = by.kind === "name" ? namesOf(by.key, summaryOf) : undefined;
    let unread = 0;
    for (let before = Number.MAX_SAFE_INTEGER; ;) {
      const rows = this.#all(
        `SELECT t.seq AS seq, t.value_set AS value_set, t.duration_ms AS duration_ms, t.ttft_ms AS ttft_ms, ` +
          `t.tokens_input AS tokens_input, t.tokens_output AS tokens_output, t.cost_usd AS cost_usd, ` +
          `t.running_until_ms AS running_until_ms, t.last_ms AS last_ms, ${names?.column ?? "NULL"} AS name ` +
          `FROM trace t WHERE ${condition.sql} AND t.seq < ? ORDER BY t.seq DESC LIMIT ?`,
        [...condition.parameters, before, GROUP_PAGE],
      );
      for (const row of rows) {
        if (timeSlice.isOver()) await timeSlice.next();
        const sequence = Number(row["seq"]);
        const stored = valueSets.valuesOf(Number(row["value_set"]));
        const values = stored && isAbandoned(row, abandonedMs) ? { ...stored, status: ABANDONED } : stored;
        if (values === undefined) continue;
        const read = await reading?.valuesOf(sequence, Number(row["last_ms"]), timeSlice);
        if (reading !== undefined && read === undefined) {
          unread++;
          continue;
        }
        const hasScores = values.has.includes("score");
        const summary = hasScores ? summaryOf(sequence) : undefined;
        const ofKey = by.kind === "values" ? groupValuesOf(values, by.key) : (names?.in(row) ?? []);
        counter.add(read ?? ofKey, {
          ...figuresIn(row),
          hasComputedCost: values.has.includes("computed_cost"),
          hasError: values.status === "ERROR",
          scores: summary?.scores ?? [],
        });
      }
      if (rows.length < GROUP_PAGE) return { ...(await counter.toGroups(timeSlice)), unread };
      before = Number(rows.at(-1)?.["seq"]);
    }
  }

  async histogram(query: HistogramQuery, signal: AbortSignal): Promise<Histogram> {
    this.#options.refresh();
    const since = requireTimestamp(query.since, "since");
    const until = requireTimestamp(query.until, "until");
    const range = { sinceMs: since?.epochMs, untilMs: until && until.epochMs + Math.sign(until.nanos) };
    const condition = await this.matching(query, signal);
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
    const condition = await this.matching(filter, signal);
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

  #condition(filter: TraceFilter): {
    /** Undefined if no trace can match. */
    readonly condition: SqlCondition | undefined;
    readonly searches: readonly SpanSearch[];
  } {
    const { tables, valueSets, pendingChanges, clock } = this.#options;
    const conditions = readConditions(filter, clock.now());
    const condition = conditionOf(filter, conditions, tables, valueSets, pendingChanges());
    return { condition, searches: conditions.searches };
  }

  /** The condition of all parameters; undefined if no trace can match. */
  async matching(filter: TraceFilter, signal: AbortSignal): Promise<SqlCondition | undefined> {
    const { condition, searches } = this.#condition(filter);
    if (condition === undefined || searches.length === 0) return condition;
    const found = await this.#options.texts.condition(searches, signal);
    return found && both(condition, found);
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

function isAbandoned(row: SqlRow, abandonedMs: number | undefined): boolean {
  const untilMs = row["running_until_ms"];
  return abandonedMs !== undefined && typeof untilMs === "number" && untilMs <= abandonedMs;
}

function figuresIn(row: SqlRow): Omit<TraceFigures, "hasComputedCost" | "hasError" | "scores"> {
  return {
    durationMs: Number(row["duration_ms"]),
    ttftMs: typeof row["ttft_ms"] === "number" ? row["ttft_ms"] : Number.NaN,
    tokensInput: Number(row["tokens_input"]),
    tokensOutput: Number(row["tokens_output"]),
    costUsd: Number(row["cost_usd"]),
  };
}

/** How the names of traces are read for groups: not from their summaries, of which there are as many as traces. */
interface Names {
  /** An expression on rows `t` of the table `trace`. */
  readonly column: string;
  /** The names of a trace. @param row - with the column as `name`. */
  readonly in: (row: SqlRow) => readonly string[];
}

function namesOf(key: NameKey, summaryOf: (sequence: number) => TraceSummary | undefined): Names {
  if (key !== "name")
    return {
      column: `(SELECT d.${key}_id FROM trace_detail d WHERE d.seq = t.seq)`,
      in: ({ name }) => [typeof name === "string" ? name : ""],
    };
  // A name is read from a summary once, and then found by its hash.
  const known = new LRUCache<number, readonly string[]>({ max: MAX_NAMES });
  return {
    column: "t.root_hash",
    in: ({ name: hash, seq }) => {
      const name = known.get(Number(hash));
      if (name !== undefined) return name;
      const summary = summaryOf(Number(seq));
      // The next trace of that name may have a summary that can be read.
      if (summary === undefined) return [""];
      const read = [summary.root_name];
      known.set(Number(hash), read);
      return read;
    },
  };
}

function positionCondition(order: TraceOrder, newest: number, after: ListPosition | undefined): SqlCondition {
  // Arrivals move no page of the order `start`: their start places them.
  const known: SqlCondition = order === "start" ? ALL : { sql: "t.seq <= ?", parameters: [newest] };
  if (after === undefined) return known;
  if (order === "newest") return both(known, { sql: "t.seq < ?", parameters: [after.sequence] });
  const column = RANK_COLUMNS[order];
  return both(known, {
    sql: `(${column} < ? OR (${column} = ? AND t.seq < ?))`,
    parameters: [after.value, after.value, after.sequence],
  });
}
