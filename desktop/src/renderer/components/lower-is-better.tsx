import textStyles from "./text.module.css";

/** Beside a score of a type for which lower is better. */
export function LowerIsBetter() {
  return (
    <>
      <span className={textStyles.unit} aria-hidden>
        {" "}
        ↓
      </span>
      <span className={textStyles.screenReader}>, lower is better</span>
    </>
  );
}
