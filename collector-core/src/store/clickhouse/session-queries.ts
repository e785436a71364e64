import type { SessionOrder, SessionQuery, SessionTracesQuery, TurnOrder } from "../../api-schema/sessions.js";
import type { SessionKey, SessionPage, SessionTraces, TraceKey } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import {
  decodePosition,
  decodeTurn,
  encodePosition,
  encodeTurn,
  type SessionPosition,
  type SessionRank,
  type TurnPosition,
} from "../sessions/session-position.js";
import { readSessionFilter } from "../sessions/session-filter.js";
import { ListCursors } from "../traces/list-cursor.js";
import type { Database } from "./database.js";
import { EACH_DAY, IS_KEPT, timeParameters } from "./schema.js";
import { sessionSql } from "./session-condition-sql.js";
import { readSessions, type SessionColumns } from "./session-figures.js";
import { keyOf } from "./trace-keys.js";
import { newestArrival } from "./trace-lists.js";
import type { TraceMatching } from "./trace-matching.js";
import type { TraceReader } from "./trace-reader.js";

/** Options of {@link SessionQueries}. */
export interface SessionQueriesOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly ttlSeconds: number;
  readonly matching: Pick<TraceMatching, "conditionOf">;
  readonly reader: Pick<TraceReader, "summaries">;
  /** Tells the cursors of this store from others; undefined until ClickHouse was reached. */
  readonly storeId: () => string | undefined;
}

const DEFAULT_SESSIONS = 20;
const DEFAULT_TRACES = 100;

/**
 * The rank of a session: what the order compares, and a trace of it. Sums are decimal, since a sum of floats depends on the order in which
 * ClickHouse reads them, and pages compare with it.
 */
const RANKS: Readonly<Record<SessionOrder, string>> = {
  newest: "max((start_ms + duration_ms, first_arrival))",
  slowest: "(toFloat64(sum(toDecimal128(duration_ms, 6))), max(first_arrival))",
  costliest: "(toFloat64(sum(toDecimal128(cost_usd, 12))), max(first_arrival))",
};

interface TurnRow {
  readonly tenant: string;
  readonly trace_id: string;
  readonly start_ms: number;
  readonly start_nanos: number;
  readonly first_arrival: number;
}

interface Turn extends TurnPosition {
  readonly key: TraceKey;
}

interface TurnPage {
  readonly after: TurnPosition | undefined;
  readonly order: TurnOrder;
  readonly most: number;
}

const AFTER_TURN = "{after_start_ms:Int64}, {after_nanos:UInt32}, {after_arrival:Int64}";

/** Answers queries over sessions. */
export class SessionQueries {
  readonly #options: SessionQueriesOptions;

  constructor(options: SessionQueriesOptions) {
    this.#options = options;
  }

