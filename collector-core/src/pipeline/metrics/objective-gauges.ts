import { OTHER_LABEL_VALUE } from "../../api-schema/metrics.js";
import { truncateCodePoints } from "../../span/kept-text.js";
import { readFamily, type MetricSource } from "./series-family.js";
import { sample, type MetricSample } from "./series.js";

/** `sre.…` (spec 2.6). */
export interface ObjectiveGaugesOptions {
  readonly defaultSloErrorRate: number;
  readonly defaultCostBudgetUsd: number;
  readonly agents: Readonly<
    Record<string, { readonly slo_error_rate?: number; readonly cost_budget_usd?: number }>
  >;
  /** `limits.max_label_value_length`: the label must be the one that the counters carry. */
  readonly maxLabelValueLength: number;
  /** The label values of agents that spans have named so far. */
  readonly seenAgents: () => Iterable<string>;
}

/**
 * `obs_slo_error_rate` and `obs_cost_budget_usd` (spec 4.7): configured agents from the start, any other, with the
 * defaults, from its first span on. Recording rules outside join them with the counters (spec 4.8).
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
    // No agent, and all those beyond the cap, are nobody that an objective could be set for.
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
