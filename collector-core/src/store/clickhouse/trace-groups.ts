import type { GroupOrder } from "../../api-schema/group-keys.js";
import type { TraceGroup, TraceGroups } from "../../api-schema/groups.js";
import { costSourceOf } from "../traces/cost-source.js";
import { MAX_SCORE_TYPES } from "../traces/group-figures.js";
import { MAX_GROUPS, MAX_VALUES, NO_VALUE } from "../traces/group-counter.js";
import type { Database } from "./database.js";
import { EACH_DAY, HAS_COMPUTED_COST, STATUS } from "./schema.js";
import { finiteSum } from "./sums.js";
import type { SqlCondition } from "./sql-parameters.js";

/** The groups that a question asks for. */
export interface GroupsOfValues {
  /** The values of a row of `traces`, as a list. */
  readonly values: string;
  /** Of the rows. With `timeParameters`. */
  readonly condition: SqlCondition;
  readonly order: GroupOrder | undefined;
  /** Only values that contain this text, in any letter case. */
  readonly contains: string | undefined;
}

/** The figures of a group, as `GroupFigures` has them. */
const FIGURES = `count() AS runs, countIf(${STATUS} = 'ERROR') AS errors, ${finiteSum("tokens_input")} AS tokens_in,
${finiteSum("tokens_output")} AS tokens_out, ${finiteSum("cost_usd")} AS cost, max(${HAS_COMPUTED_COST}) AS computed,
arraySort(groupArray(duration_ms)) AS durations, arraySort(groupArray(ttft_ms)) AS ttfts`;
const PERCENTILES = `${percentile("durations", 0.5)} AS p50, ${percentile("durations", 0.95)} AS p95,
if(empty(ttfts), NULL, ${percentile("ttfts", 0.5)}) AS ttft`;

/** What ranks a group, the highest first; see `rankOf`. */
const RANKS: Readonly<Record<GroupOrder, string>> = {
  runs: "runs",
  errors: "errors / runs",
  p50: "p50",
  p95: "p95",
  ttft: "ifNull(ttft, -1)",
  tokens: "tokens_in + tokens_out",
  cost: "cost",
  cost_per_run: "cost / runs",
  value: "0",
};

interface GroupRow {
  readonly value: string;
  readonly runs: number;
  readonly errors: number;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cost: number;
  readonly computed: number;
  readonly p50: number;
  readonly p95: number;
  readonly ttft: number | null;
  readonly other_groups: number;
  readonly other_runs: number;
  readonly other_cost: number;
  readonly other_computed: number;
}

interface ScoreRow {
  readonly value: string;
  readonly type: string;
  readonly mean: number;
  readonly scores: number;
}

/** Counts groups in ClickHouse: a collector would read a row of each trace. */
export async function readGroups(
  database: Pick<Database, "rows">,
  { values, condition, order = "runs", contains = "" }: GroupsOfValues,
  signal: AbortSignal | undefined,
): Promise<Omit<TraceGroups, "unread">> {
  const texts = `CAST(${values}, 'Array(String)')`;
  const value = `arrayJoin(if(empty(${texts}), ['${NO_VALUE}'], arraySlice(${texts}, 1, ${MAX_VALUES})))`;
  const matching = `FROM traces FINAL WHERE ${condition.sql}`;
  const wanted = contains === "" ? "" : "HAVING position(lowerUTF8(value), {contains:String}) > 0";
  const isOther = `place > ${MAX_GROUPS}`;
  const rows = await database.rows<GroupRow>(
    `SELECT * FROM (
SELECT *, countIf(${isOther}) OVER () AS other_groups, sumIf(runs, ${isOther}) OVER () AS other_runs, sumIf(cost, ${isOther}) OVER () AS other_cost,
maxIf(computed, ${isOther}) OVER () AS other_computed
FROM (SELECT *, row_number() OVER (ORDER BY ${RANKS[order]} DESC, value) AS place
FROM (SELECT value, runs, errors, tokens_in, tokens_out, cost, computed, ${PERCENTILES}
FROM (SELECT ${value} AS value, ${FIGURES} ${matching} GROUP BY value ${wanted}))))
WHERE NOT (${isOther}) ORDER BY place SETTINGS ${EACH_DAY}`,
    { ...condition.parameters, contains: contains.toLowerCase().toWellFormed() },
    signal,
  );
  const scores = await database.rows<ScoreRow>(
    `SELECT value, scored.1 AS type, sum(scored.2) / count() AS mean, count() AS scores
FROM (SELECT ${value} AS value, first_arrival, arrayJoin(arrayZip(score_types, score_values, arrayEnumerate(score_types))) AS scored
${matching} AND notEmpty(score_types)) WHERE value IN {shown:Array(String)}
GROUP BY value, type ORDER BY max((first_arrival, -toInt64(scored.3))) DESC LIMIT ${MAX_SCORE_TYPES} BY value SETTINGS ${EACH_DAY}`,
    { ...condition.parameters, shown: rows.map((row) => row.value) },
    signal,
  );
  const [first] = rows;
  const isAll = first === undefined || first.other_groups === 0;
  return {
    groups: rows.map((row) =>
      groupOf(
        row,
        scores.filter((score) => score.value === row.value),
      ),
    ),
    other: isAll
      ? null
      : {
          groups: first.other_groups,
          runs: first.other_runs,
          cost_usd: first.other_cost,
          cost_source: costSourceOf(first.other_cost, first.other_computed === 1),
        },
  };
}

function groupOf(row: GroupRow, scores: readonly ScoreRow[]): TraceGroup {
  const { runs, cost } = row;
  return {
    value: row.value === NO_VALUE ? null : row.value,
    runs,
    error_ratio: row.errors / runs,
    p50_ms: row.p50,
    p95_ms: row.p95,
    ttft_p50_ms: row.ttft,
    tokens_input: row.tokens_in,
    tokens_output: row.tokens_out,
    cost_usd: cost,
    cost_per_run_usd: cost / runs,
    cost_source: costSourceOf(cost, row.computed === 1),
    scores: scores.map(({ type, mean, scores: count }) => ({ type, mean, count })),
  };
}

/** Nearest rank. */
function percentile(ranked: string, quantile: number): string {
  return `${ranked}[greatest(1, toUInt64(ceil(${quantile} * length(${ranked}))))]`;
}
