import {
  DEFAULT_VIEW,
  GROUPS,
  STATS_FILTERS,
  WINDOWS,
  type StatsFilter,
  type StatsView,
} from "../../store/stats-store.js";

/** Reads and writes a view in the URL. Missing parameters take the default. */
export function viewFromSearch(search: string): StatsView {
  const parameters = new URLSearchParams(search);
  const filters: Partial<Record<StatsFilter, string>> = {};
  for (const name of STATS_FILTERS) {
    const value = parameters.get(name);
    if (value !== null && value !== "") filters[name] = value;
  }
  return {
    window: WINDOWS.find((each) => each === parameters.get("window")) ?? DEFAULT_VIEW.window,
    groupBy: GROUPS.find((each) => each === parameters.get("group_by")) ?? DEFAULT_VIEW.groupBy,
    filters,
  };
}

export function viewAddress({ window, groupBy, filters }: StatsView): string {
  const parameters = new URLSearchParams();
  if (window !== DEFAULT_VIEW.window) parameters.set("window", window);
  if (groupBy !== DEFAULT_VIEW.groupBy) parameters.set("group_by", groupBy);
  for (const name of STATS_FILTERS) {
    const value = filters[name];
    if (value !== undefined) parameters.set(name, value);
  }
  const search = parameters.toString();
  return search === "" ? "/stats" : `/stats?${search}`;
}

/** A trace that ended in a step may have started before it. */
const LONGEST_RUN_MS = 60_000;
/** The filters that the trace list also supports. */
const TRACE_FILTERS = ["service", "env", "agent", "model", "tenant"] as const;

/** URL of the traces of one step. */
export function tracesOf({ filters }: StatsView, startMs: number, stepMs: number): string {
  const parameters = new URLSearchParams({
    since: new Date(startMs - Math.max(LONGEST_RUN_MS, stepMs)).toISOString(),
    until: new Date(startMs + stepMs).toISOString(),
  });
  for (const name of TRACE_FILTERS) {
    const value = filters[name];
    if (value !== undefined) parameters.set(name, value);
  }
  return `/traces?${parameters.toString()}`;
}
