import { classNames } from "./class-names.js";
import textStyles from "./text.module.css";
import styles from "./middle-cut.module.css";

/** Characters at the end of a text that stay visible. */
const END_LENGTH = 10;

/** A text that is cut in its middle if space is short: names such as `mcp__github__create_issue` differ at their end. */
export function MiddleCut({ text }: { text: string }) {
  const at = Math.max(0, text.length - END_LENGTH);
  return (
    <span className={styles.middleCut}>
      <span className={textStyles.cut}>{text.slice(0, at)}</span>
      <span className={at === 0 ? classNames(styles.end, textStyles.cut) : styles.end}>{text.slice(at)}</span>
    </span>
  );
}
