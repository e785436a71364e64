import { FEEDBACK_TYPE } from "../../api-schema/evaluation-types.js";
import type { SessionCondition } from "../../api-schema/query/conditions.js";
import { COST_DIGITS } from "../sessions/session-filter.js";
import type { SessionMark } from "../../api-schema/query/query-keys.js";
import { UP_FROM } from "../sessions/session-totals.js";
import { allOf, anyOf, rangeSql } from "./condition-sql.js";
import { STATUS, VALUE_COLUMNS } from "./schema.js";
import { SqlParameters, type SqlCondition } from "./sql-parameters.js";

/** The cost is summed up as decimals: a sum of floats depends on the order in which ClickHouse reads them. */
const COLUMNS = {
  turns: "count()",
  session_cost: `round(toFloat64(sum(toDecimal128(cost_usd, 12))), ${COST_DIGITS})`,
} as const;

const RUNNING = `countIf(${STATUS} = 'RUNNING')`;
const thumbs = (scores: string): string =>
  `countIf(arrayExists((type, score) -> type = '${FEEDBACK_TYPE}' AND ${scores}, score_types, score_values))`;

const MARKS: Readonly<Record<SessionMark, string>> = {
  running: `${RUNNING} > 0`,
  idle: `${RUNNING} = 0`,
  failed: `countIf(has(${VALUE_COLUMNS.has}, 'error')) > 0`,
  up: `${thumbs(`score >= ${UP_FROM}`)} > 0`,
  down: `${thumbs(`score < ${UP_FROM}`)} > 0`,
  none: `${thumbs("1")} = 0`,
};

/** The conditions on a group of rows of `traces`, which are those of a session. They need `timeParameters` too. */
export function sessionSql(conditions: readonly SessionCondition[]): SqlCondition {
  const parameters = new SqlParameters("s");
  const parts = conditions.map((condition) => {
    const sql =
      condition.kind === "session_number"
        ? anyOf(condition.ranges.map((range) => rangeSql(COLUMNS[condition.key], range, parameters)))
        : anyOf(condition.values.map((value) => `(${MARKS[value]})`));
    return condition.isNegated ? `NOT ${sql}` : sql;
  });
  return { sql: allOf(parts), parameters: parameters.values };
}
