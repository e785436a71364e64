import type { TraceSummary } from "@obspan/collector-core/api-schema";
import type { CSSProperties } from "react";
import { formatScore } from "../../format.js";
import { useThresholds } from "../../app-context.js";
import { LowerIsBetter } from "../../components/lower-is-better.js";
import { gradeScores, worstScore, type Grade } from "../../score-grades.js";
import { classNames } from "../../components/class-names.js";
import textStyles from "../../components/text.module.css";
import styles from "./scores-cell.module.css";

const BAR_CLASS: Readonly<Record<Grade, string | undefined>> = {
  good: undefined,
  weak: styles.weak,
  bad: styles.bad,
};
const FIGURE_CLASS: Readonly<Record<Grade, string | undefined>> = {
  good: textStyles.dim,
  weak: textStyles.warn,
  bad: textStyles.error,
};

/** Scores as a strip with one bar per type, and the worst score as a number. */
export function ScoresCell({ scores }: { scores: TraceSummary["scores"] }) {
  const graded = gradeScores(scores, useThresholds());
  const worst = worstScore(graded);
  if (worst === undefined) return <span className={textStyles.faint}>–</span>;
  const all = graded.map(({ type, score, label, isLowerBetter }) => {
    return `${type}${isLowerBetter ? " ↓" : ""} ${formatScore(score)}${label === null ? "" : ` (${label})`}`;
  });
  return (
    <span className={styles.scoreCell}>
      <span className={styles.scores} data-tip={all.join("\n")}>
        <span className={styles.strip} aria-hidden>
          {graded.map(({ type, goodness, grade }) => (
            <i key={type} className={BAR_CLASS[grade]} style={{ "--v": goodness } as CSSProperties} />
          ))}
        </span>
        <span className={classNames(textStyles.number, FIGURE_CLASS[worst.grade])}>
          {formatScore(worst.score)}
          {worst.isLowerBetter && <LowerIsBetter />}
        </span>
      </span>
    </span>
  );
}
