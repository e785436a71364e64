import { isNotable, type FigureName } from "@obspan/collector-core/analysis";
import type { FigureDelta } from "@obspan/collector-core/api-schema";
import {
  formatCost,
  formatCount,
  formatDuration,
  formatScore,
  formatWhole,
  type Quantity,
} from "../../../format.js";

const MINUS = "−";

/** `+3.58` with its unit; a cost has none. Undefined if one of the runs does not have the figure. */
export function deltaQuantity(
  figure: FigureName,
  { delta }: FigureDelta,
  width: "column" | "head" = "column",
): Quantity | undefined {
  if (delta === null) return undefined;
  if (delta === 0) return { value: "0", unit: "" };
  const { value, unit } = quantityOf(figure, Math.abs(delta), width);
  return { value: signOf(delta) + value, unit };
}

/** A figure of one run. */
export function quantityOf(figure: FigureName, amount: number, width: "column" | "head"): Quantity {
  if (figure === "duration_ms" || figure === "ttft_ms") return formatDuration(amount);
  if (figure === "cost_usd") return { value: formatCost(amount), unit: "" };
  return { value: width === "column" ? formatCount(amount) : formatWhole(amount), unit: "" };
}

/** `+32 %`; undefined without a difference, or if the first run has nothing to compare with. */
export function deltaPercent({ a, delta }: FigureDelta): string | undefined {
  if (delta === null || delta === 0 || a === null || a === 0) return undefined;
  const percent = Math.round((delta / a) * 100);
  return `${signOf(percent)}${formatWhole(Math.abs(percent))} %`;
}

/** `+.54`. */
export function scoreDelta(delta: number): string {
  return signOf(delta) + formatScore(Math.abs(delta));
}

/** `+1`. */
export function countDelta(delta: number): string {
  return signOf(delta) + formatWhole(Math.abs(delta));
}

function signOf(delta: number): string {
  return delta > 0 ? "+" : delta < 0 ? MINUS : "";
}

/** Whether a difference is worth a colour: more of it is worse. */
export function deltaGrade(figure: FigureName, delta: FigureDelta): "worse" | "better" | undefined {
  // More input from the cache costs less.
  if (figure === "tokens_cached" || !isNotable(figure, delta)) return undefined;
  return (delta.delta ?? 0) > 0 ? "worse" : "better";
}
