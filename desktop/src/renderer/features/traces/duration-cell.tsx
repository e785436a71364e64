import type { TraceSummary } from "@obspan/collector-core/api-schema";
import type { CSSProperties } from "react";
import { DurationParts } from "../../components/duration-parts.js";
import { useIsLive } from "./use-is-live.js";
import { useNow } from "../../components/use-now.js";
import { classNames } from "../../components/class-names.js";
import textStyles from "../../components/text.module.css";
import styles from "./duration-cell.module.css";

/** A run that seems to have started longer ago has a wrong clock. */
const PLAUSIBLE_MS = 24 * 3_600_000;

/** A full bar represents one of these values, times a power of ten. */
const SCALES = [1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/**
 * The duration of a full bar: the longest visible duration, rounded up. Without rounding, nearly every change would
 * restyle every row.
 */
export function barScale(longestMs: number): number {
  const power = 10 ** Math.floor(Math.log10(longestMs));
  return power * (SCALES.find((scale) => scale * power >= longestMs) ?? 10);
}

/** Duration of a trace, as a number and as a bar relative to the longest visible one. */
export function DurationCell({ trace }: { trace: TraceSummary }) {
  return trace.running ? <RunningDuration trace={trace} /> : <Duration ms={trace.duration_ms} />;
}

function Duration({ ms, isRunning = false }: { ms: number; isRunning?: boolean }) {
  return (
    <span className={isRunning ? classNames(styles.duration, styles.live) : styles.duration}>
      <i style={{ "--ms": ms } as CSSProperties} aria-hidden />
      <span className={textStyles.number}>
        <DurationParts ms={ms} />
      </span>
    </span>
  );
}

/** The duration of a running trace grows even if its spans are silent. */
function RunningDuration({ trace }: { trace: TraceSummary }) {
  const nowMs = useNow(useIsLive());
  const elapsedMs = nowMs - Date.parse(trace.start_time);
  const isPlausible = elapsedMs > trace.duration_ms && elapsedMs < PLAUSIBLE_MS;
  return <Duration ms={isPlausible ? elapsedMs : trace.duration_ms} isRunning />;
}
