import { invalidQuery } from "../../api-schema/errors.js";
import type {
  Condition,
  LabelCondition,
  NumberCondition,
  ScoreCondition,
  TimeCondition,
} from "../../api-schema/query/conditions.js";
import { requireQuery } from "../../api-schema/query/parse-query.js";
import { isInRanges, type QueryTime } from "../../api-schema/query/query-values.js";
import type { TraceFilter } from "../../api-schema/trace.js";
import { fromEpochMs, parseTimestamp, type Instant } from "../../span/timestamp.js";
import { AttributePredicate } from "../memory/search/attribute-predicate.js";
import type { SpanSearch } from "../memory/search/span-predicate.js";
import { SpanText } from "../memory/search/span-text.js";
import type { Score } from "./span-digest.js";
import type { TraceValues, ValueField } from "./trace-values.js";

/** The filter parameters that compare one value of a list of values. */
export const VALUE_PARAMETERS = [
  "service",
  "env",
  "agent",
  "model",
  "span_type",
] as const satisfies readonly (ValueField & keyof TraceFilter)[];

/** The parameters that are one value of a key of the language. */
const PARAMETERS = [
  "session",
  "user",
  "tool",
  "provider",
  "version",
  "error_type",
  "prompt",
  "prompt_version",
] as const satisfies readonly (LabelCondition["key"] & keyof TraceFilter)[];

/** Starts from one time to another. */
export interface StartRange {
  readonly min: Instant | undefined;
  readonly max: Instant | undefined;
  readonly isAboveMin: boolean;
  readonly isBelowMax: boolean;
}

/** The start of a trace in one of several ranges, as times. */
export interface StartCondition {
  readonly isNegated: boolean;
  readonly ranges: readonly StartRange[];
}

/** What `query`, `q` and the parameters that the language has too ask of a trace, by how it is answered. */
export interface TraceConditions {
  /** Conditions on {@link TraceValues}. */
  readonly values: readonly LabelCondition[];
  /** Conditions on session, user, root name and trace id. */
  readonly names: readonly LabelCondition[];
  readonly numbers: readonly NumberCondition[];
  readonly starts: readonly StartCondition[];
  readonly scores: readonly ScoreCondition[];
  /** Conditions on the JSON of spans, those that exclude most traces first. */
  readonly searches: readonly SpanSearch[];
}

/** Labels that are not in {@link TraceValues}: nearly every trace has others. */
const NAMES: ReadonlySet<LabelCondition["key"]> = new Set(["session", "user", "name", "trace_id"]);

/**
 * Reads the conditions of a filter.
 *
 * @param nowMs - wall clock, for times before now.
 * @throws `ApiError` `invalid_query` if the query has an unknown key or a bad value.
 */
export function readConditions(filter: TraceFilter, nowMs: number): TraceConditions {
  const conditions: Condition[] = filter.query === undefined ? [] : [...requireQuery(filter.query)];
  for (const key of PARAMETERS) {
    const value = filter[key];
    if (value !== undefined)
      conditions.push({ kind: "label", key, values: [value], isNegated: false, position: 0 });
  }
  const labels = conditions.filter((each) => each.kind === "label");
  return {
    values: labels.filter(({ key }) => !NAMES.has(key)),
    names: labels.filter(({ key }) => NAMES.has(key)),
    numbers: conditions.filter((each) => each.kind === "number"),
    starts: conditions.filter((each) => each.kind === "time").map((each) => resolve(each, nowMs)),
    scores: conditions.filter((each) => each.kind === "score"),
    searches: searchesOf(filter, conditions),
  };
}

/** True if the JSON of spans must be read. */
export function needsSearch(filter: TraceFilter): boolean {
  if (filter.q !== undefined) return true;
  return filter.query !== undefined && searchesOf({}, requireQuery(filter.query)).length > 0;
}

function searchesOf({ q }: Pick<TraceFilter, "q">, conditions: readonly Condition[]): SpanSearch[] {
  const searches: SpanSearch[] = q === undefined ? [] : [{ predicate: new SpanText(q), isNegated: false }];
  for (const condition of conditions) {
    const { isNegated } = condition;
    if (condition.kind === "text") searches.push({ predicate: new SpanText(condition.text), isNegated });
    else if (condition.kind === "attribute")
      searches.push({ predicate: new AttributePredicate(condition), isNegated });
  }
  return searches.toSorted((a, b) => selectivity(b) - selectivity(a));
}

