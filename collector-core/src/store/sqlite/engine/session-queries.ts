import type { SessionQuery, SessionTracesQuery } from "../../../api-schema/sessions.js";
import type { TraceFilter, TraceSummary } from "../../../api-schema/trace.js";
import type { SessionKey, SessionPage, SessionTraces, StoredSession } from "../../../interfaces.js";
import type { Clock } from "../../../runtime/clock.js";
import { TimeSlice } from "../../../runtime/time-slice.js";
import {
  decodePosition,
  decodeTurn,
  encodePosition,
  encodeTurn,
  type TurnPosition,
} from "../../sessions/session-position.js";
import { readSessionFilter } from "../../sessions/session-filter.js";
import type { ListCursors } from "../../traces/list-cursor.js";
import type { SqlDatabase, SqlRow } from "../driver/sqlite-driver.js";
import type { SqlCondition } from "./condition-sql.js";
import { ALL, type PendingChanges } from "./query-sql.js";
import { sessionSql } from "./session-condition-sql.js";
import { SessionFigures } from "./session-figures.js";
import { SessionRanking, type RankedSession } from "./session-ranking.js";
import { FIRST_TURN, LAST_TURN, ROWS_PER_STEP, turnOf } from "./session-turns.js";
import type { TraceTables } from "./trace-tables.js";

const DEFAULT_SESSIONS = 20;
const DEFAULT_TRACES = 100;
/** Options of {@link SessionQueries}. */
export interface SessionQueriesOptions {
  readonly db: SqlDatabase;
  readonly tables: TraceTables;
  /** The condition of a filter; undefined if no trace can match. */
  readonly matching: (filter: TraceFilter, signal: AbortSignal) => Promise<SqlCondition | undefined>;
  readonly cursors: () => ListCursors;
  readonly clock: Pick<Clock, "monotonic">;
  /** Writes what changed, and evicts what is expired. Called before each query. */
  readonly refresh: () => void;
  readonly pendingChanges: () => PendingChanges;
  readonly summaryOf: (sequence: number) => TraceSummary | undefined;
  /** The sequence of the newest trace. */
  readonly newestSequence: () => number;
}

/** Answers queries over sessions. A trace of a session is found by an index, in order of start or of its end. */
export class SessionQueries {
  readonly #options: SessionQueriesOptions;
  readonly #figures: SessionFigures;
  readonly #ranking: SessionRanking;

