import type { StatsFigures, StatsSeries } from "../../api-schema/stats.js";
import { ERROR_CATEGORIES } from "../../span/error-category.js";
import type { DurationSketch } from "./duration-sketch.js";
import { CELL } from "./stats-cells.js";
import { StatsSums } from "./stats-sums.js";

/** Converts sums to the figures of `GET /v1/stats`. */
export function toFigures({ cells, duration, ttft }: StatsSums): StatsFigures {
  const at = (cell: number): number => cells[cell] ?? 0;
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
    duration_ms: percentiles(duration),
    ttft_ms: percentiles(ttft),
    tokens_input: at(CELL.tokensInput),
    tokens_output: at(CELL.tokensOutput),
    tokens_cached: at(CELL.tokensCached),
    cost_usd: rounded(at(CELL.costUsd), 1e9),
    computed_cost_usd: rounded(at(CELL.computedCostUsd), 1e9),
    tokens_per_second: ratio(at(CELL.timedTokens), at(CELL.timedSeconds)),
    scores: at(CELL.scores),
    score_mean: ratio(at(CELL.scoreSum), at(CELL.scores)),
  };
}

/** Significant digits of a percentile. Rounding adds 0.05 % to the error of the sketch. */
const PERCENTILE_DIGITS = 4;
/** Shorter durations count as 0. */
const SHORTEST_MS = 1e-6;

function percentiles(sketch: DurationSketch): StatsFigures["duration_ms"] {
  const percentile = (quantile: number): number | null => {
    const ms = sketch.quantile(quantile);
    return ms === undefined ? null : roundedMs(ms);
  };
  return { p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99) };
}

/** Rounds to significant digits. `toPrecision` takes as long as the rest of a point. */
function roundedMs(ms: number): number {
  if (ms < SHORTEST_MS) return 0;
  const digits = PERCENTILE_DIGITS - 1 - Math.floor(Math.log10(ms));
  return digits >= 0
    ? Math.round(ms * 10 ** digits) / 10 ** digits
    : Math.round(ms / 10 ** -digits) * 10 ** -digits;
}

/** Shared by all empty points, which are most points of a day. */
const EMPTY_POINT = toFigures(new StatsSums());

/** Builds a time series of figures point by point. */
export class SeriesBuilder {
  readonly #window = new StatsSums();
  readonly #current = new StatsSums();
  readonly #points: StatsFigures[] = [];
  #isEmpty = true;

  /** The sums of the current point. The caller adds to them. */
  get current(): StatsSums {
    this.#isEmpty = false;
    return this.#current;
  }

  endPoint(): void {
    if (this.#isEmpty) {
      this.#points.push(EMPTY_POINT);
      return;
    }
    this.#points.push(toFigures(this.#current));
    this.#window.add(this.#current);
    this.#current.clear();
    this.#isEmpty = true;
  }

  build(): { window: StatsFigures; series: StatsSeries } {
    const window = toFigures(this.#window);
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
        computed_cost_usd: counts("computed_cost_usd"),
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
