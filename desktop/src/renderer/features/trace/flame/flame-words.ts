import type { Measure, Weights } from "@obspan/collector-core/analysis";
import { durationText, formatCount } from "../../../format.js";
import { costText } from "../cost.js";

/** The measures, as the switch shows them. */
export const MEASURE_NAMES: Readonly<Record<Measure, string>> = {
  time: "Time",
  tokens: "Tokens",
  cost: "Cost",
};

/** `2.10 s`, `35.1k tokens`, `$0.0408`; `≈ $0.0408` if the collector computed the cost. */
export function amountText(amount: number, measure: Measure, isComputed: boolean): string {
  if (measure === "time") return durationText(amount);
  return measure === "cost" ? costText({ usd: amount, isComputed }) : `${formatCount(amount)} tokens`;
}

/** `19 %`; empty without a whole. */
export function shareText(part: Weights, whole: Weights, measure: Measure): string {
  if (whole[measure] <= 0) return "";
  return `${Math.round((part[measure] / whole[measure]) * 100)} %`;
}
