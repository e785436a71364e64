import { isRecord } from "../span/span-facts.js";
import { number, type OptionKind, type Reading } from "./option-kinds.js";
import { showRaw } from "./show-value.js";

/** Objectives of one agent (spec 2.6, `sre.agents`). An absent key takes its default. */
export interface AgentObjectives {
  readonly slo_error_rate?: number;
  readonly cost_budget_usd?: number;
}

/** Errors per call, above 0 and at most 1 (spec 8 rules 14 and 16). */
export const sloErrorRate = number({ above: 0, maximum: 1 });
/** USD per evaluation period, 0 or more (spec 8 rule 15). */
export const costBudgetUsd = number({ minimum: 0 });

const OBJECTIVES = { slo_error_rate: sloErrorRate, cost_budget_usd: costBudgetUsd } as const;

/** Objectives by agent name. */
export type ObjectivesByAgent = Readonly<Record<string, AgentObjectives>>;

/** A map of agents: a YAML map, or JSON in the environment variable. */
export const objectivesByAgent: OptionKind<ObjectivesByAgent> = {
  rule: "an object of agents, each with slo_error_rate, cost_budget_usd or both",
  schema: {
    type: "object",
    additionalProperties: {
      type: "object",
      additionalProperties: false,
      properties: { slo_error_rate: sloErrorRate.schema, cost_budget_usd: costBudgetUsd.schema },
    },
  },
  parse(text) {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return undefined;
    }
  },
  check(value): Reading<ObjectivesByAgent> {
    if (!isRecord(value)) return { ok: false, detail: "" };
    for (const [agent, objectives] of Object.entries(value)) {
      const problem = problemOf(objectives);
      if (problem !== undefined)
        return { ok: false, detail: `agent ${showRaw(JSON.stringify(agent))}: ${problem}` };
    }
    return { ok: true, value: value as ObjectivesByAgent };
  },
};

function problemOf(objectives: unknown): string | undefined {
  if (!isRecord(objectives)) return "the value must be an object";
  for (const [key, value] of Object.entries(objectives)) {
    if (key !== "slo_error_rate" && key !== "cost_budget_usd")
      return `the key ${showRaw(JSON.stringify(key))} is unknown`;
    if (!OBJECTIVES[key].check(value).ok) return `${key} must be ${OBJECTIVES[key].rule}`;
  }
  return undefined;
}
