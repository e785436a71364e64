import type { NumberKey } from "../../../api-schema/query/query-keys.js";
import type { TraceFilter } from "../../../api-schema/trace.js";
import { requireTimestamp } from "../../../span/required-timestamp.js";
import type { Instant } from "../../../span/timestamp.js";
import {
  hasValues,
  isNumber,
  isStart,
  VALUE_PARAMETERS,
  type TraceConditions,
} from "../../traces/trace-conditions.js";
import type { TraceBlock } from "../index/trace-block.js";
import type { TraceValues, ValueField } from "../../traces/trace-values.js";

/** Reads the figures of the language. */
const FIGURES: Readonly<Record<NumberKey, (block: TraceBlock, slot: number) => number>> = {
  duration: (block, slot) => block.durationMs(slot),
  ttft: (block, slot) => block.ttftMs(slot),
  tokens: (block, slot) => block.tokensInput(slot) + block.tokensOutput(slot),
  tokens_in: (block, slot) => block.tokensInput(slot),
  tokens_out: (block, slot) => block.tokensOutput(slot),
  cost: (block, slot) => block.costUsd(slot),
};

/** Filters traces by their cached facts: by all that needs neither the texts of spans nor those of the trace. */
export class TraceValueFilter {
  readonly #filter: TraceFilter;
  readonly #conditions: TraceConditions;
  readonly #since: Instant | undefined;
  readonly #until: Instant | undefined;
  readonly #wanted: readonly { readonly field: ValueField; readonly value: string }[];
  /** Results by values, which many traces share. */
  readonly #results = new Map<TraceValues, boolean>();

  /** @throws `ApiError` `invalid_query` if a time cannot be parsed. */
  constructor(filter: TraceFilter, conditions: TraceConditions) {
    this.#filter = filter;
    this.#conditions = conditions;
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

  /** Whether the trace at a slot matches; its facts must be cached. */
  matches(block: TraceBlock, slot: number): boolean {
    const values = block.values(slot);
    let matches = this.#results.get(values);
    if (matches === undefined) {
      matches = this.#matchesValues(values);
      this.#results.set(values, matches);
    }
    if (!matches) return false;
    const { min_duration_ms: minDurationMs } = this.#filter;
    if (minDurationMs !== undefined && block.durationMs(slot) < minDurationMs) return false;
    if (this.#since !== undefined && block.startsBefore(slot, this.#since)) return false;
    if (this.#until !== undefined && !block.startsBefore(slot, this.#until)) return false;
    const { numbers, starts } = this.#conditions;
    return (
      numbers.every((condition) => isNumber(FIGURES[condition.key](block, slot), condition)) &&
      starts.every((condition) => isStart((time) => block.compareStart(slot, time), condition))
    );
  }

  #matchesValues(values: TraceValues): boolean {
    const { tenant, status, has_evaluation: evaluation } = this.#filter;
    if (tenant !== undefined && values.tenant !== tenant) return false;
    if (status !== undefined && values.status !== status) return false;
    if (evaluation === "true" && !values.hasEvaluation) return false;
    if (evaluation === "false" && values.hasEvaluation) return false;
    return (
      this.#wanted.every(({ field, value }) => values[field].includes(value)) &&
      this.#conditions.values.every((condition) => hasValues(values, condition))
    );
  }
}