  constructor(options: SessionQueriesOptions) {
    this.#options = options;
    const { db, tables } = options;
    this.#ranking = new SessionRanking({ db, tables, alive: () => this.#alive });
    this.#figures = new SessionFigures({
      clock: options.clock,
      numberOf: (key) => options.tables.sessionNumber(key),
      count: (session, until) => this.#countOf(session, until),
      turns: (key, after, timeSlice) => this.#turns(key, false, after, timeSlice),
      summaryIn: (key, turn) => this.#summaryIn(key, turn),
    });
  }

  /** A trace of a session was written. */
  written(session: number, turn: TurnPosition): void {
    this.#figures.written(session, turn);
  }

  async list(query: SessionQuery, signal: AbortSignal): Promise<SessionPage> {
    const { refresh, cursors, newestSequence } = this.#options;
    refresh();
    const { limit = DEFAULT_SESSIONS, cursor, order = "newest", ...filters } = query;
    const { traces: filter, conditions } = readSessionFilter(filters);
    const after = cursor === undefined ? undefined : decodePosition(cursors(), order, cursor);
    const newest = after?.newestSequence ?? newestSequence();
    const condition = await this.#options.matching(filter, signal);
    if (condition === undefined) return { sessions: [], nextCursor: null };

    const whole = await sessionSql(conditions, (asked) => this.#options.matching(asked, signal));
    const timeSlice = this.#timeSlice(signal);
    const page = { condition, whole, newest, after, count: limit + 1 };
    const ranked = await this.#ranking.page(order, page, timeSlice);
    const sessions: StoredSession[] = [];
    for (const each of ranked.slice(0, limit)) {
      const key = this.#keyOf(each);
      const stored = key && (await this.#figures.of(key, timeSlice));
      if (stored !== undefined) sessions.push(stored);
    }
    const last = ranked[limit - 1];
    const nextCursor =
      ranked.length > limit && last !== undefined
        ? encodePosition(cursors(), order, { ...last, newestSequence: newest })
        : null;
    return { sessions, nextCursor };
  }

  async session(
    key: SessionKey,
    { limit = DEFAULT_TRACES, cursor, order = "oldest" }: SessionTracesQuery,
    signal: AbortSignal,
  ): Promise<SessionTraces | undefined> {
    const { refresh, cursors } = this.#options;
    const after = cursor === undefined ? undefined : decodeTurn(cursors(), order, cursor);
    refresh();
    const timeSlice = this.#timeSlice(signal);
    const session = await this.#figures.of(key, timeSlice);
    if (session === undefined) return undefined;

    const traces: TraceSummary[] = [];
    let last: TurnPosition | undefined;
    let hasMore = false;
    for await (const turn of this.#turns(key, order === "newest", after, timeSlice)) {
      const summary = this.#summaryIn(key, turn);
      if (summary === undefined) continue;
      hasMore = traces.length === limit;
      if (hasMore) break;
      traces.push(summary);
      last = turn;
    }
    const nextCursor = hasMore && last !== undefined ? encodeTurn(cursors(), order, last) : null;
    return { session, traces, nextCursor };
  }

  /** The tenants that have a session of that id. */
  tenantsOf(sessionId: string): string[] {
    this.#options.refresh();
    const next = (comparison: ">" | ">=", tenant: string): SqlRow | undefined =>
      this.#all(
        `SELECT min(tenant) AS tenant FROM trace_detail WHERE session_id = ? AND tenant ${comparison} ?`,
        [sessionId, tenant],
      ).find((row) => typeof row["tenant"] === "string");
    const tenants: string[] = [];
    for (let row = next(">=", ""); row !== undefined; row = next(">", tenants.at(-1) ?? ""))
      tenants.push(String(row["tenant"]));
    return tenants;
  }

  /** The condition that a trace is not expired. */
  get #alive(): SqlCondition {
    const { expiredMs } = this.#options.pendingChanges();
    return expiredMs === undefined ? ALL : { sql: "t.last_ms > ?", parameters: [expiredMs] };
  }

  /** The key of a listed session. */
  #keyOf({ sequence }: RankedSession): SessionKey | undefined {
    const summary = this.#options.summaryOf(sequence);
    const sessionId = summary?.session_id;
    return typeof sessionId === "string" && summary !== undefined
      ? { tenant: summary.tenant, sessionId }
      : undefined;
  }

  #countOf(session: number, until?: TurnPosition): number {
    const alive = this.#alive;
    const before: SqlCondition =
      until === undefined
        ? ALL
        : {
            sql: "(t.start_ms, t.start_ns, t.seq) <= (?, ?, ?)",
            parameters: [until.startMs, until.startNanos, until.sequence],
          };
    const [row] = this.#all(
      `SELECT count(*) AS traces FROM trace t WHERE t.session = ? AND ${alive.sql} AND ${before.sql}`,
      [session, ...alive.parameters, ...before.parameters],
    );
    return Number(row?.["traces"] ?? 0);
  }

  /** The traces of a session from a position on, in order of start or in reverse. */
  async *#turns(
    key: SessionKey,
    isReverse: boolean,
    after: TurnPosition | undefined,
    timeSlice: TimeSlice,
  ): AsyncGenerator<TurnPosition, void> {
    const session = this.#options.tables.sessionNumber(key);
    const [comparison, direction] = isReverse ? ["<", "DESC"] : [">", "ASC"];
    for (let from = after ?? (isReverse ? LAST_TURN : FIRST_TURN); ;) {
      const alive = this.#alive;
      const rows = this.#all(
        "SELECT t.seq AS seq, t.start_ms AS start_ms, t.start_ns AS start_ns FROM trace t " +
          `WHERE t.session = ? AND ${alive.sql} AND (t.start_ms, t.start_ns, t.seq) ${comparison} (?, ?, ?) ` +
          `ORDER BY t.start_ms ${direction}, t.start_ns ${direction}, t.seq ${direction} LIMIT ?`,
        [session, ...alive.parameters, from.startMs, from.startNanos, from.sequence, ROWS_PER_STEP],
      );
      for (const row of rows) yield turnOf(row);
      const last = rows.at(-1);
      if (last === undefined || rows.length < ROWS_PER_STEP) return;
      from = turnOf(last);
      if (timeSlice.isOver()) await timeSlice.next();
    }
  }

  /** The summary of a trace, unless it is of another session with the same number, or gone. */
  #summaryIn({ tenant, sessionId }: SessionKey, { sequence }: TurnPosition): TraceSummary | undefined {
    const summary = this.#options.summaryOf(sequence);
    return summary?.session_id === sessionId && summary.tenant === tenant ? summary : undefined;
  }

  #timeSlice(signal: AbortSignal): TimeSlice {
    return new TimeSlice(this.#options.clock, signal);
  }

  #all(sql: string, parameters: readonly (string | number | Uint8Array | null)[]): SqlRow[] {
    return this.#options.db.prepare(sql).all(...parameters);
  }
}
