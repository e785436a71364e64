import type { TraceFilter } from "../../../api-schema/trace.js";
import { appendAll } from "../../../runtime/append-all.js";
import { ABANDONED } from "../../traces/summary-fields.js";
import { requireTimestamp } from "../../../span/required-timestamp.js";
import type { SqlValue } from "../driver/sqlite-driver.js";
import { sqlOfConditions, type SqlCondition } from "./condition-sql.js";
import type { TraceConditions } from "../../traces/trace-conditions.js";
import type { TraceTables } from "./trace-tables.js";
import type { LabelField, ValueSets } from "./value-sets.js";

/** Filter parameters that are labels of a value set. */
const LABEL_PARAMETERS = [
  "tenant",
  "status",
  "service",
  "env",
  "agent",
  "model",
  "span_type",
] as const satisfies readonly (LabelField & keyof TraceFilter)[];

/** Changes by the passing of time that the file does not have yet. */
export interface PendingChanges {
  /** Traces whose last span arrived until then are expired. */
  readonly expiredMs: number | undefined;
  /** Running traces whose last update was long enough before then are abandoned. */
  readonly abandonedMs: number | undefined;
}

/** The plus keeps SQLite from collecting all traces of the sets before it sorts them: most lists end after a page. */
const HAS_LABEL = "+t.value_set IN (SELECT value_set FROM value_set_label WHERE label = ?)";

/** No condition. */
export const ALL: SqlCondition = { sql: "1", parameters: [] };

/**
 * Translates all filter parameters except `q`, and all conditions except those on the JSON of spans. Undefined if no trace can
 * match.
 *
 * @throws ApiError `invalid_query` if a time cannot be parsed.
 */
export function conditionOf(
  filter: TraceFilter,
  conditions: TraceConditions,
  tables: TraceTables,
  valueSets: ValueSets,
  { expiredMs, abandonedMs }: PendingChanges,
): SqlCondition | undefined {
  const since = requireTimestamp(filter.since, "since");
  const until = requireTimestamp(filter.until, "until");
  const parts: string[] = [];
  const parameters: SqlValue[] = [];
  const add = (sql: string, ...values: SqlValue[]): void => {
    parts.push(sql);
    appendAll(parameters, values);
  };

  for (const [field, value] of labelsOf(filter)) {
    const label = valueSets.labelId(field, value);
    const isStatus = field === "status" && abandonedMs !== undefined;
    if (isStatus && value === ABANDONED)
      add(`(${HAS_LABEL} OR t.running_until_ms <= ?)`, label ?? null, abandonedMs);
    else if (label === undefined) return undefined;
    else if (isStatus)
      add(`${HAS_LABEL} AND (t.running_until_ms IS NULL OR t.running_until_ms > ?)`, label, abandonedMs);
    else add(HAS_LABEL, label);
  }
  if (expiredMs !== undefined) add("t.last_ms > ?", expiredMs);
  if (filter.trace_id !== undefined) {
    const sequences = tables.ofEveryTenant(filter.trace_id).map(({ sequence }) => sequence);
    if (sequences.length === 0) return undefined;
    add("t.seq IN (SELECT value FROM json_each(?))", JSON.stringify(sequences));
  }
  if (filter.root_name !== undefined) add("t.root_hash = ?", tables.rootHash(filter.root_name));
  if (filter.min_duration_ms !== undefined) add("t.duration_ms >= ?", filter.min_duration_ms);
  // Whole milliseconds need no nanoseconds, which the index for facets and histograms does not have.
  if (since?.nanos === 0) add("t.start_ms >= ?", since.epochMs);
  else if (since !== undefined)
    add(
      "(t.start_ms > ? OR (t.start_ms = ? AND t.start_ns >= ?))",
      since.epochMs,
      since.epochMs,
      since.nanos,
    );
  if (until?.nanos === 0) add("t.start_ms < ?", until.epochMs);
  else if (until !== undefined)
    add("(t.start_ms < ? OR (t.start_ms = ? AND t.start_ns < ?))", until.epochMs, until.epochMs, until.nanos);
  for (const condition of sqlOfConditions(conditions, { tables, valueSets, abandonedMs }))
    add(condition.sql, ...condition.parameters);
  return parts.length === 0 ? ALL : { sql: parts.join(" AND "), parameters };
}

function labelsOf(filter: TraceFilter): (readonly [field: LabelField, value: string])[] {
  const labels = LABEL_PARAMETERS.flatMap((field) => {
    const value = filter[field];
    return value === undefined ? [] : [[field, value] as const];
  });
  const evaluation = filter.has_evaluation;
  if (evaluation === undefined) return labels;
  const isFlag = evaluation === "true" || evaluation === "false";
  return [...labels, [isFlag ? "evaluation" : "evaluation_type", evaluation]];
}

/** Both conditions. */
export function both(a: SqlCondition, b: SqlCondition): SqlCondition {
  return { sql: `${a.sql} AND ${b.sql}`, parameters: [...a.parameters, ...b.parameters] };
}
