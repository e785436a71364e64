import { FEEDBACK_TYPE } from "../../api-schema/evaluation-types.js";
import { MAX_TURNS } from "../../api-schema/sessions.js";
import type { TraceSummary } from "../../api-schema/trace.js";
import type { ScoreRange, SessionScore, StoredSession, TraceKey } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import { addMs, formatInstant } from "../../span/timestamp.js";
import { traceKeyText } from "../../span/trace-key-text.js";
import { UP_FROM } from "../sessions/session-totals.js";
import { costSourceOf } from "../traces/cost-source.js";
import { DistinctValues } from "../traces/distinct-values.js";
import { MAX_LISTED, MAX_LISTED_CHARACTERS } from "../traces/trace-totals.js";
import type { Database } from "./database.js";
import { EACH_DAY, HAS_COMPUTED_COST, IS_KEPT, STATUS, timeParameters } from "./schema.js";
import { SqlParameters } from "./sql-parameters.js";
import { finiteSum } from "./sums.js";
import { keyOf } from "./trace-keys.js";
import type { TraceReader } from "./trace-reader.js";

/** The key of a session in `traces`. */
export interface SessionColumns {
  readonly tenant: string;
  readonly session_id: string;
}

/** Options of {@link readSessions}. */
export interface SessionFiguresOptions {
  readonly database: Pick<Database, "rows">;
  readonly clock: Clock;
  readonly ttlSeconds: number;
  readonly reader: Pick<TraceReader, "summaries">;
}

/** Candidates for a list of at most 20 values: those that are too long for it are passed over. */
const MAX_VALUES = 100;
/** The order of the traces of a session: by start, ties by arrival. */
const PLACE = "(start_ms, start_nanos, first_arrival, trace_id)";

/** The end of a trace, as `addMs` finds it: milliseconds, and nanoseconds of which there may be more than fit in one. */
const WHOLE_MS = "toInt64(trunc(least(duration_ms, 1e15)))";
const END_NANOS = `start_nanos + toInt64(round((duration_ms - trunc(duration_ms)) * 1e6))`;
const END = `(start_ms + ${WHOLE_MS} + intDiv(${END_NANOS}, 1000000), (${END_NANOS}) % 1000000)`;

const FIGURES = `count() AS traces, argMinIf(user_id, ${PLACE}, user_id != '') AS user_text, argMinIf(trace_id, ${PLACE}, has_input) AS first_trace,
argMax(trace_id, ${PLACE}) AS last_trace, min((start_ms, start_nanos)) AS started, max(${END}) AS ended,
${finiteSum("duration_ms")} AS active, ${finiteSum("tokens_input")} AS tokens_in, ${finiteSum("tokens_output")} AS tokens_out,
${finiteSum("cost_usd")} AS cost, max(${HAS_COMPUTED_COST}) AS computed, sum(error_count) AS errors, max(running_until_ms > {now_ms:Int64}) AS running,
sum(arrayCount((type, score) -> type = {feedback:String} AND score >= ${UP_FROM}, score_types, score_values)) AS up,
sum(arrayCount(type -> type = {feedback:String}, score_types)) AS feedback_scores`;

interface FiguresRow extends SessionColumns {
  readonly traces: number;
  readonly user_text: string;
  readonly first_trace: string;
  readonly last_trace: string;
  readonly started: readonly [ms: number, nanos: number];
  readonly ended: readonly [ms: number, nanos: number];
  readonly active: number;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cost: number;
  readonly computed: number;
  readonly errors: number;
  readonly running: number;
  readonly up: number;
  readonly feedback_scores: number;
}

interface ValueRow extends SessionColumns {
  readonly field: "agent" | "model";
  readonly value: string;
}

type ScoreColumn = readonly [traceId: string, score: number, label: string | null];

interface ScoreRow extends SessionColumns {
  readonly type: string;
  readonly lowest: ScoreColumn;
  readonly highest: ScoreColumn;
}

interface TurnRow extends SessionColumns {
  readonly trace_id: string;
  readonly duration_ms: number;
  readonly shown_status: string;
}

