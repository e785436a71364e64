import type { SessionOrder } from "../../../api-schema/sessions.js";
import type { TimeSlice } from "../../../runtime/time-slice.js";
import { compareRanks, type SessionPosition, type SessionRank } from "../../sessions/session-position.js";
import type { SqlDatabase, SqlRow } from "../driver/sqlite-driver.js";
import type { SqlCondition } from "./condition-sql.js";
import { ALL, both } from "./query-sql.js";
import { FIRST_TURN, ROWS_PER_STEP, turnOf } from "./session-turns.js";
import type { TraceTables } from "./trace-tables.js";

/** Traces whose numbers are compared with a filter in one step: some milliseconds. */
const TRACES_PER_STEP = 10_000;
/** Sessions whose traces are compared with conditions on whole sessions in one step. */
const SESSIONS_PER_STEP = 500;
/** After so many sessions without a match, all matches are looked for. */
const MAX_MISSES = 100;
/** So few sessions are ranked one by one. */
const MAX_RANKED = 1000;

/** As in the index `session_by_end`. */
const END = "t.start_ms + t.duration_ms";
/** What an order other than `newest` adds up, largest first. */
const SUMS: Readonly<Record<Exclude<SessionOrder, "newest">, string>> = {
  slowest: "t.duration_ms",
  costliest: "t.cost_usd",
};
/** A session at its place in a list. */
export interface RankedSession extends SessionRank {
  readonly session: number;
}

/** A page of a ranking. */
export interface RankingPage {
  readonly condition: SqlCondition;
  /** A condition on all traces of a session together; undefined for any. */
  readonly whole: SqlCondition | undefined;
  /** The newest trace that counts. */
  readonly newest: number;
  readonly after: SessionPosition | undefined;
  readonly count: number;
}

/** Options of {@link SessionRanking}. */
export interface SessionRankingOptions {
  readonly db: SqlDatabase;
  readonly tables: TraceTables;
  /** The condition that a trace is not expired. */
  readonly alive: () => SqlCondition;
}

/** Ranks sessions of which a trace meets a condition. */
export class SessionRanking {
  readonly #options: SessionRankingOptions;

  constructor(options: SessionRankingOptions) {
    this.#options = options;
  }

  /** The sessions from a position on, in an order. */
  async page(order: SessionOrder, page: RankingPage, timeSlice: TimeSlice): Promise<RankedSession[]> {
    return order === "newest" ? await this.#newest(page, timeSlice) : this.#summedUp(SUMS[order], page);
  }

