import { hashSpan } from "../../hashing/span-hashes.js";
import type { Hash64 } from "../../hashing/seeded-hash.js";
import type { ErrorCategory } from "../../span/error-category.js";
import type { Score, SpanDigest } from "../traces/span-digest.js";
import { isChildCall } from "../traces/span-flags.js";
import type { SpanLabels, SpanLabelTable } from "../traces/span-labels.js";
import type { SpanRows, TraceHead } from "../traces/span-rows.js";
import { FLAG, FLOAT, NO_ROW, type FloatField } from "../traces/span-table.js";
import type { FactRow } from "./span-row.js";

/** The rows of one trace, as the code that sums up a trace reads them: its spans in order of arrival, then its evaluations. */
export class FactRows implements SpanRows {
  readonly spanCount: number;
  readonly evaluationCount: number;
  readonly #rows: readonly FactRow[];
  readonly #flags: number[];
  readonly #labels: readonly SpanLabels[];
  /** Ids of the spans with a model call inside. */
  readonly #wrappers: ReadonlySet<string>;
  readonly #trace: Hash64;

  /** @param rows - of one trace, each span once. */
  constructor(rows: readonly FactRow[], trace: Hash64, labels: SpanLabelTable) {
    const sorted = rows.toSorted((a, b) => a.arrival - b.arrival || (a.span_id < b.span_id ? -1 : 1));
    const spans = sorted.filter((row) => !isEvaluation(row));
    this.spanCount = spans.length;
    this.evaluationCount = rows.length - spans.length;
    this.#rows = [...spans, ...sorted.filter(isEvaluation)];
    this.#flags = this.#rows.map(({ flags }) => flags);
    this.#labels = this.#rows.map((row) => labelsOf(row, labels));
    this.#wrappers = new Set(
      spans.filter(({ flags }) => isChildCall(flags)).map(({ parent_span_id }) => parent_span_id),
    );
    this.#trace = trace;
  }

  /** The row at a place. */
  at(row: number): FactRow {
    const found = this.#rows[row];
    if (found === undefined) throw new RangeError(`A trace has no row ${row}.`);
    return found;
  }

  next(row: number): number {
    const next = row + 1;
    return next === this.spanCount || next === this.#rows.length ? NO_ROW : next;
  }

  id(row: number): Hash64 {
    return hashSpan(this.#trace, this.at(row).span_id);
  }

  flags(row: number): number {
    return this.#flags[row] ?? 0;
  }

  float(row: number, field: FloatField): number {
    return floatOf(this.at(row), field) ?? Number.NaN;
  }

  startNanos(row: number): number {
    return this.at(row).start_nanos;
  }

  labels(row: number): SpanLabels {
    return this.#labels[row] as SpanLabels;
  }

  digest(row: number): SpanDigest {
    const { name, input_preview, output_preview, score } = this.at(row);
    return {
      name,
      input: input_preview,
      output: output_preview,
      score: score === "" ? null : (JSON.parse(score) as Score),
    };
  }

  compareStart(a: number, b: number): number {
    return compareStart(this.at(a), this.at(b));
  }

  countsUsage(_trace: TraceHead, row: number): boolean {
    const flags = this.flags(row);
    if ((flags & FLAG.countsUsage) === 0) return false;
    if ((flags & FLAG.llm) === 0) return true;
    return (flags & FLAG.wrapper) === 0 && !this.#wrappers.has(this.at(row).span_id);
  }

  markParentAsWrapper(): void {
    // A call outside the span cap is among the rows, so that its parent is known.
  }
}

/** Evaluations are apart from the other spans of their trace. */
export function isEvaluation({ span_type }: Pick<FactRow, "span_type">): boolean {
  return span_type === "evaluation";
}

/** Orders spans of a trace by start, ties by arrival. */
export function compareStart(
  a: Pick<FactRow, "start_ms" | "start_nanos" | "arrival">,
  b: Pick<FactRow, "start_ms" | "start_nanos" | "arrival">,
): number {
  return a.start_ms - b.start_ms || a.start_nanos - b.start_nanos || a.arrival - b.arrival;
}

function floatOf(row: FactRow, field: FloatField): number | null {
  switch (field) {
    case FLOAT.startEpochMs:
      return row.start_ms;
    case FLOAT.durationMs:
      return row.duration_ms;
    case FLOAT.receivedAtMs:
    // All collectors have this clock.
    case FLOAT.seenAtMs:
      return row.received_ms;
    case FLOAT.tokensInput:
      return row.tokens_input;
    case FLOAT.tokensOutput:
      return row.tokens_output;
    case FLOAT.costUsd:
      return row.cost_usd;
    case FLOAT.ttftMs:
      return row.ttft_ms;
  }
}

function labelsOf(row: FactRow, table: SpanLabelTable): SpanLabels {
  const id = table.acquire(
    { service: row.service, env: row.env, version: row.app_version ?? undefined },
    {
      model: row.model,
      provider: row.provider,
      agent: row.agent,
      toolName: row.tool_name,
      promptName: row.prompt_name,
      promptVersion: row.prompt_version,
      spanType: row.span_type,
      status: row.status,
      errorCategory: row.error_type as ErrorCategory | "",
      evaluationType: row.evaluation_type,
    },
  );
  return table.get(id);
}
