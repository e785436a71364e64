import styles from "./share-bar.module.css";

interface ShareBarProps {
  /** From 0 to 1. */
  readonly share: number;
  /** `most` is that of the largest row. */
  readonly tone?: "most" | "error" | "warn" | undefined;
}

/** An amount as a bar, beside the number for it. */
export function ShareBar({ share, tone }: ShareBarProps) {
  return (
    <span className={styles.bar} aria-hidden>
      <i className={tone && styles[tone]} style={{ width: `${share * 100}%` }} />
    </span>
  );
}
