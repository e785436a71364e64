import { describe, expect, it } from "vitest";
import { panelQueries } from "../../src/analysis/panel-queries.js";

describe("the PromQL of the panels", () => {
  it("has the filters, quoted, the group and a range that holds a step", () => {
    const view = { window: "24h", groupBy: "agent", filters: { env: 'pro"d' } } as const;
    expect(panelQueries(view, 1200).calls).toBe(
      'sum by (agent) (rate(obs_llm_calls_total{env="pro\\"d"}[20m])) * 60',
    );
    expect(panelQueries(view, 10).latencyByGroup).toBe(
      'histogram_quantile(0.95, sum by (le, agent) (rate(obs_duration_seconds_bucket{env="pro\\"d",span_type="llm"}[1m])))',
    );
    expect(panelQueries(view, 10).latency).toBe(
      'histogram_quantile(0.95, sum by (le) (rate(obs_duration_seconds_bucket{env="pro\\"d",span_type="llm"}[1m])))',
    );
  });
});
