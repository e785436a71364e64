import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { Link } from "wouter";
import { SpanIcon, typeClass } from "../../components/span-icon.js";
import { durationText, formatWhole } from "../../format.js";
import { numberOf, type SpanNode, type TurnReading } from "@obspan/collector-core/analysis";
import { tracePath } from "../trace/trace-address.js";
import { ticksOf } from "../trace/model/time-scale.js";
import { classNames } from "../../components/class-names.js";
import textStyles from "../../components/text.module.css";
import barStyles from "../trace/timeline/timeline-row.module.css";
import styles from "./mini-timeline.module.css";

/** Rows that are shown; the trace has all. */
const ROWS = 14;
const MAX_TICKS = 4;
/** The text of a later one would not fit. */
const LAST_TICK = 0.9;
/** A note stands left of a bar that ends behind this part of the track. */
const NOTE_LEFT = 0.62;

/** The root of a turn and what it called, on one scale. */
export function MiniTimeline({ reading, turn }: { reading: TurnReading; turn: TraceSummary }) {
  const { roots, endMs } = reading.tree;
  const nodes = roots.flatMap((root) => [root, ...root.children]);
  const lengthMs = Math.max(endMs, 1);
  const shown = nodes.slice(0, ROWS);
  return (
    <section className={styles.timeline} aria-label="Where the time went">
      <div className={styles.ruler} aria-hidden>
        {ticksOf({ startMs: 0, endMs: lengthMs }, MAX_TICKS)
          .filter(({ ms }) => ms <= lengthMs * LAST_TICK)
          .map(({ ms, label }) => (
            <span key={ms} style={{ left: `${(ms / lengthMs) * 100}%` }}>
              {label}
            </span>
          ))}
      </div>
      {shown.map((node) => (
        <Row key={node.id} node={node} turn={turn} lengthMs={lengthMs} />
      ))}
      {nodes.length > ROWS && (
        <p className={classNames(textStyles.faint, styles.more)}>
          {formatWhole(nodes.length - ROWS)} more in the trace
        </p>
      )}
    </section>
  );
}

function Row({ node, turn, lengthMs }: { node: SpanNode; turn: TraceSummary; lengthMs: number }) {
  const { span, startMs, children, depth } = node;
  const endMs = node.endMs ?? lengthMs;
  const left = Math.max(0, startMs / lengthMs);
  const width = Math.max(0, Math.min(1 - left, (endMs - startMs) / lengthMs));
  const wait = numberOf(span, "ttft_ms") ?? 0;
  const inner = depth === 0 ? 0 : countBelow(node);
  const isLeft = left + width > NOTE_LEFT;
  const key = { traceId: turn.trace_id, tenant: turn.tenant };
  return (
    <Link
      className={styles.row}
      href={tracePath(key, { spanId: node.id, tab: "messages", view: "timeline" })}
      data-tip={`${span.name} ${durationText(endMs - startMs)}`}
    >
      <span className={styles.label} style={{ paddingLeft: depth === 0 ? 0 : 16 }}>
        <SpanIcon spanType={span.span_type} />
        <b className={textStyles.cut}>{span.name}</b>
        <span className={classNames(textStyles.number, textStyles.dim)}>
          {node.endMs === undefined ? "running" : durationText(endMs - startMs)}
        </span>
      </span>
      <span className={classNames(styles.track, typeClass(span.span_type))}>
        <i
          className={classNames(
            barStyles.span,
            children.length > 0 && barStyles.parent,
            span.status === "ERROR" && barStyles.failed,
            node.endMs === undefined && barStyles.running,
          )}
          style={{ left: `${left * 100}%`, width: `${width * 100}%` }}
        >
          {wait > 0 && endMs > startMs && (
            <i
              className={barStyles.wait}
              style={{ width: `${Math.min(100, (100 * wait) / (endMs - startMs))}%` }}
            />
          )}
        </i>
        {inner > 0 && (
          <span
            className={isLeft ? classNames(barStyles.after, barStyles.left) : barStyles.after}
            style={{ left: `${(isLeft ? left : left + width) * 100}%` }}
          >
            {formatWhole(inner)} {inner === 1 ? "span" : "spans"}
          </span>
        )}
      </span>
    </Link>
  );
}

function countBelow(node: SpanNode): number {
  let count = 0;
  const pending = [...node.children];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    count++;
    for (const child of next.children) pending.push(child);
  }
  return count;
}