/** The figures of sessions in their order, as `SessionTotals` adds them up; undefined for one without traces. */
export async function readSessions(
  { database, reader, ...options }: SessionFiguresOptions,
  sessions: readonly SessionColumns[],
  signal: AbortSignal | undefined,
): Promise<readonly (StoredSession | undefined)[]> {
  if (sessions.length === 0) return [];
  const parameters = new SqlParameters();
  const keys = sessions.map(({ tenant, session_id }) => [tenant, session_id] as const);
  const traces = `FROM traces FINAL WHERE (tenant, session_id) IN ${parameters.pairs(keys)} AND ${IS_KEPT}`;
  const values = { ...parameters.values, ...timeParameters(options), feedback: FEEDBACK_TYPE };
  const ask = <Row>(sql: string): Promise<Row[]> =>
    database.rows<Row>(`${sql} SETTINGS ${EACH_DAY}`, values, signal);
  const [figures, listed, scores, turns] = await Promise.all([
    ask<FiguresRow>(`SELECT tenant, session_id, ${FIGURES} ${traces} GROUP BY tenant, session_id`),
    ask<ValueRow>(
      `SELECT tenant, session_id, pair.1 AS field, pair.2 AS value
FROM (SELECT tenant, session_id, ${PLACE} AS place,
arrayJoin(arrayConcat([('agent', toString(first_agent), 0)], arrayMap((model, at) -> ('model', toString(model), at), listed_models, arrayEnumerate(listed_models)))) AS pair
${traces})
WHERE value != '' GROUP BY tenant, session_id, field, value ORDER BY min((place, pair.3)) LIMIT ${MAX_VALUES} BY tenant, session_id, field`,
    ),
    ask<ScoreRow>(
      `SELECT tenant, session_id, scored.1 AS type, argMin(given, (score, place)) AS lowest, argMin(given, (-score, place)) AS highest
FROM (SELECT tenant, session_id, ${PLACE} AS place,
arrayJoin(arrayZip(arrayMap(type -> toString(type), score_types), score_values, score_labels, arrayEnumerate(score_types))) AS scored,
scored.2 AS score, (trace_id, score, scored.3) AS given
${traces} AND notEmpty(score_types))
WHERE type != {feedback:String} GROUP BY tenant, session_id, type ORDER BY min((place, scored.4)) LIMIT ${MAX_LISTED} BY tenant, session_id`,
    ),
    ask<TurnRow>(
      `SELECT tenant, session_id, trace_id, duration_ms, ${STATUS} AS shown_status ${traces}
ORDER BY ${PLACE} DESC LIMIT ${MAX_TURNS} BY tenant, session_id`,
    ),
  ]);
  const shown = figures.flatMap((row) => [firstOf(row), lastOf(row)]).filter((key) => key.traceId !== "");
  const texts = new Map<string, TraceSummary>();
  for (const summary of await reader.summaries(shown, signal))
    if (summary !== undefined) texts.set(traceKeyText(keyOf(summary)), summary);
  const figuresOf = bySession(figures);
  const listedOf = bySession(listed);
  const scoresOf = bySession(scores);
  const turnsOf = bySession(turns);
  return sessions.map((session) => {
    const [row] = figuresOf(session);
    if (row === undefined) return undefined;
    return {
      ...sessionOf(row, session, texts),
      agents: valuesIn(listedOf(session), "agent"),
      models: valuesIn(listedOf(session), "model"),
      turns: turnsOf(session)
        .map(({ trace_id, duration_ms, shown_status: status }) => ({ trace_id, duration_ms, status }))
        .toReversed(),
      scoreRanges: scoresOf(session).map(rangeOf),
    };
  });
}

type Rows<Row> = (session: SessionColumns) => readonly Row[];

/** What the figures tell of a session, without its lists. */
function sessionOf(
  row: FiguresRow,
  session: SessionColumns,
  texts: ReadonlyMap<string, TraceSummary>,
): Omit<StoredSession, "agents" | "models" | "turns" | "scoreRanges"> {
  const first = texts.get(traceKeyText(firstOf(row)));
  const last = texts.get(traceKeyText(lastOf(row)));
  const [startMs, startNanos] = row.started;
  const [endMs, endNanos] = row.ended;
  return {
    session_id: session.session_id,
    tenant: session.tenant,
    user_id: row.user_text === "" ? null : row.user_text,
    first_input_preview: first?.input_preview ?? null,
    last_output_preview: last?.output_preview ?? null,
    last_error_type: last?.status === "ERROR" ? last.error_type : null,
    traces: row.traces,
    start_time: formatInstant({ epochMs: startMs, nanos: startNanos }),
    last_time: formatInstant(addMs({ epochMs: endMs, nanos: endNanos }, 0)),
    active_ms: row.active,
    tokens_input: row.tokens_in,
    tokens_output: row.tokens_out,
    cost_usd: row.cost,
    cost_source: costSourceOf(row.cost, row.computed === 1),
    errors: row.errors,
    feedback: { up: row.up, down: row.feedback_scores - row.up },
    running: row.running === 1,
  };
}

/** The first trace with an input. */
function firstOf({ tenant, first_trace: traceId }: FiguresRow): TraceKey {
  return { tenant, traceId };
}

function lastOf({ tenant, last_trace: traceId }: FiguresRow): TraceKey {
  return { tenant, traceId };
}

function valuesIn(rows: readonly ValueRow[], field: ValueRow["field"]): string[] {
  const values = new DistinctValues(MAX_LISTED, MAX_LISTED_CHARACTERS);
  for (const row of rows) if (row.field === field) values.add(row.value);
  return values.toArray();
}

function rangeOf({ type, lowest, highest }: ScoreRow): ScoreRange {
  return { type, lowest: scoreOf(lowest), highest: scoreOf(highest) };
}

function scoreOf([traceId, score, label]: ScoreColumn): SessionScore {
  return { traceId, score, label };
}

function bySession<Row extends SessionColumns>(rows: readonly Row[]): Rows<Row> {
  const found = new Map<string, Row[]>();
  for (const row of rows) {
    const text = textOf(row);
    const known = found.get(text);
    if (known === undefined) found.set(text, [row]);
    else known.push(row);
  }
  return (session) => found.get(textOf(session)) ?? [];
}

/** Names a session as ClickHouse has it. */
function textOf({ tenant, session_id }: SessionColumns): string {
  return JSON.stringify([tenant.toWellFormed(), session_id.toWellFormed()]);
}
