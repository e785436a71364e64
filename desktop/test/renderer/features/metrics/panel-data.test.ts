import { describe, expect, it } from "vitest";
import {
  byEnd,
  lonePoints,
  spreadLabels,
  stack,
} from "../../../../src/renderer/components/chart/chart-data.js";
import { niceMax } from "../../../../src/renderer/components/chart/chart-options.js";
import { agentObjectives } from "../../../../src/renderer/features/metrics/agent-objectives.js";
import {
  errorRates,
  knownSeconds,
  perMinute,
  shortNames,
} from "../../../../src/renderer/features/metrics/panel-data.js";
import { figures, series, stats } from "./stats.js";

describe("rates of points", () => {
  it("use the time that has passed for the last point", () => {
    expect(perMinute(stats(), [10, 20, 0, 5])).toEqual([60, 120, 0, 60]);
  });

  it("are missing for a last point that has hardly started", () => {
    expect(perMinute(stats({ end: "2026-11-21T12:00:31.000Z" }), [0, 0, 0, 5]).at(-1)).toBeNull();
  });

  it("are missing, not zero, before the collector started", () => {
    const young = stats({ kept_since: "2026-11-21T12:00:12.000Z" });
    expect(perMinute(young, [0, 10, 0, 5])).toEqual([null, 60, 0, 60]);
    expect(knownSeconds(young)).toBe(23);
  });
});

describe("the lines of the panels", () => {
  it("errors are parts of the spans of the point, the most frequent category first", () => {
    const total = {
      window: figures({ errors: { provider: 1, rate_limit: 3 } }),
      series: series(4, {
        spans: [10, 4, 0, 1],
        errors: { provider: [1, 0, 0, 0], rate_limit: [0, 3, 0, 0] },
      }),
    };
    expect(errorRates(stats({ total })).map(({ name, values }) => [name, values])).toEqual([
      ["rate limit", [0, 75, null, 0]],
      ["provider", [10, 0, null, 0]],
    ]);
  });

  it("names are short where they can be told apart so", () => {
    expect(shortNames(["mail-agent", "refunds-agent"])).toEqual(["mail", "refunds"]);
    expect(shortNames(["claude-sonnet-5", "gpt-5-mini"])).toEqual(["sonnet-5", "gpt-5-mini"]);
    expect(shortNames(["gemini-3-flash-lite", "claude-3-flash-lite"])).toEqual([
      "gemini-3-flash",
      "claude-3-flash",
    ]);
    expect(shortNames(["a-agent"])).toEqual(["a-agent"]);
  });

  it("stack on each other, and a point without neighbours gets a dot", () => {
    const of = (values: (number | null)[]) => ({ name: "", colour: 0, values });
    expect(stack([of([1, 2]), of([3, null])]).map(({ values }) => values)).toEqual([
      [1, 2],
      [4, null],
    ]);
    expect(lonePoints([null, 1, null, 2, 3, null])).toEqual([1]);
  });

  it("have their names apart, within the chart", () => {
    expect(spreadLabels([50, 52, 10], 13, 100)).toEqual([50, 63, 10]);
    // Of two lines with one end, the name of the line that rises higher is above.
    const end = (name: string, y: number, values: (number | null)[]) => ({
      each: { name, values, colour: 0 },
      y,
    });
    const ends = [end("p50", 90, [1, 2]), end("p95", 70, [4, null, 3]), end("p99", 70, [9, 3])];
    expect(ends.toSorted(byEnd).map(({ each }) => each.name)).toEqual(["p99", "p95", "p50"]);
    expect(spreadLabels([95, 99], 13, 100)).toEqual([87, 100]);
  });

  it("the axis ends at a number that is easy to read", () => {
    expect([0, 0.07, 47.2, 96, 186_000].map(niceMax)).toEqual([1, 0.08, 50, 100, 200_000]);
  });
});

describe("budgets of agents", () => {
  const config = (values: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value }])) as never;

  it("are what is left of the errors and the cost that are allowed, the least first", () => {
    const group = (value: string, window: Parameters<typeof figures>[0]) => ({
      value,
      window: figures(window),
      series: series(4),
    });
    const agents = stats({
      groups: [
        group("calm", { calls: 100, cost_usd: 1 }),
        group("wild", { calls: 100, call_errors: 3, cost_usd: 5 }),
        group("", { calls: 5, call_errors: 5 }),
      ],
    });
    const objectives = agentObjectives(
      agents,
      config({
        "sre.default_slo_error_rate": 0.02,
        "sre.default_cost_budget_usd": 0,
        "sre.agents": { wild: { slo_error_rate: 0.04, cost_budget_usd: 20 } },
      }),
    );
    expect(objectives.map(({ agent }) => agent)).toEqual(["wild", "calm"]);
    expect(objectives[0]?.errorBudgetLeft).toBeCloseTo(0.25);
    expect(objectives[0]?.costBudgetLeft).toBeCloseTo(0.75);
    expect(objectives[1]).toMatchObject({ errorBudgetLeft: 1, costBudgetLeft: undefined });
  });
});
