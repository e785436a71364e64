import { OTHER_LABEL_VALUE } from "../../api-schema/metrics.js";
import { truncateCodePoints } from "../../span/kept-text.js";
import { readFamily, type MetricSource } from "./series-family.js";
import { sample, type MetricSample } from "./series.js";

/** Options of {@link createObjectiveGauges}: `sre.…` (spec 2.6). */
export interface ObjectiveGaugesOptions {
  readonly defaultSloErrorRate: number;
  readonly defaultCostBudgetUsd: number;
  readonly agents: Readonly<
    Record<string, { readonly slo_error_rate?: number; readonly cost_budget_usd?: number }>
  >;
  /** `limits.max_label_value_length`; truncates agent names like the labels of the counters. */
  readonly maxLabelValueLength: number;
  /** The agent label values of spans so far. */
  readonly seenAgents: () => Iterable<string>;
}

/**
 * Exposes `obs_slo_error_rate` and `obs_cost_budget_usd` (spec 4.7): for configured agents from the start, for other
 * agents with the defaults from their first span on. Recording rules join these gauges with the counters (spec 4.8).
 */
export function createObjectiveGauges(options: ObjectiveGaugesOptions): MetricSource {
  const { defaultSloErrorRate, defaultCostBudgetUsd, agents, maxLabelValueLength, seenAgents } = options;
  const configured = new Map(
    Object.entries(agents).map(([agent, objectives]) => [
      truncateCodePoints(agent, maxLabelValueLength),
      objectives,
    ]),
  );

  function samples(objective: "slo_error_rate" | "cost_budget_usd", byDefault: number): MetricSample[] {
    const names = new Set([...configured.keys(), ...seenAgents()]);
    // Spans without an agent and agents beyond the cap have no objective.
    names.delete("");
    names.delete(OTHER_LABEL_VALUE);
    return [...names].map((agent) => sample(configured.get(agent)?.[objective] ?? byDefault, { agent }));
  }

  const families = [
    readFamily("obs_slo_error_rate", () => samples("slo_error_rate", defaultSloErrorRate)),
    readFamily("obs_cost_budget_usd", () => samples("cost_budget_usd", defaultCostBudgetUsd)),
  ];
  return { families: () => families };
}
