import type {
  LabelCondition,
  NumberCondition,
  ScoreCondition,
} from "../../../api-schema/query/conditions.js";
import type { NumberKey } from "../../../api-schema/query/query-keys.js";
import type { NumberRange } from "../../../api-schema/query/query-values.js";
import type { Instant } from "../../../span/timestamp.js";
import {
  fieldsOf,
  valuesOf,
  type StartCondition,
  type TraceConditions,
} from "../../traces/trace-conditions.js";
import { ABANDONED, SCORES_INDEX } from "../../traces/summary-fields.js";
import type { SqlValue } from "../driver/sqlite-driver.js";
import type { TraceTables } from "./trace-tables.js";
import type { LabelField, ValueSets } from "./value-sets.js";

/** An expression on rows `t` of the table `trace`, with the values of its parameters. */
export interface SqlCondition {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** What the translation of conditions needs. */
export interface ConditionTables {
  readonly tables: Pick<TraceTables, "rootHash" | "ofEveryTenant">;
  readonly valueSets: Pick<ValueSets, "labelId">;
  /** Running traces whose last update was long enough before then are abandoned. */
  readonly abandonedMs: number | undefined;
}

const NEVER: SqlCondition = { sql: "0", parameters: [] };

const COLUMNS: Readonly<Record<NumberKey, string>> = {
  duration: "t.duration_ms",
  ttft: "t.ttft_ms",
  tokens: "t.tokens_input + t.tokens_output",
  tokens_in: "t.tokens_input",
  tokens_out: "t.tokens_output",
  cost: "t.cost_usd",
};

/** The summary of a row `d`, without its checksum. A summary that is no JSON has no scores. */
const SUMMARY = "rtrim(d.summary, '0123456789abcdefghijklmnopqrstuvwxyz')";
const SCORES =
  `SELECT 1 FROM trace_detail d, json_each(CASE WHEN json_valid(rtrim(${SUMMARY}, '#')) ` +
  `THEN rtrim(${SUMMARY}, '#') ELSE '[]' END, '$[${SCORES_INDEX}]') s WHERE d.seq = t.seq`;

/** Translates all conditions but those on the JSON of spans. */
export function sqlOfConditions(conditions: TraceConditions, tables: ConditionTables): SqlCondition[] {
  return [
    ...conditions.values.map((each) => negated(valueSql(each, tables), each)),
    ...conditions.numbers.map((each) => negated(numberSql(each), each)),
    ...conditions.starts.map((each) => negated(startSql(each), each)),
    ...conditions.names.map((each) => negated(nameSql(each, tables), each)),
    ...conditions.scores.map((each) => negated(scoreSql(each, tables), each)),
  ];
}

/** A comparison with NULL is not true, and neither is its negation. */
function negated(
  { sql, parameters }: SqlCondition,
  { isNegated }: { readonly isNegated: boolean },
): SqlCondition {
  return isNegated ? { sql: `NOT coalesce(${sql}, 0)`, parameters } : { sql: `(${sql})`, parameters };
}

function valueSql(condition: LabelCondition, { valueSets, abandonedMs }: ConditionTables): SqlCondition {
  const fields: LabelField[] = [...fieldsOf(condition.key)];
  if (condition.key === "tenant" || condition.key === "status") fields.push(condition.key);
  if (condition.key === "has_evaluation") fields.push("evaluation");
  const values = valuesOf(condition);
  const found = labelSql(fields, values, valueSets);
  if (condition.key !== "status" || abandonedMs === undefined) return found;
  return {
    sql: `CASE WHEN t.running_until_ms <= ? THEN ${values.includes(ABANDONED) ? 1 : 0} ELSE ${found.sql} END`,
    parameters: [abandonedMs, ...found.parameters],
  };
}

/** The plus keeps SQLite from collecting all traces of the sets before it sorts them: most lists end after a page. */
function labelSql(
  fields: readonly LabelField[],
  values: readonly string[],
  valueSets: Pick<ValueSets, "labelId">,
): SqlCondition {
  const labels = fields.flatMap((field) => values.map((value) => valueSets.labelId(field, value)));
  const known = labels.filter((label) => label !== undefined);
  if (known.length === 0) return NEVER;
  return {
    sql: `+t.value_set IN (SELECT value_set FROM value_set_label WHERE label IN (${known.map(() => "?").join()}))`,
    parameters: known,
  };
}

function numberSql({ key, ranges }: NumberCondition): SqlCondition {
  return anyOf(ranges.map((range) => rangeSql(COLUMNS[key], range)));
}

/** The condition that an expression is in a range. */
export function rangeSql(column: string, { min, max, isAboveMin, isBelowMax }: NumberRange): SqlCondition {
  const parts: string[] = [`${column} IS NOT NULL`];
  const parameters: number[] = [];
  if (min !== Number.NEGATIVE_INFINITY) {
    parts.push(`${column} ${isAboveMin ? ">" : ">="} ?`);
    parameters.push(min);
  }
  if (max !== Number.POSITIVE_INFINITY) {
    parts.push(`${column} ${isBelowMax ? "<" : "<="} ?`);
    parameters.push(max);
  }
  return { sql: parts.join(" AND "), parameters };
}

function startSql({ ranges }: StartCondition): SqlCondition {
  return anyOf(
    ranges.map(({ min, max, isAboveMin, isBelowMax }) =>
      allOf([
        ...(min === undefined ? [] : [timeSql(min, isAboveMin ? ">" : ">=")]),
        ...(max === undefined ? [] : [timeSql(max, isBelowMax ? "<" : "<=")]),
      ]),
    ),
  );
}

/** Compares the start to the nanosecond. */
function timeSql({ epochMs, nanos }: Instant, operator: ">" | ">=" | "<" | "<="): SqlCondition {
  return {
    sql: `(t.start_ms ${operator.charAt(0)} ? OR (t.start_ms = ? AND t.start_ns ${operator} ?))`,
    parameters: [epochMs, epochMs, nanos],
  };
}

function nameSql({ key, values }: LabelCondition, { tables }: ConditionTables): SqlCondition {
  if (key === "name")
    return listSql(
      "t.root_hash",
      values.map((name) => tables.rootHash(name)),
    );
  if (key === "trace_id") {
    const sequences = values.flatMap((id) => tables.ofEveryTenant(id).map(({ sequence }) => sequence));
    return listSql("t.seq", sequences);
  }
  const column = key === "session" ? "session_id" : "user_id";
  const found = listSql(`d.${column}`, values);
  const hasNone = values.includes("");
  // The number of a session is beside the other numbers: the texts need not be read.
  const none = hasNone && key === "session" ? " OR t.session IS NULL" : "";
  const noUser = hasNone && key === "user" ? " OR d.user_id IS NULL" : "";
  return {
    sql: `(t.seq IN (SELECT d.seq FROM trace_detail d WHERE ${found.sql}${noUser})${none})`,
    parameters: found.parameters,
  };
}

function listSql(column: string, values: readonly (string | number)[]): SqlCondition {
  return { sql: `${column} IN (${values.map(() => "?").join()})`, parameters: values };
}

function scoreSql({ tests }: ScoreCondition, { valueSets }: ConditionTables): SqlCondition {
  const found = anyOf(
    tests.map(({ type, range }) =>
      allOf([
        ...(type === undefined ? [] : [{ sql: "json_extract(s.value, '$.type') = ?", parameters: [type] }]),
        ...(range === undefined ? [] : [rangeSql("json_extract(s.value, '$.score')", range)]),
      ]),
    ),
  );
  // Most traces have no score, and their summaries need not be read.
  const scored = labelSql(["has"], ["score"], valueSets);
  return {
    sql: `${scored.sql} AND EXISTS (${SCORES} AND (${found.sql}))`,
    parameters: [...scored.parameters, ...found.parameters],
  };
}

export function anyOf(conditions: readonly SqlCondition[]): SqlCondition {
  if (conditions.length === 0) return NEVER;
  return {
    sql: `(${conditions.map(({ sql }) => `(${sql})`).join(" OR ")})`,
    parameters: conditions.flatMap(({ parameters }) => parameters),
  };
}

function allOf(conditions: readonly SqlCondition[]): SqlCondition {
  if (conditions.length === 0) return { sql: "1", parameters: [] };
  return {
    sql: conditions.map(({ sql }) => sql).join(" AND "),
    parameters: conditions.flatMap(({ parameters }) => parameters),
  };
}
