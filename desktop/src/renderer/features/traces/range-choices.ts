import type { TraceFilters } from "../../api/collector-api.js";
import { formatDuration } from "../../format.js";
import { omit } from "../../store/omit.js";
import { rangeOf, withRange } from "../../store/session-terms.js";
import type { RangeChoice } from "./range-menu.js";

/** A figure whose range is chosen in a menu. */
export interface RangeFilter {
  readonly name: string;
  readonly choices: readonly RangeChoice[];
  valueOf(filters: TraceFilters): string | undefined;
  with(filters: TraceFilters, value: string | undefined): TraceFilters;
}

const DURATION: RangeFilter = {
  name: "Duration",
  choices: [500, 1000, 2000, 5000, 10_000, 30_000, 60_000].map((ms) => ({
    value: String(ms),
    name: `${durationName(ms)} or longer`,
    short: `≥ ${durationName(ms)}`,
  })),
  valueOf: ({ min_duration_ms: ms }) => ms,
  with(filters, ms) {
    const others = omit(filters, "min_duration_ms");
    return ms === undefined ? others : { ...others, min_duration_ms: ms };
  },
};

const TURNS: RangeFilter = {
  name: "Turns",
  choices: [2, 3, 5, 10, 20, 50].map((turns) => ({
    value: `>=${turns}`,
    name: `${turns} or more`,
    short: `≥ ${turns}`,
  })),
  valueOf: (filters) => rangeOf(filters, "turns"),
  with: (filters, range) => withRange(filters, "turns", range),
};

const COST: RangeFilter = {
  name: "Cost",
  choices: ["0.01", "0.05", "0.10", "0.50", "1", "5"].map((usd) => ({
    value: `>=${usd}`,
    name: `$${usd} or more`,
    short: `≥ $${usd}`,
  })),
  valueOf: (filters) => rangeOf(filters, "session_cost"),
  with: (filters, range) => withRange(filters, "session_cost", range),
};

/** The menus of ranges, by what is filtered. */
export const RANGE_FILTERS = { traces: [DURATION], sessions: [TURNS, COST] } as const;

/** `500 ms`, `5 s`, `1 m`. */
function durationName(ms: number): string {
  if (ms >= 1000 && ms % 60_000 === 0) return `${ms / 60_000} m`;
  if (ms >= 1000 && ms % 1000 === 0) return `${ms / 1000} s`;
  const { value, unit } = formatDuration(ms);
  return `${value} ${unit}`;
}
