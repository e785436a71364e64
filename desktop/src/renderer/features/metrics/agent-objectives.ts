import type { ConfigDescription, Stats } from "@obspan/collector-core/api-schema";

/** The remaining budgets of an agent (spec 4.8), from 1 down to 0. */
export interface AgentObjective {
  readonly agent: string;
  readonly sloErrorRate: number;
  readonly errorRate: number;
  readonly errorBudgetLeft: number;
  readonly costUsd: number;
  /** Whether the collector computed some of it. */
  readonly isCostComputed: boolean;
  /** 0 if there is none. */
  readonly costBudgetUsd: number;
  /** Undefined if there is no budget. */
  readonly costBudgetLeft: number | undefined;
}

/** The agents that called a model, those with the smallest remaining budget first. */
export function agentObjectives(agents: Stats, config: ConfigDescription["config"]): AgentObjective[] {
  const defaultSlo = numberOf(config["sre.default_slo_error_rate"]?.value) ?? 0.01;
  const defaultBudget = numberOf(config["sre.default_cost_budget_usd"]?.value) ?? 0;
  const listed = recordOf(config["sre.agents"]?.value);
  return agents.groups
    .filter(({ value, window }) => value !== "" && value !== "__other__" && window.calls > 0)
    .map(({ value: agent, window }) => {
      const own = recordOf(Object.hasOwn(listed, agent) ? listed[agent] : undefined);
      const sloErrorRate = numberOf(own["slo_error_rate"]) ?? defaultSlo;
      const costBudgetUsd = numberOf(own["cost_budget_usd"]) ?? defaultBudget;
      const errorRate = window.call_errors / window.calls;
      return {
        agent,
        sloErrorRate,
        errorRate,
        errorBudgetLeft: part(1 - errorRate / sloErrorRate),
        costUsd: window.cost_usd,
        isCostComputed: window.computed_cost_usd > 0,
        costBudgetUsd,
        costBudgetLeft: costBudgetUsd > 0 ? part(1 - window.cost_usd / costBudgetUsd) : undefined,
      };
    })
    .sort((a, b) => a.errorBudgetLeft - b.errorBudgetLeft || (a.agent < b.agent ? -1 : 1));
}

function part(value: number): number {
  return Math.min(1, Math.max(0, value));
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
