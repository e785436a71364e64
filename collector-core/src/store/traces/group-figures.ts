import type { TraceGroup } from "../../api-schema/groups.js";
import { finiteSum } from "../../span/finite-sum.js";
import { costSourceOf } from "./cost-source.js";
import type { Score } from "./span-digest.js";

/** Types of scores in a group. */
export const MAX_SCORE_TYPES = 20;

/** The figures of a trace. */
export interface TraceFigures {
  readonly durationMs: number;
  /** NaN if there is none. */
  readonly ttftMs: number;
  readonly tokensInput: number;
  readonly tokensOutput: number;
  readonly costUsd: number;
  /** Whether a collector computed some of it. */
  readonly hasComputedCost: boolean;
  readonly hasError: boolean;
  readonly scores: readonly Pick<Score, "type" | "score">[];
}

/** The sums of the traces of a value. Keeps their durations, so that percentiles are exact. */
export class GroupFigures {
  runs = 0;
  errors = 0;
  tokensInput = 0;
  tokensOutput = 0;
  costUsd = 0;
  hasComputedCost = false;
  #durations: number[] | Float64Array = [];
  #ttfts: number[] | Float64Array = [];
  #scores: Map<string, { sum: number; count: number }> | undefined;

  add(figures: TraceFigures): void {
    const { durationMs, ttftMs, tokensInput, tokensOutput, costUsd, hasError, scores } = figures;
    this.runs++;
    if (hasError) this.errors++;
    this.tokensInput = finiteSum(this.tokensInput, tokensInput);
    this.tokensOutput = finiteSum(this.tokensOutput, tokensOutput);
    this.costUsd = finiteSum(this.costUsd, costUsd);
    if (figures.hasComputedCost) this.hasComputedCost = true;
    (this.#durations as number[]).push(durationMs);
    if (!Number.isNaN(ttftMs)) (this.#ttfts as number[]).push(ttftMs);
    for (const { type, score } of scores) {
      const sums = (this.#scores ??= new Map<string, { sum: number; count: number }>());
      const known = sums.get(type);
      if (known === undefined) sums.set(type, { sum: score, count: 1 });
      else {
        known.sum += score;
        known.count++;
      }
    }
  }

  /** After it, no trace is added. */
  durationMs(quantile: number): number {
    this.#durations = sorted(this.#durations);
    return percentile(this.#durations, quantile) ?? 0;
  }

  /** After it, no trace is added. Undefined if no trace has one. */
  get medianTtftMs(): number | undefined {
    this.#ttfts = sorted(this.#ttfts);
    return percentile(this.#ttfts, 0.5);
  }

  /** @param value - null for the traces without a value. */
  toGroup(value: string | null): TraceGroup {
    const { runs, errors, tokensInput, tokensOutput, costUsd } = this;
    return {
      value,
      runs,
      error_ratio: errors / runs,
      p50_ms: this.durationMs(0.5),
      p95_ms: this.durationMs(0.95),
      ttft_p50_ms: this.medianTtftMs ?? null,
      tokens_input: tokensInput,
      tokens_output: tokensOutput,
      cost_usd: costUsd,
      cost_per_run_usd: costUsd / runs,
      cost_source: costSourceOf(costUsd, this.hasComputedCost),
      scores: [...(this.#scores ?? [])]
        .map(([type, { sum, count }]) => ({ type, mean: sum / count, count }))
        .slice(0, MAX_SCORE_TYPES),
    };
  }
}

function sorted(numbers: number[] | Float64Array): Float64Array {
  return numbers instanceof Float64Array ? numbers : Float64Array.from(numbers).sort();
}

/** Nearest rank. */
function percentile(ranked: Float64Array, quantile: number): number | undefined {
  return ranked[Math.max(0, Math.ceil(quantile * ranked.length) - 1)];
}
