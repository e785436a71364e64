import type { StepPairAnswer, TraceComparison } from "@obspan/collector-core/api-schema";
import { useEffect } from "react";
import { useStores } from "../../app-context.js";
import { pairKey } from "../../store/compare-store.js";
import { differs } from "./model/step-words.js";

/** The selected step, and ways to another one. */
export interface SelectedStep {
  readonly pair: StepPairAnswer | undefined;
  /** -1 if there is no step. */
  readonly index: number;
  readonly select: (index: number) => void;
  readonly moveBy: (by: number) => void;
  /** Selects the next step that differs. */
  readonly next: (by: 1 | -1) => void;
}

/**
 * The step that the URL names; otherwise the first that differs.
 *
 * @param named - id of a span of the step, in either run.
 */
export function useSelectedStep(
  { steps, first_divergence: divergence }: TraceComparison,
  named: string | undefined,
  onSelect: (spanId: string) => void,
): SelectedStep {
  const { compare } = useStores();
  const inB = steps.findIndex(({ b }) => b?.span_id === named);
  const found = named === undefined ? -1 : inB >= 0 ? inB : steps.findIndex(({ a }) => a?.span_id === named);
  const index = found >= 0 ? found : steps.length === 0 ? -1 : (divergence ?? 0);
  const pair = steps[index];
  const key = pair && pairKey(pair);
  useEffect(() => {
    if (pair !== undefined) compare.getState().show(pair);
    // A refresh makes new objects; the store loads what has changed.
  }, [compare, key]);

  const select = (to: number): void => {
    const wanted = steps[Math.max(0, Math.min(steps.length - 1, to))];
    const id = wanted?.b?.span_id ?? wanted?.a?.span_id;
    if (id !== undefined) onSelect(id);
  };
  return {
    pair,
    index,
    select,
    moveBy: (by) => select(index + by),
    next(by) {
      for (let at = index + by; at >= 0 && at < steps.length; at += by) {
        const other = steps[at];
        if (other === undefined || !differs(other)) continue;
        select(at);
        return;
      }
    },
  };
}
