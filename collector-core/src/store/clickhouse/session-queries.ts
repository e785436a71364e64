import type { SessionOrder, SessionQuery, SessionTracesQuery } from "../../api-schema/sessions.js";
import type { TraceSummary } from "../../api-schema/trace.js";
import type { SessionKey, SessionPage, SessionTraces, StoredSession, TraceKey } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import { TimeSlice } from "../../runtime/time-slice.js";
import { formatInstant } from "../../span/timestamp.js";
import { traceKeyText } from "../../span/trace-key-text.js";
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
import { EACH_DAY, IS_KEPT, STATUS, timeParameters } from "./schema.js";
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
  /** Default: 50,000. Smaller in tests. */
  readonly turnsPerQuery?: number | undefined;
}

const DEFAULT_SESSIONS = 20;
const DEFAULT_TRACES = 100;
/** Traces that one query adds up: it has its time for each, and a session may have a million. */
const TURNS_PER_QUERY = 50_000;

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

/** A trace of a session: its position, and what is added up. */
interface TurnRow extends SessionColumns {
  readonly trace_id: string;
  readonly start_ms: number;
  readonly start_nanos: number;
  readonly first_arrival: number;
  readonly user_id: string;
  readonly first_agent: string;
  readonly listed_models: readonly string[];
  readonly has_input: boolean;
  readonly shown_status: string;
  readonly is_running: number;
  readonly duration_ms: number;
  readonly tokens_input: number;
  readonly tokens_output: number;
  readonly cost_usd: number;
  readonly error_count: number;
  readonly scores: readonly (readonly [type: string, score: number, label: string | null])[];
}

/** The columns of {@link TurnRow}. */
const TURN_COLUMNS = `tenant, session_id, trace_id, start_ms, start_nanos, first_arrival, user_id, first_agent, listed_models, has_input,
${STATUS} AS shown_status, running_until_ms > {now_ms:Int64} AS is_running, duration_ms, tokens_input, tokens_output, cost_usd, error_count,
arrayZip(score_types, score_values, score_labels) AS scores`;

