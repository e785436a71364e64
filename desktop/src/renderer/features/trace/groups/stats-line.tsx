import type { ReactNode } from "react";
import styles from "./groups.module.css";

/** A figure with its name. */
export interface Stat {
  readonly name: string;
  readonly value: ReactNode;
}

/** Figures beside each other. */
export function StatsLine({ stats }: { stats: readonly Stat[] }) {
  return (
    <dl className={styles.stats}>
      {stats.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
