import { compareStepTexts, type StepTexts } from "@obspan/collector-core/analysis";
import type { StepPairAnswer, TraceComparison } from "@obspan/collector-core/api-schema";
import { useMemo } from "react";
import { useComparison, useStores } from "../../app-context.js";
import { pairKey, type StepDetail } from "../../store/compare-store.js";
import buttonStyles from "../../components/button.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./step-diff.module.css";

/** The texts of the selected step; undefined while they are loading. */
export interface LoadedStep {
  readonly detail: StepDetail;
  readonly texts: StepTexts;
}

/** The texts of a step, once they are loaded. */
export function useStepTexts(pair: StepPairAnswer | undefined): LoadedStep | undefined {
  const detail = useComparison((state) => state.detail);
  const shown = pair !== undefined && detail?.key === pairKey(pair) ? detail : undefined;
  return useMemo(() => shown && { detail: shown, texts: compareStepTexts(shown.a, shown.b) }, [shown]);
}

/** In place of the texts of a step that are loading, or could not be loaded. */
export function StepTextsMissing() {
  const { compare } = useStores();
  const error = useComparison((state) => state.detailError);
  if (error === undefined)
    return (
      <div className={styles.loading} role="status">
        <span className={textStyles.screenReader}>Loading the texts of the step</span>
        {[72, 54, 81, 38].map((width) => (
          <i key={width} style={{ width: `${width}%` }} />
        ))}
      </div>
    );
  return (
    <div className={styles.failed} role="alert">
      <span>The texts of this step could not be read: {error.message}</span>
      <button type="button" className={buttonStyles.button} onClick={() => compare.getState().retryDetail()}>
        Try again
      </button>
    </div>
  );
}

/** `model call 2 of 5`; undefined for other steps. */
export function callNumber({ steps }: TraceComparison, pair: StepPairAnswer): string | undefined {
  if ((pair.b ?? pair.a)?.span_type !== "llm") return undefined;
  const calls = steps.filter(({ a, b }) => (b ?? a)?.span_type === "llm");
  return `model call ${calls.indexOf(pair) + 1} of ${calls.length}`;
}