  /** See `TraceStore.sessions`. */
  async list(query: SessionQuery, signal?: AbortSignal): Promise<SessionPage> {
    const { limit = DEFAULT_SESSIONS, cursor, order = "newest", ...filters } = query;
    const { traces: filter, conditions } = readSessionFilter(filters);
    const after = cursor === undefined ? undefined : decodePosition(this.#cursors, order, cursor);
    const { sql, parameters } = await this.#options.matching.conditionOf(filter, signal);
    const whole = sessionSql(conditions);
    const newest = after?.newestSequence ?? (await newestArrival(this.#options.database, signal));
    const rows = await this.#options.database.rows<SessionColumns & SessionRank>(
      `SELECT tenant, session_id, rank.1 AS value, rank.2 AS sequence FROM (
SELECT tenant, session_id, ${RANKS[order]} AS rank FROM traces FINAL
WHERE ${IS_KEPT} AND session_id != '' AND first_arrival <= {newest:Int64}
${filter.tenant === undefined ? "" : "AND tenant = {tenant:String}"}
GROUP BY tenant, session_id HAVING countIf(${sql}) > 0 AND ${whole.sql})
${after === undefined ? "" : "WHERE (value, sequence) < ({after_value:Float64}, {after_sequence:Int64})"}
ORDER BY value DESC, sequence DESC LIMIT {most:UInt32} SETTINGS ${EACH_DAY}`,
      {
        ...parameters,
        ...whole.parameters,
        ...timeParameters(this.#options),
        ...positionParameters(after),
        tenant: filter.tenant?.toWellFormed() ?? "",
        newest,
        most: limit + 1,
      },
      signal,
    );
    const page = rows.slice(0, limit);
    const sessions = await readSessions(this.#options, page, signal);
    const last = page.at(-1);
    return {
      sessions: sessions.filter((session) => session !== undefined),
      nextCursor:
        rows.length > limit && last !== undefined
          ? encodePosition(this.#cursors, order, { ...last, newestSequence: newest })
          : null,
    };
  }

  /** See `TraceStore.session`. */
  async session(
    key: SessionKey,
    { limit = DEFAULT_TRACES, cursor, order = "oldest" }: SessionTracesQuery,
    signal?: AbortSignal,
  ): Promise<SessionTraces | undefined> {
    const after = cursor === undefined ? undefined : decodeTurn(this.#cursors, order, cursor);
    if (key.sessionId === "") return undefined;
    const columns: SessionColumns = { tenant: key.tenant, session_id: key.sessionId };
    const [[session], turns] = await Promise.all([
      readSessions(this.#options, [columns], signal),
      this.#turns(key, { after, order, most: limit + 1 }, signal),
    ]);
    if (session === undefined) return undefined;
    const page = turns.slice(0, limit);
    const traces = await this.#options.reader.summaries(
      page.map((turn) => turn.key),
      signal,
    );
    const last = page.at(-1);
    return {
      session,
      traces: traces.filter((summary) => summary !== undefined),
      nextCursor: turns.length > limit && last !== undefined ? encodeTurn(this.#cursors, order, last) : null,
    };
  }

  /** The tenants that have a session of that id, in order of their names. */
  async tenantsOf(sessionId: string, signal?: AbortSignal): Promise<readonly string[]> {
    if (sessionId === "") return [];
    const rows = await this.#options.database.rows<Pick<SessionColumns, "tenant">>(
      `SELECT DISTINCT tenant FROM traces FINAL WHERE session_id = {session_id:String} AND ${IS_KEPT} SETTINGS ${EACH_DAY}`,
      { session_id: sessionId.toWellFormed(), ...timeParameters(this.#options) },
      signal,
    );
    return rows.map(({ tenant }) => tenant).sort();
  }

  /** Traces of a session in an order, after a place. */
  async #turns(
    { tenant, sessionId }: SessionKey,
    { after, order, most }: TurnPage,
    signal: AbortSignal | undefined,
  ): Promise<readonly Turn[]> {
    const isOldest = order === "oldest";
    const direction = isOldest ? "ASC" : "DESC";
    const rows = await this.#options.database.rows<TurnRow>(
      `SELECT tenant, trace_id, start_ms, start_nanos, first_arrival FROM traces FINAL
WHERE tenant = {tenant:String} AND session_id = {session_id:String} AND ${IS_KEPT}
${after === undefined ? "" : `AND (start_ms, start_nanos, first_arrival) ${isOldest ? ">" : "<"} (${AFTER_TURN})`}
ORDER BY start_ms ${direction}, start_nanos ${direction}, first_arrival ${direction}, trace_id LIMIT 1 BY trace_id
LIMIT {most:UInt32} SETTINGS ${EACH_DAY}`,
      {
        ...timeParameters(this.#options),
        tenant: tenant.toWellFormed(),
        session_id: sessionId.toWellFormed(),
        most,
        ...(after && {
          after_start_ms: after.startMs,
          after_nanos: after.startNanos,
          after_arrival: after.sequence,
        }),
      },
      signal,
    );
    return rows.map(turnOf);
  }

  get #cursors(): ListCursors {
    return new ListCursors(this.#options.storeId() ?? "");
  }
}

function positionParameters(after: SessionPosition | undefined) {
  return after && { after_value: after.value, after_sequence: after.sequence };
}

function turnOf(row: TurnRow): Turn {
  return {
    key: keyOf(row),
    startMs: row.start_ms,
    startNanos: row.start_nanos,
    sequence: row.first_arrival,
  };
}
