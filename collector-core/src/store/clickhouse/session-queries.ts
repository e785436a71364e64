import type { SessionOrder, SessionQuery, SessionTracesQuery } from "../../api-schema/sessions.js";
import type { TraceSummary } from "../../api-schema/trace.js";
import type { SessionKey, SessionPage, SessionTraces, StoredSession, TraceKey } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import { RankedItems } from "../sessions/ranked-items.js";
import {
  decodePosition,
  decodeTurn,
  encodePosition,
  encodeTurn,
  turnOrder,
  type SessionPosition,
  type SessionRank,
  type TurnPosition,
} from "../sessions/session-position.js";
import { SessionTotals } from "../sessions/session-totals.js";
import { ListCursors } from "../traces/list-cursor.js";
import type { Database } from "./database.js";
import { EACH_DAY, IS_KEPT, timeParameters } from "./schema.js";
import { SqlParameters } from "./sql-parameters.js";
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
/** Summaries that are added up at a time. */
const SUMMARIES_PER_STEP = 250;

/**
 * The rank of a session: what the order compares, and a trace of it. Sums are decimal, since a sum of floats depends on the order in which
 * ClickHouse reads them, and pages compare with it.
 */
const RANKS: Readonly<Record<SessionOrder, string>> = {
  newest: "max((start_ms + duration_ms, first_arrival))",
  slowest: "(toFloat64(sum(toDecimal128(duration_ms, 6))), max(first_arrival))",
  costliest: "(toFloat64(sum(toDecimal128(cost_usd, 12))), max(first_arrival))",
};

interface SessionColumns {
  readonly tenant: string;
  readonly session_id: string;
}

interface TurnRow extends SessionColumns {
  readonly trace_id: string;
  readonly start_ms: number;
  readonly start_nanos: number;
  readonly first_arrival: number;
}

interface Turn extends TurnPosition {
  readonly key: TraceKey;
}

/** Answers queries over sessions. */
export class SessionQueries {
  readonly #options: SessionQueriesOptions;

  constructor(options: SessionQueriesOptions) {
    this.#options = options;
  }

  /** See `TraceStore.sessions`. */
  async list(query: SessionQuery, signal?: AbortSignal): Promise<SessionPage> {
    const { limit = DEFAULT_SESSIONS, cursor, order = "newest", ...filter } = query;
    const after = cursor === undefined ? undefined : decodePosition(this.#cursors, order, cursor);
    const { sql, parameters } = await this.#options.matching.conditionOf(filter, signal);
    const newest = after?.newestSequence ?? (await newestArrival(this.#options.database, signal));
    const rows = await this.#options.database.rows<SessionColumns & SessionRank>(
      `SELECT tenant, session_id, rank.1 AS value, rank.2 AS sequence FROM (
SELECT tenant, session_id, ${RANKS[order]} AS rank FROM traces FINAL
WHERE ${IS_KEPT} AND session_id != '' AND first_arrival <= {newest:Int64}
${filter.tenant === undefined ? "" : "AND tenant = {tenant:String}"}
GROUP BY tenant, session_id HAVING countIf(${sql}) > 0)
${after === undefined ? "" : "WHERE (value, sequence) < ({after_value:Float64}, {after_sequence:Int64})"}
ORDER BY value DESC, sequence DESC LIMIT {most:UInt32} SETTINGS ${EACH_DAY}`,
      {
        ...parameters,
        ...timeParameters(this.#options),
        ...positionParameters(after),
        tenant: filter.tenant?.toWellFormed() ?? "",
        newest,
        most: limit + 1,
      },
      signal,
    );
    const page = rows.slice(0, limit);
    const sessions = await this.#figures(page, signal);
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
    const totals = new SessionTotals();
    const compare = turnOrder(order);
    const turns = new RankedItems<Turn>(limit, compare);
    await this.#eachTurn(
      [{ tenant: key.tenant, session_id: key.sessionId }],
      (row, summary) => {
        totals.add(summary);
        const turn = turnOf(row);
        if (after === undefined || compare(after, turn) < 0) turns.add(turn);
      },
      signal,
    );
    if (totals.traces === 0) return undefined;
    const { page, hasMore } = turns.finish();
    const traces = await this.#options.reader.summaries(
      page.map((turn) => turn.key),
      signal,
    );
    const last = page.at(-1);
    return {
      session: totals.toSession(key),
      traces: traces.filter((summary) => summary !== undefined),
      nextCursor: hasMore && last !== undefined ? encodeTurn(this.#cursors, order, last) : null,
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

  /** The figures of sessions, in their order. */
  async #figures(
    sessions: readonly SessionColumns[],
    signal: AbortSignal | undefined,
  ): Promise<readonly (StoredSession | undefined)[]> {
    const found = new Map<string, SessionTotals>();
    await this.#eachTurn(
      sessions,
      (row, summary) => {
        const text = textOf(row);
        let totals = found.get(text);
        if (totals === undefined) found.set(text, (totals = new SessionTotals()));
        totals.add(summary);
      },
      signal,
    );
    return sessions.map(({ tenant, session_id: sessionId }) =>
      found.get(textOf({ tenant, session_id: sessionId }))?.toSession({ tenant, sessionId }),
    );
  }

  /** Visits the traces of sessions, those of each in order of start. */
  async #eachTurn(
    sessions: readonly SessionColumns[],
    visit: (row: TurnRow, summary: TraceSummary) => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if (sessions.length === 0) return;
    const { database, reader } = this.#options;
    const parameters = new SqlParameters();
    const keys = sessions.map(({ tenant, session_id }) => [tenant, session_id] as const);
    const rows = await database.rows<TurnRow>(
      `SELECT tenant, session_id, trace_id, start_ms, start_nanos, first_arrival FROM traces FINAL
WHERE (tenant, session_id) IN ${parameters.pairs(keys)} AND ${IS_KEPT}
ORDER BY start_ms, start_nanos, first_arrival, trace_id LIMIT 1 BY tenant, trace_id SETTINGS ${EACH_DAY}`,
      { ...parameters.values, ...timeParameters(this.#options) },
      signal,
    );
    for (let from = 0; from < rows.length; from += SUMMARIES_PER_STEP) {
      const step = rows.slice(from, from + SUMMARIES_PER_STEP);
      const summaries = await reader.summaries(step.map(keyOf), signal);
      for (const [index, row] of step.entries()) {
        const summary = summaries[index];
        if (summary !== undefined) visit(row, summary);
      }
    }
  }

  get #cursors(): ListCursors {
    return new ListCursors(this.#options.storeId() ?? "");
  }
}

function positionParameters(after: SessionPosition | undefined) {
  return after && { after_value: after.value, after_sequence: after.sequence };
}

function textOf({ tenant, session_id }: SessionColumns): string {
  return JSON.stringify([tenant, session_id]);
}

function turnOf(row: TurnRow): Turn {
  return {
    key: keyOf(row),
    startMs: row.start_ms,
    startNanos: row.start_nanos,
    sequence: row.first_arrival,
  };
}
