import type { SessionCondition } from "../../../api-schema/query/conditions.js";
import type { TraceFilter } from "../../../api-schema/trace.js";
import type { SessionMark } from "../../../api-schema/query/query-keys.js";
import { COST_DIGITS, QUERIES } from "../../sessions/session-filter.js";
import { anyOf, rangeSql, type SqlCondition } from "./condition-sql.js";
import { both } from "./query-sql.js";

/** The condition of a filter on rows `t`; undefined if no trace can match. */
type Matching = (filter: TraceFilter) => Promise<SqlCondition | undefined>;

const COLUMNS = { turns: "count(*)", session_cost: `round(total(t.cost_usd), ${COST_DIGITS})` } as const;

/** The conditions on a group of rows `t`, which are the traces of a session; undefined without any. */
export async function sessionSql(
  conditions: readonly SessionCondition[],
  matching: Matching,
): Promise<SqlCondition | undefined> {
  let all: SqlCondition | undefined;
  for (const condition of conditions) {
    const { sql, parameters } = await oneSql(condition, matching);
    const each = { sql: condition.isNegated ? `NOT ${sql}` : sql, parameters };
    all = all === undefined ? each : both(all, each);
  }
  return all;
}

async function oneSql(condition: SessionCondition, matching: Matching): Promise<SqlCondition> {
  if (condition.kind === "session_number")
    return anyOf(condition.ranges.map((range) => rangeSql(COLUMNS[condition.key], range)));
  const marks: SqlCondition[] = [];
  for (const value of condition.values) marks.push(await markSql(value, matching));
  return anyOf(marks);
}

/** The condition that a trace of the session has a mark, or that none has. */
async function markSql(value: SessionMark, matching: Matching): Promise<SqlCondition> {
  const { query, isAbsent } = QUERIES[value];
  const found = (await matching({ query })) ?? { sql: "0", parameters: [] };
  return { sql: `max(coalesce(${found.sql}, 0)) = ${isAbsent ? 0 : 1}`, parameters: found.parameters };
}
