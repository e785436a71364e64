import type { TraceFilter } from "../contract/trace.js";
import { requireTimestamp } from "../span/required-timestamp.js";
import type { Instant } from "../span/timestamp.js";
import type { TraceFacts, TraceIndex } from "./trace-facts.js";
import type { TraceRecord } from "./trace-record.js";
import type { TraceValues, ValueField } from "./trace-values.js";

/** The filter parameters that are the name of a value. */
const VALUE_PARAMETERS = [
  "service",
  "env",
  "agent",
  "model",
  "span_type",
] as const satisfies readonly ValueField[];

/** A filter over what is known of a trace without its text; `q` and `trace_id` are not its part. */
export class TraceValueFilter {
  readonly #filter: TraceFilter;
  readonly #since: Instant | undefined;
  readonly #until: Instant | undefined;
  readonly #wanted: readonly { readonly field: ValueField; readonly value: string }[];
  /** Traces share their values, so that each is looked at once. */
  readonly #known = new Map<TraceValues, boolean>();

  /** @throws `ApiError` `invalid_query` where a time cannot be read. */
  constructor(filter: TraceFilter) {
    this.#filter = filter;
    this.#since = requireTimestamp(filter.since, "since");
    this.#until = requireTimestamp(filter.until, "until");
    const given = VALUE_PARAMETERS.flatMap((field) => {
      const value = filter[field];
      return value === undefined ? [] : [{ field, value }];
    });
    const evaluation = filter.has_evaluation;
    const isType = evaluation !== undefined && evaluation !== "true" && evaluation !== "false";
    this.#wanted = isType ? [...given, { field: "evaluation_type", value: evaluation }] : given;
  }

  matches(trace: TraceRecord, index: TraceIndex, nowMs: number): boolean {
    const { tenant, status, min_duration_ms: minDurationMs, has_evaluation: evaluation } = this.#filter;
    if (tenant !== undefined && trace.tenant !== tenant) return false;
    const facts = index.of(trace, nowMs);
    if (status !== undefined && facts.status !== status) return false;
    if (minDurationMs !== undefined && facts.durationMs < minDurationMs) return false;
    if (evaluation === "true" && !facts.hasEvaluation) return false;
    if (evaluation === "false" && facts.hasEvaluation) return false;
    if (this.#since !== undefined && startsBefore(facts, this.#since)) return false;
    if (this.#until !== undefined && !startsBefore(facts, this.#until)) return false;
    if (!this.#matchesValues(facts.values)) return false;
    const { root_name: rootName } = this.#filter;
    return rootName === undefined || index.rootNameOf(trace, nowMs) === rootName;
  }

  #matchesValues(values: TraceValues): boolean {
    if (this.#wanted.length === 0) return true;
    let matches = this.#known.get(values);
    if (matches === undefined) {
      matches = this.#wanted.every(({ field, value }) => values[field].includes(value));
      this.#known.set(values, matches);
    }
    return matches;
  }
}

function startsBefore(facts: TraceFacts, { epochMs, nanos }: Instant): boolean {
  return facts.startEpochMs < epochMs || (facts.startEpochMs === epochMs && facts.startNanos < nanos);
}