/** A longer text excludes no more. */
const MAX_LENGTH = 64;

/** Long texts are rare, and few traces lack a text. */
function selectivity({ predicate, isNegated }: SpanSearch): number {
  if (isNegated) return 0;
  return predicate.signed.reduce(
    (sum, { folded }) => sum + folded.reduce((min, { length }) => Math.min(min, length), MAX_LENGTH),
    1,
  );
}

function resolve({ ranges, isNegated, position }: TimeCondition, nowMs: number): StartCondition {
  const at = (time: QueryTime | undefined): Instant | undefined => {
    if (time === undefined) return undefined;
    const instant =
      "agoMs" in time
        ? (fromEpochMs(Math.max(0, nowMs - time.agoMs)) ?? { epochMs: 0, nanos: 0 })
        : parseTimestamp(/^\d+$/.test(time.text) ? Number(time.text) : time.text);
    if (instant !== undefined) return instant;
    const details = { field: "query", key: "start", position };
    throw invalidQuery("start must be a time from 1970 to 9999", details);
  };
  const resolved = ranges.map(({ min, max, isAboveMin, isBelowMax }) => {
    return { min: at(min), max: at(max), isAboveMin, isBelowMax };
  });
  return { isNegated, ranges: resolved };
}

/** The fields of {@link TraceValues} that a key compares. */
export function fieldsOf(key: LabelCondition["key"]): readonly ValueField[] {
  switch (key) {
    case "type":
      return ["span_type"];
    case "prompt":
      return ["prompt", "prompt_name"];
    case "tool_output":
      return ["has"];
    case "has_evaluation":
      return ["evaluation_type"];
    case "service":
    case "env":
    case "version":
    case "agent":
    case "model":
    case "provider":
    case "tool":
    case "error_type":
    case "prompt_version":
    case "has":
      return [key];
    case "name":
    case "session":
    case "status":
    case "tenant":
    case "trace_id":
    case "user":
      return [];
  }
}

/** The values of a condition as {@link TraceValues} has them. */
export function valuesOf({ key, values }: LabelCondition): readonly string[] {
  return key === "tool_output" ? values.map((value) => `${value}_tool_output`) : values;
}

/** Whether a trace has the values of a condition. */
export function hasValues(trace: TraceValues, condition: LabelCondition): boolean {
  const { key, isNegated } = condition;
  const values = valuesOf(condition);
  const isMet =
    key === "tenant" || key === "status"
      ? values.includes(trace[key])
      : fieldsOf(key).some((field) => values.some((value) => trace[field].includes(value))) ||
        (key === "has_evaluation" && values.includes(String(trace.hasEvaluation)));
  return isMet !== isNegated;
}

/** Whether a figure meets a condition. NaN is in no range. */
export function isNumber(value: number, { ranges, isNegated }: NumberCondition): boolean {
  return isInRanges(value, ranges) !== isNegated;
}

/** Whether a start is in the ranges. @param compare - the start with a time: negative if it is before. */
export function isStart(compare: (time: Instant) => number, { ranges, isNegated }: StartCondition): boolean {
  const isMet = ranges.some(({ min, max, isAboveMin, isBelowMax }) => {
    if (min !== undefined && compare(min) < (isAboveMin ? Number.MIN_VALUE : 0)) return false;
    return max === undefined || (isBelowMax ? compare(max) < 0 : compare(max) <= 0);
  });
  return isMet !== isNegated;
}

/** Whether one of the scores meets a condition. */
export function hasScore(
  scores: readonly Pick<Score, "type" | "score">[],
  { tests, isNegated }: ScoreCondition,
): boolean {
  const isMet = tests.some(({ type, range }) =>
    scores.some(
      (each) =>
        (type === undefined || each.type === type) &&
        (range === undefined || isInRanges(each.score, [range])),
    ),
  );
  return isMet !== isNegated;
}
