import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { SpanIcon, typeClass } from "../../components/span-icon.js";
import { durationText, formatWhole } from "../../format.js";
import { isFailure, numberOf, type SpanNode, type TurnReading } from "@obspan/collector-core/analysis";
import { Figure } from "../trace/figure.js";
import { tracePath } from "../trace/trace-address.js";
import { ticksOf } from "../trace/model/time-scale.js";
import { classNames } from "../../components/class-names.js";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import barStyles from "../trace/timeline/timeline-row.module.css";
import styles from "./mini-timeline.module.css";

/** Rows that are shown; the trace has all. */
const ROWS = 14;
/** The same, while a reader looks deeper. */
const UNFOLDED_ROWS = 200;
const INDENT_PX = 16;
/** Deeper spans are not indented further: their names need the room. */
const MAX_INDENT = 6;
const MAX_TICKS = 4;
/** The text of a later one would not fit. */
const LAST_TICK = 0.9;
/** A note stands left of a bar that ends behind this part of the track. */
const NOTE_LEFT = 0.62;

/** The root of a turn and what it called, on one scale. */
export function MiniTimeline({ reading, turn }: { reading: TurnReading; turn: TraceSummary }) {
  const { roots, endMs } = reading.tree;
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const nodes = visibleNodes(roots, unfolded);
  const lengthMs = Math.max(endMs, 1);
  const shown = nodes.slice(0, unfolded.size === 0 ? ROWS : UNFOLDED_ROWS);
  const fold = (node: SpanNode): void => {
    const next = new Set(unfolded);
    if (!next.delete(node.id)) next.add(node.id);
    setUnfolded(next);
  };
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
        <Row
          key={node.id}
          node={node}
          turn={turn}
          lengthMs={lengthMs}
          isUnfolded={unfolded.has(node.id)}
          onFold={fold}
        />
      ))}
      {nodes.length > shown.length && (
        <p className={classNames(textStyles.faint, styles.more)}>
          {formatWhole(nodes.length - shown.length)} more in the trace
        </p>
      )}
    </section>
  );
}

/** The roots and what they called, and what those called that are unfolded. */
function visibleNodes(roots: readonly SpanNode[], unfolded: ReadonlySet<string>): SpanNode[] {
  const visible: SpanNode[] = [];
  const pending = roots.toReversed();
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    visible.push(node);
    if (node.depth === 0 || unfolded.has(node.id)) pending.push(...node.children.toReversed());
  }
  return visible;
}

interface RowProps {
  readonly node: SpanNode;
  readonly turn: TraceSummary;
  readonly lengthMs: number;
  readonly isUnfolded: boolean;
  readonly onFold: (node: SpanNode) => void;
}

function Row({ node, turn, lengthMs, isUnfolded, onFold }: RowProps) {
  const { span, startMs, children, depth } = node;
  const endMs = node.endMs ?? lengthMs;
  const left = Math.max(0, startMs / lengthMs);
  const width = Math.max(0, Math.min(1 - left, (endMs - startMs) / lengthMs));
  const wait = numberOf(span, "ttft_ms") ?? 0;
  const inner = depth === 0 || isUnfolded ? { spans: 0, errors: 0 } : countBelow(node);
  const indentPx = Math.min(depth, MAX_INDENT) * INDENT_PX;
  const isLeft = left + width > NOTE_LEFT;
  const key = { traceId: turn.trace_id, tenant: turn.tenant };
  return (
    <div className={styles.line}>
      {depth > 0 && children.length > 0 && (
        <button
          type="button"
          className={styles.fold}
          style={{ left: indentPx - 6 }}
          aria-expanded={isUnfolded}
          aria-label={`What ${span.name} called`}
          onClick={() => onFold(node)}
        >
          <ChevronRight
            className={classNames(iconStyles.tiny, textStyles.faint, isUnfolded && styles.open)}
            aria-hidden
          />
        </button>
      )}
      <Link
        className={styles.row}
        href={tracePath(key, { spanId: node.id, tab: "messages", view: "timeline" })}
        data-tip={`${span.name} ${durationText(endMs - startMs)}`}
      >
        <span className={styles.label} style={{ paddingLeft: indentPx }}>
          <SpanIcon spanType={span.span_type} />
          <b className={textStyles.cut}>{span.name}</b>
          {node.endMs === undefined ? (
            <span className={classNames(textStyles.number, textStyles.dim)}>running</span>
          ) : (
            <Figure ms={endMs - startMs} className={textStyles.dim} />
          )}
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
          {inner.spans > 0 && (
            <span
              className={isLeft ? classNames(barStyles.after, barStyles.left) : barStyles.after}
              style={{ left: `${(isLeft ? left : left + width) * 100}%` }}
            >
              {formatWhole(inner.spans)} {inner.spans === 1 ? "span" : "spans"}
              {inner.errors > 0 && (
                <span className={textStyles.error}>
                  {" · "}
                  {formatWhole(inner.errors)} {inner.errors === 1 ? "error" : "errors"}
                </span>
              )}
            </span>
          )}
        </span>
      </Link>
    </div>
  );
}

function countBelow(node: SpanNode): { readonly spans: number; readonly errors: number } {
  let spans = 0;
  let errors = 0;
  const pending = [...node.children];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    spans++;
    if (isFailure(next.span)) errors++;
    for (const child of next.children) pending.push(child);
  }
  return { spans, errors };
}
