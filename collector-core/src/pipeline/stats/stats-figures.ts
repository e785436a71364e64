import type { StatsFigures, StatsSeries } from "../../api-schema/stats.js";
import { ERROR_CATEGORIES } from "../../span/error-category.js";
import { addTo, bucketQuantile, CELL, type CellLayout } from "./stats-cells.js";

/** Converts a row of cells to the figures of `GET /v1/stats`. */
export function toFigures(cells: Float64Array, layout: CellLayout): StatsFigures {
  const at = (cell: number): number => cells[cell] ?? 0;
  const percentiles = (first: number) => {
    const percentile = (quantile: number) => {
      const seconds = bucketQuantile(cells, first, layout.bounds, quantile);
      return seconds === undefined ? null : rounded(seconds * 1000);
    };
    return { p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99) };
  };
  const errors: Record<string, number> = {};
  for (const [index, category] of ERROR_CATEGORIES.entries()) {
    const count = at(CELL.errors + index);
    if (count > 0) errors[category] = count;
  }
  return {
    spans: at(CELL.spans),
    calls: at(CELL.calls),
    call_errors: at(CELL.callErrors),
    tool_calls: at(CELL.toolCalls),
    tool_errors: at(CELL.toolErrors),
    errors,
    duration_ms: percentiles(layout.duration),
    ttft_ms: percentiles(layout.ttft),
    tokens_input: at(CELL.tokensInput),
    tokens_output: at(CELL.tokensOutput),
    tokens_cached: at(CELL.tokensCached),
    cost_usd: rounded(at(CELL.costUsd), 1e9),
    tokens_per_second: ratio(at(CELL.timedTokens), at(CELL.timedSeconds)),
    scores: at(CELL.scores),
    score_mean: ratio(at(CELL.scoreSum), at(CELL.scores)),
  };
}

/** Builds a time series of figures point by point. */
export class SeriesBuilder {
  readonly #sum: Float64Array;
  readonly #current: Float64Array;
  readonly #points: StatsFigures[] = [];
  /** Shared by all empty points, which are most points of a day. */
  readonly #emptyPoint: StatsFigures;
  readonly #layout: CellLayout;
  #isEmpty = true;

  constructor(layout: CellLayout) {
    this.#layout = layout;
    this.#sum = new Float64Array(layout.size);
    this.#current = new Float64Array(layout.size);
    this.#emptyPoint = toFigures(this.#current, layout);
  }

  /** The cells of the current point. The caller adds to them. */
  get current(): Float64Array {
    this.#isEmpty = false;
    return this.#current;
  }

  endPoint(): void {
    if (this.#isEmpty) {
      this.#points.push(this.#emptyPoint);
      return;
    }
    const current = this.#current;
    this.#points.push(toFigures(current, this.#layout));
    for (let cell = 0; cell < current.length; cell++) {
      const value = current[cell] ?? 0;
      if (value !== 0) addTo(this.#sum, cell, value);
    }
    current.fill(0);
    this.#isEmpty = true;
  }

  build(): { window: StatsFigures; series: StatsSeries } {
    const window = toFigures(this.#sum, this.#layout);
    const points = this.#points;
    const percentiles = (of: "duration_ms" | "ttft_ms") => ({
      p50: points.map((point) => point[of].p50),
      p95: points.map((point) => point[of].p95),
      p99: points.map((point) => point[of].p99),
    });
    const counts = (of: CountName) => points.map((point) => point[of]);
    return {
      window,
      series: {
        spans: counts("spans"),
        calls: counts("calls"),
        call_errors: counts("call_errors"),
        tool_calls: counts("tool_calls"),
        tool_errors: counts("tool_errors"),
        errors: Object.fromEntries(
          Object.keys(window.errors).map((category) => [
            category,
            points.map((point) => point.errors[category] ?? 0),
          ]),
        ),
        duration_ms: percentiles("duration_ms"),
        ttft_ms: percentiles("ttft_ms"),
        tokens_input: counts("tokens_input"),
        tokens_output: counts("tokens_output"),
        tokens_cached: counts("tokens_cached"),
        cost_usd: counts("cost_usd"),
        tokens_per_second: points.map((point) => point.tokens_per_second),
        scores: counts("scores"),
        score_mean: points.map((point) => point.score_mean),
      },
    };
  }
}

type CountName = {
  [Name in keyof StatsFigures]: StatsFigures[Name] extends number ? Name : never;
}[keyof StatsFigures];

/** Returns null for a zero divisor. */
function ratio(amount: number, by: number): number | null {
  return by > 0 ? rounded(amount / by) : null;
}

/** Rounds to the given precision, to keep the response short. A value too large to round is returned unchanged. */
function rounded(value: number, precision = 1000): number {
  const exact = Math.round(value * precision) / precision;
  return Number.isFinite(exact) ? exact : value;
}
