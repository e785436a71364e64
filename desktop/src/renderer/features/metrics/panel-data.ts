import type { Stats, StatsSeries } from "@obspan/collector-core/api-schema";
import type { ChartSeries } from "../../components/chart/chart-data.js";
import type { StatsGroupBy, StatsPanels } from "../../store/stats-store.js";

/** A group and its colour, which is the same in all panels. */
export interface PanelGroup {
  readonly value: string;
  readonly name: string;
  readonly colour: number;
  readonly series: StatsSeries;
  readonly window: Stats["groups"][number]["window"];
}

const UNNAMED: Readonly<Record<StatsGroupBy, string>> = {
  model: "no model",
  agent: "no agent",
  service: "no service",
  provider: "no provider",
  tool_name: "no tool",
};

/** The groups that have calls. A span without a model appears in no panel by model. */
export function groupsOf({ grouped, view }: StatsPanels): PanelGroup[] {
  const isTool = view.groupBy === "tool_name";
  return grouped.groups
    .filter(({ window }) => (isTool ? window.tool_calls : window.calls) > 0 || window.cost_usd > 0)
    .map(({ value, series, window }, index) => ({
      value,
      name: value === "" ? UNNAMED[view.groupBy] : value === "__other__" ? "others" : value,
      colour: index,
      series,
      window,
    }));
}

/** Start of each point, in epoch seconds. */
export function timesOf({ start, step_seconds, points }: Stats): number[] {
  const first = Date.parse(start) / 1000;
  return Array.from({ length: points }, (_, index) => first + index * step_seconds);
}

/** A current point younger than this has no meaningful rate yet. */
const LEAST_PASSED = 0.3;

/**
 * Converts amounts per point into rates per minute. The last point is incomplete: its rate uses the time that has
 * passed.
 */
export function perMinute(stats: Stats, amounts: readonly number[]): (number | null)[] {
  const step = stats.step_seconds;
  const sinceStart = (Date.parse(stats.end) - Date.parse(stats.start)) / 1000;
  const passed = Math.min(step, sinceStart - (stats.points - 1) * step);
  const known = knownFrom(stats);
  return amounts.map((amount, index) => {
    if (index < known) return null;
    if (index < amounts.length - 1) return (amount / step) * 60;
    return passed < step * LEAST_PASSED ? null : (amount / passed) * 60;
  });
}

/** The first point after the collector's start. Earlier points have no data, which is not zero. */
export function knownFrom({ start, kept_since, step_seconds, points }: Stats): number {
  const seconds = (Date.parse(kept_since) - Date.parse(start)) / 1000;
  return Math.min(points - 1, Math.max(0, Math.floor(seconds / step_seconds)));
}

/** Seconds of the time range that have data. */
export function knownSeconds({ start, end, kept_since }: Stats): number {
  return Math.max(1, (Date.parse(end) - Math.max(Date.parse(start), Date.parse(kept_since))) / 1000);
}

/** One line per group. */
export function byGroup(
  groups: readonly PanelGroup[],
  valuesOf: (series: StatsSeries) => readonly (number | null)[],
): ChartSeries[] {
  const labels = shortNames(groups.map(({ name }) => name));
  return groups.map(({ name, colour, series }, index) => ({
    name,
    label: labels[index] ?? name,
    colour,
    values: valuesOf(series),
  }));
}

/** Characters that fit at the end of a chart line. */
const LABEL_LENGTH = 12;

/**
 * Shortens names by their common part: `mail-agent` and `refunds-agent` lose `-agent`, `claude-sonnet-5` loses the
 * maker. Names stay as they are if two would become equal.
 */
export function shortNames(names: readonly string[]): readonly string[] {
  const parts = names.map((name) => name.split(/[-_./:]/));
  const [first = []] = parts;
  const isEndShared =
    names.length > 1 && parts.every((each) => each.length > 1 && each.at(-1) === first.at(-1));
  const short = names.map((name, index) => {
    if (isEndShared) return name.slice(0, -((first.at(-1)?.length ?? 0) + 1));
    const [start = ""] = parts[index] ?? [];
    const rest = name.slice(start.length + 1);
    return name.length > LABEL_LENGTH && rest.length >= 4 ? rest : name;
  });
  return new Set(short).size === names.length ? short : names;
}

/** Errors by category, as a share of the spans of the point. */
export function errorRates({ total: { series, window } }: Stats): ChartSeries[] {
  return Object.entries(window.errors)
    .sort(([, a], [, b]) => b - a)
    .map(([category], index) => ({
      name: category.replaceAll("_", " "),
      colour: ERROR_COLOURS[index % ERROR_COLOURS.length] ?? 0,
      values: (series.errors[category] ?? []).map((count, point) => {
        const spans = series.spans[point] ?? 0;
        return spans === 0 ? null : (count / spans) * 100;
      }),
    }));
}
/** Starts after the first colours, because the other panels use those for groups. */
const ERROR_COLOURS = [3, 1, 0, 2, 5, 6] as const;

export function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
