import type { TraceFilter, TraceOrder, TraceQuery } from "../../api-schema/trace.js";
import type { TraceKey, TracePage } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import type { Database } from "./database.js";
import type { Parameters } from "./long-lists.js";
import { EACH_DAY, IS_KEPT, timeParameters } from "./schema.js";
import { ARRIVALS_PER_MS } from "./span-row.js";
import { decodeCursor, encodeCursor, type TracePosition } from "./trace-cursor.js";
import { keyOf, type KeyColumns } from "./trace-keys.js";
import type { TraceMatching } from "./trace-matching.js";
import type { TraceReader } from "./trace-reader.js";

/** Options of {@link TraceLists}. */
export interface TraceListsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly ttlSeconds: number;
  readonly reader: Pick<TraceReader, "summaries">;
  /** Tells the cursors of this store from others; undefined until ClickHouse was reached. */
  readonly storeId: () => string | undefined;
  readonly matching: Pick<TraceMatching, "conditionOf">;
}

const DEFAULT_LIMIT = 20;
const HOUR_MS = 3_600_000;
/** A page of the newest traces is looked for in the last hours first. */
const WINDOWS_MS = [6 * HOUR_MS, 24 * HOUR_MS, Infinity] as const;
/** Traces of a page of `select`. */
const KEYS_PER_PAGE = 500;
/** The time of which one query of `select` reads the traces. */
const SELECT_WINDOW_MS = 6 * HOUR_MS;

/** What the orders compare first, larger values first. Newer traces come first among equal values. */
const VALUES: Readonly<Record<TraceOrder, string>> = {
  newest: "0",
  start: "start_ms",
  slowest: "duration_ms",
  costliest: "cost_usd",
};

interface KeyRow extends KeyColumns {
  readonly first_arrival: number;
}

/** Lists traces. */
export class TraceLists {
  readonly #options: TraceListsOptions;

  constructor(options: TraceListsOptions) {
    this.#options = options;
  }

  /** See `TraceStore.list`. */
  async list(query: TraceQuery, signal: AbortSignal | undefined): Promise<TracePage> {
    const { limit = DEFAULT_LIMIT, cursor, order = "newest" } = query;
    const after = cursor === undefined ? undefined : decodeCursor(cursor, this.#list(order));
    const newest = after?.newest ?? (await newestArrival(this.#options.database, signal));
    const rows = await this.#rowsOf(order, { query, after, newest, most: limit + 1 }, signal);
    const page = rows.slice(0, limit);
    const keys = page.map(keyOf);
    const summaries = await this.#options.reader.summaries(keys, signal);
    const last = page.at(-1);
    return {
      traces: summaries.filter((summary) => summary !== undefined),
      nextCursor:
        rows.length > limit && last !== undefined
          ? encodeCursor(this.#list(order), {
              ...keyOf(last),
              value: last.value,
              firstArrival: last.first_arrival,
              newest,
            })
          : null,
    };
  }

  #list(order: TraceOrder): string {
    return `${this.#options.storeId() ?? ""} ${order}`;
  }

  async #rowsOf(order: TraceOrder, page: PageQuery, signal: AbortSignal | undefined) {
    const { query, after, newest, most } = page;
    const latest = Math.floor((order === "newest" && after ? after.firstArrival : newest) / ARRIVALS_PER_MS);
    // Traces may arrive between two pages of this order: their start places them.
    const isOpen = order === "start";
    const isRecent = order === "newest" && query.trace_id === undefined;
    for (const windowMs of isRecent ? WINDOWS_MS : [Infinity]) {
      const sinceMs = Math.max(0, latest - windowMs);
      const condition = await this.#options.matching.conditionOf(query, signal, sinceMs);
      const rows = await this.#options.database.rows<KeyRow & { value: number }>(
        `SELECT tenant, trace_id, first_arrival, ${VALUES[order]} AS value FROM traces FINAL
WHERE ${condition.sql} AND ${IS_KEPT} ${isOpen ? "" : "AND first_arrival <= {newest:Int64}"}
${after === undefined ? "" : `AND (value, first_arrival, trace_id, tenant) < (${AFTER})`}
ORDER BY value DESC, first_arrival DESC, trace_id DESC, tenant DESC LIMIT 1 BY tenant, trace_id LIMIT {most:UInt32}
SETTINGS ${EACH_DAY}`,
        {
          ...condition.parameters,
          ...timeParameters(this.#options),
          ...(after && afterParameters(after)),
          newest,
          most,
        },
        signal,
      );
      if (rows.length === most || windowMs === Infinity) return rows;
    }
    return [];
  }

