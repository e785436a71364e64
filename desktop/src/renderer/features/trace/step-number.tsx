import { classNames } from "../../components/class-names.js";
import textStyles from "../../components/text.module.css";
import styles from "./step-number.module.css";

/** The number of a step, the same in every view. */
export function StepNumber({ number }: { number: number | undefined }) {
  if (number === undefined) return null;
  return (
    <span className={classNames(textStyles.count, styles.stepNumber)}>
      <span className={textStyles.screenReader}>Step </span>
      {number}
    </span>
  );
}
