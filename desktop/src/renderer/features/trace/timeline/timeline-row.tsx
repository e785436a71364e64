import { memo } from "react";
import { numberOf, textOf, type Segment, type SpanNode } from "@obspan/collector-core/analysis";
import { useContextOfCall } from "../../../app-context.js";
import { typeClass } from "../../../components/span-icon.js";
import { durationText } from "../../../format.js";
import { barGeometry, noteSide, pathBoxes, type BarGeometry } from "../model/bar-geometry.js";
import { sideNote } from "../model/span-notes.js";
import type { TimeWindow } from "../model/time-scale.js";
import { SpanLabel } from "../span-label.js";
import { classNames } from "../../../components/class-names.js";
import textStyles from "../../../components/text.module.css";
import styles from "./timeline-row.module.css";

interface TimelineRowProps {
  readonly node: SpanNode;
  readonly path: readonly Segment[] | undefined;
  readonly window: TimeWindow;
  readonly trackWidth: number;
  readonly maxIndent: number;
  /** End of the span; for a running span, the current time. */
  readonly nowMs: number;
  /** The latest known end of the trace. */
  readonly lastMs: number;
}

/** A row of the timeline: the span's name and its bar. */
export const TimelineRow = memo(function TimelineRow(props: TimelineRowProps) {
  const { node, path, window, trackWidth, maxIndent, nowMs, lastMs } = props;
  const isAbandoned = node.span.status === "ABANDONED" && node.span.duration_ms === null;
  const endMs = isAbandoned ? lastMs : nowMs;
  const bar = barGeometry(node, endMs, window, trackWidth);
  const isKnown = node.span.duration_ms !== null || node.endMs === undefined;
  return (
    <>
      <SpanLabel node={node} maxIndent={maxIndent} durationMs={isKnown ? endMs - node.startMs : undefined} />
      <div className={classNames(styles.track, typeClass(node.span.span_type))} role="gridcell">
        <span className={textStyles.screenReader}>{describe(node, endMs)}</span>
        {bar.outside === undefined && (
          <i
            className={barClass(node)}
            style={{ left: bar.left, width: bar.width }}
            data-tip={describe(node, endMs)}
          >
            {bar.waitWidth > 0.5 && <i className={styles.wait} style={{ width: bar.waitWidth }} />}
          </i>
        )}
        {path !== undefined &&
          pathBoxes(path, window, trackWidth, node.children.length > 0).map(({ left, width }) => (
            <i key={left} className={styles.critical} style={{ left, width }} />
          ))}
        <Note node={node} bar={bar} trackWidth={trackWidth} />
      </div>
    </>
  );
});

const CACHE_BROKE = { text: "cache broke", isError: false };

function Note({ node, bar, trackWidth }: { node: SpanNode; bar: BarGeometry; trackWidth: number }) {
  const hasBroken = useContextOfCall(({ broken }) => broken.has(node.id));
  if (bar.outside === "before") return <span className={classNames(styles.after, styles.edge)}>‹</span>;
  if (bar.outside === "after")
    return <span className={classNames(styles.after, styles.edge, styles.last)}>›</span>;
  const parent = node.parent?.span;
  const own = sideNote(node.span, parent === undefined ? undefined : textOf(parent, "agent"));
  const note = hasBroken && own?.isError !== true ? CACHE_BROKE : own;
  const side = note === undefined ? undefined : noteSide(bar, note.text, trackWidth);
  if (note === undefined || side === undefined) return null;
  return (
    <span
      className={classNames(
        styles.after,
        side === "left" && styles.left,
        note.isError && textStyles.error,
        note === CACHE_BROKE && styles.broke,
      )}
      style={{ left: side === "right" ? bar.left + bar.width : bar.left }}
    >
      {note.text}
    </span>
  );
}

function barClass({ span, children, endMs }: SpanNode): string {
  const isFailed = span.status === "ERROR" && span.error_propagated !== true;
  const classes: (string | undefined)[] = [styles.span];
  // An evaluation of a span is not part of its work.
  if (children.some(({ span: child }) => child.span_type !== "evaluation")) classes.push(styles.parent);
  if (isFailed) classes.push(styles.failed);
  if (endMs === undefined) classes.push(styles.running);
  if (span.status === "ABANDONED") classes.push(styles.abandoned);
  return classNames(...classes);
}

/** The bar as text: start, duration and first token. */
function describe({ startMs, span }: SpanNode, endMs: number): string {
  const parts = [`${durationText(startMs)} after the start`];
  if (span.duration_ms !== null) parts.push(`took ${durationText(endMs - startMs)}`);
  else if (span.status === "RUNNING") parts.push("running");
  else parts.push("duration not known");
  const ttftMs = numberOf(span, "ttft_ms");
  if (ttftMs !== undefined) parts.push(`first token after ${durationText(ttftMs)}`);
  return parts.join(", ");
}
