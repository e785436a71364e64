import type { Stats, StatsFigures, StatsSeries } from "@obspan/collector-core/api-schema";

const FIGURES: StatsFigures = {
  spans: 0,
  calls: 0,
  call_errors: 0,
  tool_calls: 0,
  tool_errors: 0,
  errors: {},
  duration_ms: { p50: null, p95: null, p99: null },
  ttft_ms: { p50: null, p95: null, p99: null },
  tokens_input: 0,
  tokens_output: 0,
  tokens_cached: 0,
  cost_usd: 0,
  computed_cost_usd: 0,
  tokens_per_second: null,
  scores: 0,
  score_mean: null,
};

/** Statistics of an empty period, with the given fields. */
export function figures(fields: Partial<StatsFigures> = {}): StatsFigures {
  return { ...FIGURES, ...fields };
}

/** The same over a number of points. */
export function series(points: number, fields: Partial<StatsSeries> = {}): StatsSeries {
  const zeros = new Array<number>(points).fill(0);
  const nulls = new Array<null>(points).fill(null);
  const percentiles = { p50: nulls, p95: nulls, p99: nulls };
  return {
    spans: zeros,
    calls: zeros,
    call_errors: zeros,
    tool_calls: zeros,
    tool_errors: zeros,
    errors: {},
    duration_ms: percentiles,
    ttft_ms: percentiles,
    tokens_input: zeros,
    tokens_output: zeros,
    tokens_cached: zeros,
    cost_usd: zeros,
    computed_cost_usd: zeros,
    tokens_per_second: nulls,
    scores: zeros,
    score_mean: nulls,
    ...fields,
  };
}

/** Four points of 10 s, the last of which is 5 s old, and whatever else is given. */
export function stats(fields: Partial<Stats> = {}): Stats {
  return {
    window_seconds: 40,
    step_seconds: 10,
    start: "2026-11-21T12:00:00.000Z",
    end: "2026-11-21T12:00:35.000Z",
    points: 4,
    kept_since: "2026-11-21T11:00:00.000Z",
    group_by: null,
    total: { window: figures(), series: series(4) },
    groups: [],
    merged_groups: 0,
    pipeline: [],
    ...fields,
  };
}
