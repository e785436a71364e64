import type { EvaluationSummary } from "@obspan/collector-core/api-schema";
import { KeyHint } from "../../components/key-hint.js";
import { formatWhole } from "../../format.js";
import pageStyles from "../../components/page.module.css";
import textStyles from "../../components/text.module.css";

/** Keyboard hints where there are evaluations to act on, and the ledger. */
export function EvaluationsFoot({ summary: { evaluation, oldest } }: { summary: EvaluationSummary }) {
  return (
    <footer className={pageStyles.foot}>
      {oldest !== null && (
        <>
          <KeyHint keys={["↑", "↓"]}>move</KeyHint>
          <KeyHint keys={["↵"]}>open the span</KeyHint>
          {evaluation !== null && <KeyHint keys={["R"]}>run again</KeyHint>}
        </>
      )}
      <span className={textStyles.grow} />
      {/* Scores that apps have sent were not offered to the judge. */}
      {evaluation !== null && evaluation.offered > 0 && (
        <span className={textStyles.number}>{ledgerText(evaluation)}</span>
      )}
    </footer>
  );
}

function ledgerText(evaluation: NonNullable<EvaluationSummary["evaluation"]>): string {
  const { offered, completed, timeout, error, malformed, dropped, pending } = evaluation;
  const parts = [
    `${formatWhole(completed)} judged`,
    ...(timeout > 0 ? [`${formatWhole(timeout)} timeouts`] : []),
    ...(error > 0 ? [`${formatWhole(error)} failed`] : []),
    ...(malformed > 0 ? [`${formatWhole(malformed)} malformed`] : []),
    ...(dropped > 0 ? [`${formatWhole(dropped)} dropped`] : []),
    ...(pending > 0 ? [`${formatWhole(pending)} waiting`] : []),
  ];
  return `${formatWhole(offered)} offered = ${parts.join(" + ")}`;
}
