import styles from "./share-bar.module.css";

/** `most` is that of the largest row. */
export type ShareTone = "most" | "error" | "warn" | undefined;

interface ShareBarProps {
  /** From 0 to 1. */
  readonly share: number;
  readonly tone?: ShareTone;
}

/** An amount as a bar, beside the number for it. */
export function ShareBar({ share, tone }: ShareBarProps) {
  return (
    <span className={styles.bar} aria-hidden>
      <i className={tone && styles[tone]} style={{ width: `${share * 100}%` }} />
    </span>
  );
}