  /**
   * The sessions from a position on, by their latest end. Goes through the traces with a session from the latest end on: the
   * first trace of a session is its place.
   */
  async #newest(page: RankingPage, timeSlice: TimeSlice): Promise<RankedSession[]> {
    const { condition, whole, newest, after, count } = page;
    const alive = both(this.#options.alive(), { sql: "t.seq <= ?", parameters: [newest] });
    const isListedBefore = both(alive, {
      sql: `t.session = ? AND (${END} > ? OR (${END} = ? AND t.seq >= ?))`,
      parameters: [],
    });
    const found: RankedSession[] = [];
    const seen = new Set<number>();
    let misses = 0;
    let matching: ReadonlySet<number> | undefined;
    let end = after?.value ?? Number.MAX_VALUE;
    let sequence = after?.sequence ?? 0;
    for (;;) {
      const rows = this.#all(
        `SELECT t.seq AS seq, t.session AS session, ${END} AS end_ms, (${condition.sql}) AS matches ` +
          `FROM trace t INDEXED BY session_by_end WHERE t.session IS NOT NULL AND ${alive.sql} ` +
          `AND ${END} <= ? AND (${END} < ? OR t.seq < ?) ORDER BY ${END} DESC, t.seq DESC LIMIT ?`,
        [...condition.parameters, ...alive.parameters, end, end, sequence, ROWS_PER_STEP],
      );
      for (const row of rows) {
        end = Number(row["end_ms"]);
        sequence = Number(row["seq"]);
        const session = Number(row["session"]);
        if (seen.has(session)) continue;
        seen.add(session);
        if (timeSlice.isOver()) await timeSlice.next();
        if (
          after !== undefined &&
          this.#all(
            // The latest starts first: they have the latest ends, mostly.
            `SELECT 1 FROM trace t WHERE ${isListedBefore.sql} ORDER BY t.start_ms DESC LIMIT 1`,
            [...isListedBefore.parameters, session, after.value, after.value, after.sequence],
          ).length > 0
        )
          continue;
        const isMatch =
          matching?.has(session) ??
          ((row["matches"] === 1 || (await this.#hasMatch(session, condition, timeSlice))) &&
            (whole === undefined || this.#isWhole(session, whole, alive)));
        if (!isMatch) {
          if (++misses !== MAX_MISSES) continue;
          // A rare match: looking for it in each session would read all traces one by one.
          matching = await this.#matching(page, alive, timeSlice);
          if (matching.size > MAX_RANKED) continue;
          const others = [...matching].filter((each) => !seen.has(each));
          const ranked = await this.#rankAll(others, { alive, after }, timeSlice);
          return [...found, ...ranked].slice(0, count);
        }
        found.push({ session, value: end, sequence });
        if (found.length === count) return found;
      }
      if (rows.length < ROWS_PER_STEP) return found;
      if (timeSlice.isOver()) await timeSlice.next();
    }
  }

  /** The sessions with a trace that meets the condition, which are as asked as a whole. */
  async #matching(
    { condition, whole, newest }: RankingPage,
    alive: SqlCondition,
    timeSlice: TimeSlice,
  ): Promise<ReadonlySet<number>> {
    if (whole === undefined) return await this.#sessionsWith(condition, newest, timeSlice);
    const found = await this.#wholeSessions(whole, alive, timeSlice);
    if (condition === ALL) return found;
    const matching = await this.#sessionsWith(condition, newest, timeSlice);
    return new Set([...found].filter((session) => matching.has(session)));
  }

  /** The sessions that are as asked as a whole. */
  async #wholeSessions(
    whole: SqlCondition,
    alive: SqlCondition,
    timeSlice: TimeSlice,
  ): Promise<ReadonlySet<number>> {
    const sessions = new Set<number>();
    for (let after = -Number.MAX_VALUE; ;) {
      const rows = this.#all(
        `SELECT t.session AS session, (${whole.sql}) AS meets FROM trace t WHERE t.session > ? AND ${alive.sql} ` +
          "GROUP BY t.session ORDER BY t.session LIMIT ?",
        [...whole.parameters, after, ...alive.parameters, SESSIONS_PER_STEP],
      );
      for (const row of rows) if (row["meets"] === 1) sessions.add(Number(row["session"]));
      const last = rows.at(-1);
      if (last === undefined || rows.length < SESSIONS_PER_STEP) return sessions;
      after = Number(last["session"]);
      if (timeSlice.isOver()) await timeSlice.next();
    }
  }

  /** True if a session is as asked as a whole. */
  #isWhole(session: number, whole: SqlCondition, alive: SqlCondition): boolean {
    const [row] = this.#all(
      `SELECT (${whole.sql}) AS meets FROM trace t WHERE t.session = ? AND ${alive.sql}`,
      [...whole.parameters, session, ...alive.parameters],
    );
    return row?.["meets"] === 1;
  }

  /** The sessions with a trace that meets the condition. */
  async #sessionsWith(
    condition: SqlCondition,
    newest: number,
    timeSlice: TimeSlice,
  ): Promise<ReadonlySet<number>> {
    const sessions = new Set<number>();
    const [oldest = newest] = this.#options.tables.oldest(1);
    for (let from = oldest - 1; from < newest; from += TRACES_PER_STEP) {
      const rows = this.#all(
        `SELECT DISTINCT t.session AS session FROM trace t WHERE t.seq > ? AND t.seq <= ? ` +
          `AND t.session IS NOT NULL AND ${condition.sql}`,
        [from, Math.min(newest, from + TRACES_PER_STEP), ...condition.parameters],
      );
      for (const row of rows) sessions.add(Number(row["session"]));
      if (timeSlice.isOver()) await timeSlice.next();
    }
    return sessions;
  }

  /** Sessions by their latest end, those from a position on. */
  async #rankAll(
    sessions: readonly number[],
    { alive, after }: { readonly alive: SqlCondition; readonly after: SessionPosition | undefined },
    timeSlice: TimeSlice,
  ): Promise<RankedSession[]> {
    const ranked: RankedSession[] = [];
    for (const session of sessions) {
      const [row] = this.#all(
        `SELECT t.seq AS seq, ${END} AS end_ms FROM trace t WHERE t.session = ? AND ${alive.sql} ` +
          `ORDER BY ${END} DESC, t.seq DESC LIMIT 1`,
        [session, ...alive.parameters],
      );
      const rank = row && { session, value: Number(row["end_ms"]), sequence: Number(row["seq"]) };
      if (rank !== undefined && (after === undefined || compareRanks(after, rank) < 0)) ranked.push(rank);
      if (timeSlice.isOver()) await timeSlice.next();
    }
    return ranked.sort(compareRanks);
  }

  /** True if a trace of the session meets the condition. */
  async #hasMatch(session: number, condition: SqlCondition, timeSlice: TimeSlice): Promise<boolean> {
    for (let after = FIRST_TURN; ;) {
      const rows = this.#all(
        `SELECT t.seq AS seq, t.start_ms AS start_ms, t.start_ns AS start_ns, (${condition.sql}) AS matches ` +
          "FROM trace t WHERE t.session = ? AND (t.start_ms, t.start_ns, t.seq) > (?, ?, ?) " +
          "ORDER BY t.start_ms, t.start_ns, t.seq LIMIT ?",
        [...condition.parameters, session, after.startMs, after.startNanos, after.sequence, ROWS_PER_STEP],
      );
      if (rows.some((row) => row["matches"] === 1)) return true;
      const last = rows.at(-1);
      if (last === undefined || rows.length < ROWS_PER_STEP) return false;
      after = turnOf(last);
      if (timeSlice.isOver()) await timeSlice.next();
    }
  }

  /** The sessions from a position on, by a sum over their traces. Reads the numbers of all traces with a session. */
  #summedUp(summand: string, { condition, whole = ALL, newest, after, count }: RankingPage): RankedSession[] {
    const alive = both(this.#options.alive(), { sql: "t.seq <= ?", parameters: [newest] });
    const behind: SqlCondition =
      after === undefined
        ? ALL
        : {
            sql: "(value < ? OR (value = ? AND newest < ?))",
            parameters: [after.value, after.value, after.sequence],
          };
    const matching: SqlCondition =
      condition === ALL
        ? ALL
        : {
            sql: `t.session IN (SELECT t.session FROM trace t WHERE t.session IS NOT NULL AND ${condition.sql})`,
            parameters: condition.parameters,
          };
    return this.#all(
      `SELECT t.session AS session, total(${summand}) AS value, max(t.seq) AS newest FROM trace t ` +
        `WHERE t.session IS NOT NULL AND ${alive.sql} AND ${matching.sql} GROUP BY t.session ` +
        `HAVING ${behind.sql} AND ${whole.sql} ORDER BY value DESC, newest DESC LIMIT ?`,
      [...alive.parameters, ...matching.parameters, ...behind.parameters, ...whole.parameters, count],
    ).map((row) => ({
      session: Number(row["session"]),
      value: Number(row["value"]),
      sequence: Number(row["newest"]),
    }));
  }

  #all(sql: string, parameters: readonly (string | number | Uint8Array | null)[]): SqlRow[] {
    return this.#options.db.prepare(sql).all(...parameters);
  }
}
