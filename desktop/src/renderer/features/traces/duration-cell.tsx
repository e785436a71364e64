import type { TraceSummary } from "@obspan/collector-core/api-schema";
import type { CSSProperties } from "react";
import { formatDuration } from "../../format.js";
import { useIsLive } from "./use-is-live.js";
import { useNow } from "./use-now.js";
import { classNames } from "../../components/class-names.js";
import textStyles from "../../components/text.module.css";
import styles from "./duration-cell.module.css";

/** A run that began longer ago has a clock that is not ours. */
const PLAUSIBLE_MS = 24 * 3_600_000;

/** Whole bars stand for one of these, or ten, a hundred times as long. */
const SCALES = [1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/**
 * What the longest bar stands for: the longest duration that is visible, rounded up. Exact, it would change with nearly
 * every row that comes or goes, and every bar and the style of every row with it.
 */
export function barScale(longestMs: number): number {
  const power = 10 ** Math.floor(Math.log10(longestMs));
  return power * (SCALES.find((scale) => scale * power >= longestMs) ?? 10);
}

/** How long a trace took, as a figure and as a bar against the longest that is visible. */
export function DurationCell({ trace }: { trace: TraceSummary }) {
  return trace.running ? <RunningDuration trace={trace} /> : <Duration ms={trace.duration_ms} />;
}

function Duration({ ms, isRunning = false }: { ms: number; isRunning?: boolean }) {
  const { value, unit } = formatDuration(ms);
  return (
    <span className={isRunning ? classNames(styles.duration, styles.live) : styles.duration}>
      <i style={{ "--ms": ms } as CSSProperties} aria-hidden />
      <span className={textStyles.number}>
        {value}
        <span className={textStyles.unit}> {unit}</span>
      </span>
    </span>
  );
}

/** A running trace grows by itself: its spans may be silent for long. */
function RunningDuration({ trace }: { trace: TraceSummary }) {
  const nowMs = useNow(useIsLive());
  const elapsedMs = nowMs - Date.parse(trace.start_time);
  const isPlausible = elapsedMs > trace.duration_ms && elapsedMs < PLAUSIBLE_MS;
  return <Duration ms={isPlausible ? elapsedMs : trace.duration_ms} isRunning />;
}
