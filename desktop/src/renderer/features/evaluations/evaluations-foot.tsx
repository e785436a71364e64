import type { EvaluationSummary } from "@obspan/collector-core/api-schema";
import { formatWhole } from "../../format.js";
import pageStyles from "../../components/page.module.css";
import textStyles from "../../components/text.module.css";

/** Keyboard hints, and the ledger of evaluations. */
export function EvaluationsFoot({ summary: { evaluation } }: { summary: EvaluationSummary }) {
  return (
    <footer className={pageStyles.foot}>
      <span className={textStyles.keys}>
        <kbd>↑</kbd>
        <kbd>↓</kbd> move
      </span>
      <span className={textStyles.keys}>
        <kbd>↵</kbd> open the span
      </span>
      {evaluation !== null && (
        <span className={textStyles.keys}>
          <kbd>R</kbd> run again
        </span>
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
