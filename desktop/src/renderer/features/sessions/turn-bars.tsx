import type { SessionSummary } from "@obspan/collector-core/api-schema";
import { classNames } from "../../components/class-names.js";
import { durationText } from "../../format.js";
import textStyles from "../../components/text.module.css";
import styles from "./turn-bars.module.css";

/** One bar for each of the last turns: its height is the time, on a scale that tells seconds from minutes. */
export function TurnBars({ session: { turns, traces } }: { session: SessionSummary }) {
  return (
    <span className={styles.turns}>
      <span className={styles.bars} aria-hidden>
        {turns.map(({ trace_id: id, duration_ms: ms, status }) => (
          <i
            key={id}
            className={barClass(status)}
            style={{ height: barHeight(ms) }}
            data-tip={durationText(ms)}
          />
        ))}
      </span>
      <span className={classNames(textStyles.number, textStyles.dim)}>{traces}</span>
    </span>
  );
}

/** Height of a bar in pixels, up to that of the strip. */
export function barHeight(ms: number): number {
  return Math.min(14, Math.round((3 + 2 * Math.log2(1 + ms / 1000)) * 10) / 10);
}

function barClass(status: string): string | undefined {
  if (status === "ERROR") return styles.failed;
  return status === "RUNNING" ? styles.live : undefined;
}
