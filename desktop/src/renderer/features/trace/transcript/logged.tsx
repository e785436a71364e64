import type { SpanNode } from "@obspan/collector-core/analysis";
import type { CSSProperties, ReactNode } from "react";
import { classNames } from "../../../components/class-names.js";
import { durationText } from "../../../format.js";
import { useTraceNow } from "../hooks/use-trace-now.js";
import { StepNumber } from "../step-number.js";
import textStyles from "../../../components/text.module.css";
import styles from "./transcript.module.css";

interface LoggedProps {
  readonly atMs: number;
  readonly level: number;
  readonly icon: ReactNode;
  readonly number?: number | undefined;
  /** Shown below the start. Undefined while unknown. */
  readonly durationMs?: number | undefined;
  readonly children: ReactNode;
}

/** Most levels of agents that are indented. */
const MAX_LEVEL = 3;

/** The indentation of what an agent does that another agent started. */
export function indentOf(level: number): CSSProperties {
  return { "--level": Math.min(level, MAX_LEVEL) } as CSSProperties;
}

/** A row as in a logbook: its time, its icon, and what happened. */
export function Logged({ atMs, level, icon, number, durationMs, children }: LoggedProps) {
  return (
    <div className={styles.turn}>
      <div className={styles.when}>
        <StepNumber number={number} />
        <span className={classNames(textStyles.number, styles.start)}>{durationText(atMs)}</span>
        {durationMs !== undefined && <span className={textStyles.number}>{durationText(durationMs)}</span>}
      </div>
      <div className={styles.line}>
        <span className={styles.node}>{icon}</span>
      </div>
      <div className={styles.what} style={indentOf(level)}>
        {children}
      </div>
    </div>
  );
}

/** How long a span took, or has taken so far; undefined if unknown. */
export function useDuration({ span, startMs, endMs }: SpanNode): number | undefined {
  const nowMs = useTraceNow();
  if (endMs === undefined) return Math.max(0, nowMs - startMs);
  return span.duration_ms === null ? undefined : endMs - startMs;
}
