import type { ReactNode } from "react";
import styles from "./segmented.module.css";

/** One choice of a segmented control. */
export interface SegmentedChoice<T> {
  readonly value: T;
  readonly content: ReactNode;
  readonly title?: string;
}

interface SegmentedProps<T> {
  /** Accessible name of the group. */
  readonly label: string;
  readonly choices: readonly SegmentedChoice<T>[];
  /** Undefined if nothing is chosen yet. */
  readonly chosen: T | undefined;
  readonly onChoose: (value: T) => void;
  readonly isSmall?: boolean;
}

/** A row of buttons of which one is pressed. */
export function Segmented<T extends string | number>(props: SegmentedProps<T>) {
  const { label, choices, chosen, onChoose, isSmall = false } = props;
  return (
    <div className={isSmall ? styles.small : styles.segmented} role="group" aria-label={label}>
      {choices.map(({ value, content, title }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === chosen}
          data-tip={title}
          onClick={() => onChoose(value)}
        >
          {content}
        </button>
      ))}
    </div>
  );
}
