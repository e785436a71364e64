import { useThresholds } from "../../app-context.js";
import { formatScore } from "../../format.js";
import { directionOf, gradeOf } from "../../score-grades.js";
import type { StepDetail, StepScore } from "../../store/compare-store.js";
import { latestScores } from "./model/score-deltas.js";
import { typeText } from "../../components/type-text.js";
import { classNames } from "../../components/class-names.js";
import textStyles from "../../components/text.module.css";
import styles from "./text-section.module.css";

/** The scores of a step in both runs, with the sentences of the judge. */
export function ScoreLines({ scores }: Pick<StepDetail, "scores">) {
  if (scores.a.length + scores.b.length === 0) return null;
  return (
    <div className={styles.columns}>
      <Scores scores={scores.a} />
      <Scores scores={scores.b} />
    </div>
  );
}

function Scores({ scores }: { scores: readonly StepScore[] }) {
  return (
    <ul className={classNames(styles.cell, styles.scores)}>
      {[...latestScores(scores).values()].map((score) => (
        <Score key={score.type} score={score} />
      ))}
    </ul>
  );
}

function Score({ score: { type, score, explanation, outcome } }: { score: StepScore }) {
  const thresholds = useThresholds();
  const isBad = score !== null && gradeOf({ type, score }, directionOf(type), thresholds) === "bad";
  return (
    <li>
      <span className={classNames(textStyles.number, isBad && textStyles.error)}>
        {score === null ? outcome : formatScore(score)}
      </span>{" "}
      {typeText(type)}
      {explanation !== null && <span className={textStyles.faint}> {explanation}</span>}
    </li>
  );
}
