import type { Repeat } from "@obspan/collector-core/analysis";
import { classNames } from "../../components/class-names.js";
import badgeStyles from "../../components/badge.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./repeat-mark.module.css";

/** From this many equal calls on, an agent goes round in circles. */
const LOOP = 3;

interface RepeatMarkProps {
  readonly repeat: Repeat | undefined;
  /** In a row, where there is little room. */
  readonly isShort?: boolean;
}

/** Marks a tool that was called with the same arguments before. */
export function RepeatMark({ repeat, isShort = false }: RepeatMarkProps) {
  if (repeat === undefined) return null;
  const { position, count, isRetry } = repeat;
  const title = `The same tool with the same arguments: call ${position} of ${count}`;
  if (count >= LOOP)
    return (
      <span className={classNames(badgeStyles.warn, styles.repeat)} data-tip={title}>
        {isShort ? `×${count}` : `same call ×${count}`}
      </span>
    );
  if (position === 1) return null;
  return (
    <span className={classNames(textStyles.faint, styles.repeat)} data-tip={title}>
      {isRetry ? (isShort ? "retry" : tryName(position)) : isShort ? `×${count}` : `same call ×${count}`}
    </span>
  );
}

/** `second try`, `third try`, `try 4`. */
function tryName(position: number): string {
  if (position === 2) return "second try";
  return position === 3 ? "third try" : `try ${position}`;
}
