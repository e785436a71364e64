import styles from "./status-dot.module.css";

/** A status as a shape (dot, diamond or ring), so that it does not depend on colour. */
export function StatusDot({ status, name }: { status: string; name?: string }) {
  const kind = STATUS_KINDS.get(status) ?? styles.dot;
  const label = name ?? status;
  return <i className={kind} role="img" aria-label={label} data-tip={label} />;
}

const STATUS_KINDS: ReadonlyMap<string, string | undefined> = new Map(
  Object.entries<string | undefined>({
    OK: styles.ok,
    ERROR: styles.error,
    RUNNING: styles.running,
    ABANDONED: styles.warn,
  }),
);
