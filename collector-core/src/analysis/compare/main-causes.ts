import type { StepPairAnswer, TraceComparison } from "../../api-schema/compare.js";
import { isNotable } from "./figures.js";

/** A step that explains much of what one run takes more or less than the other. */
export interface Cause {
  readonly figure: "duration_ms" | "cost_usd";
  readonly pair: StepPairAnswer;
  readonly delta: number;
}

/** The least share of the whole difference that is worth naming. */
const LEAST_SHARE = 0.25;
const MOST = 2;

/** The steps that explain most of a notable difference of time and of cost, the largest first. */
export function mainCauses({ deltas, steps }: Pick<TraceComparison, "deltas" | "steps">): Cause[] {
  const inner = steps.filter((pair, index) => levelOf(steps[index + 1]) <= levelOf(pair));
  return (["duration_ms", "cost_usd"] as const).flatMap((figure) => {
    const { delta: whole } = deltas[figure];
    if (whole === null || !isNotable(figure, deltas[figure])) return [];
    return inner
      .map((pair) => ({ figure, pair, delta: differenceOf(pair[figure]) }))
      .filter(({ delta }) => delta * Math.sign(whole) >= Math.abs(whole) * LEAST_SHARE)
      .toSorted((a, b) => Math.abs(b.delta) - Math.abs(a.delta))
      .slice(0, MOST);
  });
}

function levelOf(pair: StepPairAnswer | undefined): number {
  return (pair?.b ?? pair?.a)?.level ?? -1;
}

/** What a step adds to a difference: all of it if one run does not have the step. */
function differenceOf({ a, b, delta }: StepPairAnswer["duration_ms"]): number {
  return delta ?? (b ?? 0) - (a ?? 0);
}
