import type { CostSource } from "../../span/span-facts.js";

/** Where a sum of costs comes from: `computed` if a collector computed some of it; null without a cost. */
export function costSourceOf(costUsd: number, hasComputed: boolean): CostSource | null {
  if (costUsd === 0) return null;
  return hasComputed ? "computed" : "reported";
}
