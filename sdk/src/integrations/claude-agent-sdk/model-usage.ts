import { countOf, field, numberOf } from "../json-fields.js";

/** Tokens and cost. `input` excludes what was read from the cache and written to it, as Anthropic counts. */
export interface Usage {
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
  costUsd: number;
}

const KEYS = ["input", "cacheRead", "cacheWrite", "output", "costUsd"] as const;

/** The usage of one response of the API. */
export function responseUsage(usage: unknown): Usage {
  return {
    input: countOf(field(usage, "input_tokens")) ?? 0,
    cacheRead: countOf(field(usage, "cache_read_input_tokens")) ?? 0,
    cacheWrite: countOf(field(usage, "cache_creation_input_tokens")) ?? 0,
    output: countOf(field(usage, "output_tokens")) ?? 0,
    costUsd: 0,
  };
}

/** The totals of a query so far, by model (`modelUsage` of a result). */
export function totalsByModel(modelUsage: unknown): Map<string, Usage> {
  const totals = new Map<string, Usage>();
  for (const model of typeof modelUsage === "object" && modelUsage !== null ? Object.keys(modelUsage) : []) {
    const usage = field(modelUsage, model);
    totals.set(model, {
      input: countOf(field(usage, "inputTokens")) ?? 0,
      cacheRead: countOf(field(usage, "cacheReadInputTokens")) ?? 0,
      cacheWrite: countOf(field(usage, "cacheCreationInputTokens")) ?? 0,
      output: countOf(field(usage, "outputTokens")) ?? 0,
      costUsd: numberOf(field(usage, "costUSD")) ?? 0,
    });
  }
  return totals;
}

/** What was added since the earlier totals. Totals that are lower than before were reset: all of them are new. */
export function since(total: Usage, earlier: Usage | undefined): Usage {
  if (earlier === undefined || KEYS.some((key) => total[key] < earlier[key])) return { ...total };
  return combine(total, earlier, -1);
}

/** The sum of usages. */
export function sum(usages: readonly Usage[]): Usage {
  const none: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, costUsd: 0 };
  return usages.reduce((total, usage) => combine(total, usage, 1), none);
}

function combine(left: Usage, right: Usage, sign: 1 | -1): Usage {
  const combined = { ...left };
  for (const key of KEYS) combined[key] = Math.max(0, left[key] + sign * right[key]);
  return combined;
}

/**
 * Gives each call its share of a cost. Anthropic's prices of all models have the same ratios: a cache write costs 1.25 times
 * an input token, a cache read 0.1 times, an output token 5 times.
 */
export function shareCost(costUsd: number, usages: readonly Usage[]): void {
  const weights = usages.map(
    ({ input, cacheRead, cacheWrite, output }) => input + 0.1 * cacheRead + 1.25 * cacheWrite + 5 * output,
  );
  const total = weights.reduce((left, right) => left + right, 0);
  for (const [index, usage] of usages.entries())
    usage.costUsd = total === 0 ? 0 : (costUsd * (weights[index] ?? 0)) / total;
}

/** True for two names of one model: with a date, or with the size of its context window. */
export function isSameModel(left: string | undefined, right: string): boolean {
  return left !== undefined && plainName(left) === plainName(right);
}

function plainName(model: string): string {
  const [name = ""] = model.split("[", 1);
  return name.replace(/-\d{8}$/, "");
}