  /** See `TraceStore.select`. */
  async *select(
    filter: TraceFilter,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<readonly TraceKey[], void> {
    const condition = await this.#options.matching.conditionOf(filter, signal);
    const newest = await newestArrival(this.#options.database, signal);
    for (let after: KeyRow = { first_arrival: -1, trace_id: "", tenant: "" }; ;) {
      const next = await this.#firstAfter(after, newest, signal);
      if (next === undefined) return;
      const rows = await this.#options.database.rows<KeyRow>(
        `SELECT tenant, trace_id, first_arrival FROM traces FINAL
WHERE first_received_ms >= {since_ms:Int64} AND first_received_ms <= {until_ms:Int64} AND first_arrival <= {newest:Int64}
AND (first_arrival, trace_id, tenant) > ({arrival:Int64}, {after_id:String}, {after_tenant:String})
AND ${IS_KEPT} AND (${condition.sql})
ORDER BY first_arrival, trace_id, tenant LIMIT 1 BY tenant, trace_id LIMIT ${KEYS_PER_PAGE}
SETTINGS ${EACH_DAY}`,
        {
          ...condition.parameters,
          ...timeParameters(this.#options),
          arrival: after.first_arrival,
          after_id: after.trace_id,
          after_tenant: after.tenant,
          since_ms: next,
          until_ms: next + SELECT_WINDOW_MS,
          newest,
        },
        signal,
      );
      if (rows.length > 0) yield rows.map(keyOf);
      const last = rows.at(-1);
      after =
        rows.length === KEYS_PER_PAGE && last !== undefined
          ? last
          : { first_arrival: (next + SELECT_WINDOW_MS + 1) * ARRIVALS_PER_MS - 1, trace_id: "", tenant: "" };
    }
  }

  /** When the next trace after a place arrived; undefined if there is none. */
  async #firstAfter(
    { first_arrival }: KeyRow,
    newest: number,
    signal: AbortSignal | undefined,
  ): Promise<number | undefined> {
    const [row] = await this.#options.database.rows<{ first: number; rows: number }>(
      `SELECT min(first_received_ms) AS first, count() AS rows FROM traces
WHERE first_received_ms >= {since_ms:Int64} AND first_arrival >= {arrival:Int64} AND first_arrival <= {newest:Int64}`,
      { since_ms: Math.floor(first_arrival / ARRIVALS_PER_MS), arrival: first_arrival, newest },
      signal,
    );
    return row === undefined || row.rows === 0 ? undefined : row.first;
  }
}

interface PageQuery {
  readonly query: TraceQuery;
  readonly after: TracePosition | undefined;
  readonly newest: number;
  readonly most: number;
}

const AFTER = "{after_value:Float64}, {after_arrival:Int64}, {after_id:String}, {after_tenant:String}";

function afterParameters({ value, firstArrival, tenant, traceId }: TracePosition): Parameters {
  return { after_value: value, after_arrival: firstArrival, after_id: traceId, after_tenant: tenant };
}

/** The latest first arrival of a trace. */
export async function newestArrival(database: Database, signal: AbortSignal | undefined): Promise<number> {
  const [row] = await database.rows<{ newest: number }>(
    "SELECT max(first_arrival) AS newest FROM traces",
    {},
    signal,
  );
  return row?.newest ?? 0;
}
