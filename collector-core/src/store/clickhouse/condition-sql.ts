import type { LabelCondition, NumberCondition, ScoreCondition } from "../../api-schema/query/conditions.js";
import type { NumberKey } from "../../api-schema/query/query-keys.js";
import type { NumberRange } from "../../api-schema/query/query-values.js";
import type { TraceFilter } from "../../api-schema/trace.js";
import { requireTimestamp } from "../../span/required-timestamp.js";
import type { Instant } from "../../span/timestamp.js";
import {
  fieldsOf,
  VALUE_PARAMETERS,
  valuesOf,
  type StartCondition,
  type TraceConditions,
} from "../traces/trace-conditions.js";
import { STATUS, VALUE_COLUMNS } from "./schema.js";
import type { SqlParameters } from "./sql-parameters.js";

/** Filter parameters that compare a column. */
const COLUMN_PARAMETERS = {
  trace_id: "trace_id",
  tenant: "tenant",
  root_name: "root_name",
} as const satisfies Partial<Record<keyof TraceFilter, string>>;

const NUMBER_COLUMNS: Readonly<Record<NumberKey, string>> = {
  duration: "duration_ms",
  ttft: "ttft_ms",
  tokens: "(tokens_input + tokens_output)",
  tokens_in: "tokens_input",
  tokens_out: "tokens_output",
  cost: "cost_usd",
};

const NEVER = "0";

/**
 * Translates a filter into conditions on rows of `traces`, except those on the JSON of spans. They need `timeParameters` too.
 *
 * @throws `ApiError` `invalid_query` if a time cannot be parsed.
 */
export function conditionsOf(
  filter: TraceFilter,
  conditions: TraceConditions,
  parameters: SqlParameters,
): readonly string[] {
  return [
    ...parameterConditions(filter, parameters),
    ...conditions.values.map((each) => negated(valueSql(each, parameters), each)),
    ...conditions.names.map((each) => negated(nameSql(each, parameters), each)),
    ...conditions.numbers.map((each) => negated(numberSql(each, parameters), each)),
    ...conditions.starts.map((each) => negated(startSql(each, parameters), each)),
    ...conditions.scores.map((each) => negated(scoreSql(each, parameters), each)),
  ];
}

function parameterConditions(filter: TraceFilter, parameters: SqlParameters): string[] {
  const found: string[] = [];
  for (const field of VALUE_PARAMETERS) {
    const value = filter[field];
    if (value !== undefined) found.push(`has(${VALUE_COLUMNS[field]}, ${parameters.text(value)})`);
  }
  for (const [key, column] of Object.entries(COLUMN_PARAMETERS)) {
    const value = filter[key as keyof typeof COLUMN_PARAMETERS];
    if (value !== undefined) found.push(`${column} = ${parameters.text(value)}`);
  }
  if (filter.status !== undefined) found.push(`${STATUS} = ${parameters.text(filter.status)}`);
  if (filter.min_duration_ms !== undefined)
    found.push(`duration_ms >= ${parameters.number(filter.min_duration_ms)}`);
  const evaluation = filter.has_evaluation;
  if (evaluation === "true" || evaluation === "false") found.push(`has_evaluation = ${evaluation}`);
  else if (evaluation !== undefined)
    found.push(`has(${VALUE_COLUMNS.evaluation_type}, ${parameters.text(evaluation)})`);
  const since = requireTimestamp(filter.since, "since");
  const until = requireTimestamp(filter.until, "until");
  if (since !== undefined) found.push(timeSql(since, ">=", parameters));
  if (until !== undefined) found.push(timeSql(until, "<", parameters));
  return found;
}

/** A comparison with NULL is not true, and neither is its negation. */
function negated(sql: string, { isNegated }: { readonly isNegated: boolean }): string {
  return isNegated ? `NOT ifNull(${sql}, 0)` : `(${sql})`;
}

function valueSql(condition: LabelCondition, parameters: SqlParameters): string {
  const { key } = condition;
  const values = valuesOf(condition);
  if (key === "status") return `${STATUS} IN ${parameters.texts(values)}`;
  if (key === "tenant") return `tenant IN ${parameters.texts(values)}`;
  const wanted = parameters.texts(values);
  const found = fieldsOf(key).map((field) => `hasAny(${VALUE_COLUMNS[field]}, ${wanted})`);
  if (key === "has_evaluation") {
    for (const answer of ["true", "false"])
      if (values.includes(answer)) found.push(`has_evaluation = ${answer}`);
  }
  return anyOf(found);
}

function nameSql({ key, values }: LabelCondition, parameters: SqlParameters): string {
  const column =
    key === "session" ? "session_id" : key === "user" ? "user_id" : key === "name" ? "root_name" : "trace_id";
  return `${column} IN ${parameters.texts(values)}`;
}

function numberSql({ key, ranges }: NumberCondition, parameters: SqlParameters): string {
  return anyOf(ranges.map((range) => rangeSql(NUMBER_COLUMNS[key], range, parameters)));
}

/** The condition that an expression is in a range. */
export function rangeSql(
  column: string,
  { min, max, isAboveMin, isBelowMax }: NumberRange,
  parameters: SqlParameters,
): string {
  return allOf([
    `isNotNull(${column})`,
    ...(min === Number.NEGATIVE_INFINITY
      ? []
      : [`${column} ${isAboveMin ? ">" : ">="} ${parameters.number(min)}`]),
    ...(max === Number.POSITIVE_INFINITY
      ? []
      : [`${column} ${isBelowMax ? "<" : "<="} ${parameters.number(max)}`]),
  ]);
}

function startSql({ ranges }: StartCondition, parameters: SqlParameters): string {
  return anyOf(
    ranges.map(({ min, max, isAboveMin, isBelowMax }) =>
      allOf([
        ...(min === undefined ? [] : [timeSql(min, isAboveMin ? ">" : ">=", parameters)]),
        ...(max === undefined ? [] : [timeSql(max, isBelowMax ? "<" : "<=", parameters)]),
      ]),
    ),
  );
}

/** Compares the start to the nanosecond. */
function timeSql(
  { epochMs, nanos }: Instant,
  operator: ">" | ">=" | "<" | "<=",
  parameters: SqlParameters,
): string {
  const ms = parameters.integer(epochMs);
  return `(start_ms ${operator.charAt(0)} ${ms} OR (start_ms = ${ms} AND start_nanos ${operator} ${parameters.integer(nanos)}))`;
}

function scoreSql({ tests }: ScoreCondition, parameters: SqlParameters): string {
  const found = tests.map(({ type, range }) =>
    allOf([
      ...(type === undefined ? [] : [`type = ${parameters.text(type)}`]),
      ...(range === undefined ? [] : [rangeSql("score", range, parameters)]),
    ]),
  );
  return `arrayExists((type, score) -> ${anyOf(found)}, score_types, score_values)`;
}

export function anyOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? NEVER : `(${conditions.join(" OR ")})`;
}

export function allOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? "1" : `(${conditions.join(" AND ")})`;
}