/** The order of the traces of a session, with what makes it total. */
const TURN_ORDER = "start_ms, start_nanos, first_arrival, trace_id, tenant";
const AFTER_TURN =
  "{after_start_ms:Int64}, {after_nanos:UInt32}, {after_arrival:Int64}, {after_id:String}, {after_tenant:String}";

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
    const columns: SessionColumns = { tenant: key.tenant, session_id: key.sessionId };
    const compare = turnOrder(order);
    const turns = new RankedItems<Turn>(limit, compare);
    const [session] = await this.#figures([columns], signal, (row) => {
      const turn = turnOf(row);
      if (after === undefined || compare(after, turn) < 0) turns.add(turn);
    });
    if (session === undefined) return undefined;
    const { page, hasMore } = turns.finish();
    const traces = await this.#options.reader.summaries(
      page.map((turn) => turn.key),
      signal,
    );
    const last = page.at(-1);
    return {
      session,
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

  /** The figures of sessions, in their order; undefined for one without traces. @param visit - is shown all traces. */
  async #figures(
    sessions: readonly SessionColumns[],
    signal: AbortSignal | undefined,
    visit?: (row: TurnRow) => void,
  ): Promise<readonly (StoredSession | undefined)[]> {
    const found = new Map(sessions.map((columns) => [textOf(columns), new SessionFigures()]));
    const timeSlice = new TimeSlice(this.#options.clock, signal);
    for await (const rows of this.#turns(sessions, signal))
      for (const row of rows) {
        if (timeSlice.isOver()) await timeSlice.next();
        found.get(textOf(row))?.add(row);
        visit?.(row);
      }
    const figures = [...found.values()];
    // Their texts are long: only those of the traces that show them are read.
    const shown = figures
      .flatMap(({ withInput, last }) => [withInput, last])
      .filter((row) => row !== undefined);
    const texts = new Map<string, TraceSummary>();
    for (const summary of await this.#options.reader.summaries(shown.map(keyOf), signal))
      if (summary !== undefined) texts.set(traceKeyText(keyOf(summary)), summary);
    return sessions.map((columns) => found.get(textOf(columns))?.toSession(columns, texts));
  }

  /** The traces of sessions, those of each in order of start. */
  async *#turns(
    sessions: readonly SessionColumns[],
    signal: AbortSignal | undefined,
  ): AsyncGenerator<readonly TurnRow[], void> {
    if (sessions.length === 0) return;
    const { database, turnsPerQuery = TURNS_PER_QUERY } = this.#options;
    const parameters = new SqlParameters();
    const keys = sessions.map(({ tenant, session_id }) => [tenant, session_id] as const);
    const ofSessions = `(tenant, session_id) IN ${parameters.pairs(keys)} AND ${IS_KEPT}`;
    for (let after: TurnRow | undefined; ;) {
      let count = 0;
      const pages = database.stream<TurnRow>(
        `SELECT ${TURN_COLUMNS} FROM traces FINAL WHERE ${ofSessions}
${after === undefined ? "" : `AND (${TURN_ORDER}) > (${AFTER_TURN})`}
ORDER BY ${TURN_ORDER} LIMIT 1 BY tenant, trace_id LIMIT ${turnsPerQuery} SETTINGS ${EACH_DAY}`,
        { ...parameters.values, ...timeParameters(this.#options), ...afterTurn(after) },
        signal,
      );
      for await (const rows of pages) {
        count += rows.length;
        after = rows.at(-1) ?? after;
        yield rows;
      }
      if (count < turnsPerQuery) return;
    }
  }

  get #cursors(): ListCursors {
    return new ListCursors(this.#options.storeId() ?? "");
  }
}

/** Adds up a session from few columns of its traces. */
class SessionFigures {
  readonly #totals = new SessionTotals();
  /** The first trace with an input, and the last one. */
  withInput: TurnRow | undefined;
  last: TurnRow | undefined;

  add(row: TurnRow): void {
    const { start_ms: epochMs, start_nanos: nanos, scores } = row;
    if (row.has_input) this.withInput ??= row;
    this.last = row;
    this.#totals.add({
      ...row,
      user_id: orNull(row.user_id),
      agent: orNull(row.first_agent),
      models: [...row.listed_models],
      start_time: formatInstant({ epochMs, nanos }),
      status: row.shown_status,
      running: row.is_running === 1,
      scores: scores.map(([type, score, label]) => ({ type, score, label })),
      // See toSession.
      ...{ input_preview: null, output_preview: null, error_type: null },
    });
  }

  /** @param texts - the summaries of {@link withInput} and {@link last}, by `traceKeyText`. Undefined without traces. */
  toSession(
    { tenant, session_id: sessionId }: SessionColumns,
    texts: ReadonlyMap<string, TraceSummary>,
  ): StoredSession | undefined {
    if (this.last === undefined) return undefined;
    const first = this.withInput && texts.get(traceKeyText(keyOf(this.withInput)));
    const last = texts.get(traceKeyText(keyOf(this.last)));
    return {
      ...this.#totals.toSession({ tenant, sessionId }),
      first_input_preview: first?.input_preview ?? null,
      last_output_preview: last?.output_preview ?? null,
      last_error_type: last?.status === "ERROR" ? last.error_type : null,
    };
  }
}

function orNull(text: string): string | null {
  return text === "" ? null : text;
}

function afterTurn(row: TurnRow | undefined) {
  return (
    row && {
      after_start_ms: row.start_ms,
      after_nanos: row.start_nanos,
      after_arrival: row.first_arrival,
      after_id: row.trace_id,
      after_tenant: row.tenant,
    }
  );
}

function positionParameters(after: SessionPosition | undefined) {
  return after && { after_value: after.value, after_sequence: after.sequence };
}

/** Names a session as ClickHouse has it. */
function textOf({ tenant, session_id }: SessionColumns): string {
  return JSON.stringify([tenant.toWellFormed(), session_id.toWellFormed()]);
}

function turnOf(row: TurnRow): Turn {
  return {
    key: keyOf(row),
    startMs: row.start_ms,
    startNanos: row.start_nanos,
    sequence: row.first_arrival,
  };
}
