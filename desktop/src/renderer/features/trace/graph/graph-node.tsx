import type { GraphLoop, GraphNode, GraphServer, Usage } from "@obspan/collector-core/analysis";
import { Plug, Repeat2 } from "lucide-react";
import { SpanIcon } from "../../../components/span-icon.js";
import { StatusDot } from "../../../components/status-dot.js";
import { Cost } from "../cost.js";
import { durationText, formatWhole } from "../../../format.js";
import { classNames } from "../../../components/class-names.js";
import type { Place, PlacedNode } from "./graph-geometry.js";
import badgeStyles from "../../../components/badge.module.css";
import iconStyles from "../../../components/icon.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./graph-node.module.css";

interface GraphNodeButtonProps {
  readonly placed: PlacedNode;
  readonly isCurrent: boolean;
  /** Whether the search finds it; undefined while nothing is searched. */
  readonly isHit: boolean | undefined;
  readonly loops: readonly GraphLoop[];
  readonly onChoose: (id: string, spanId: string | undefined) => void;
}

/** A node of the graph. The nodes have one tab stop; arrow keys move between them. */
export function GraphNodeButton({ placed, isCurrent, isHit, loops, onChoose }: GraphNodeButtonProps) {
  const { node, boxId, left, top, width, height } = placed;
  const isCaller =
    node.kind === "agent" || node.kind === "run" || (node.kind === "others" && node.type === "agent");
  const shape = isCaller ? styles.agent : boxId === node.id ? styles.node : styles.rowNode;
  return (
    <button
      type="button"
      className={classNames(
        styles.any,
        shape,
        isCurrent && styles.current,
        node.isRunning && styles.live,
        isHit === true && styles.hit,
        isHit === false && styles.miss,
      )}
      style={{ left, top, width, height }}
      tabIndex={isCurrent ? 0 : -1}
      data-node={node.id}
      data-found={isHit}
      aria-current={isCurrent ? "true" : undefined}
      aria-label={wordsOf(node, loops)}
      data-tip={wordsOf(node, loops)}
      onClick={() => onChoose(node.id, node.spans[0]?.id)}
    >
      <span className={styles.line}>
        {node.kind === "server" ? (
          <Plug className={iconStyles.small} aria-hidden />
        ) : (
          <SpanIcon spanType={node.type} />
        )}
        <b className={classNames(textStyles.cut, textStyles.grow)}>{nameOf(node)}</b>
        <LoopMark loops={loops} />
        {node.inside > 0 && <span className={textStyles.count}>+{node.inside}</span>}
        {node.isRunning && <StatusDot status="RUNNING" name="Running" />}
        {!isCaller && node.usage.costUsd > 0 && (
          <span className={classNames(textStyles.number, styles.small)}>
            <CostOf usage={node.usage} />
          </span>
        )}
      </span>
      {isCaller && (
        <>
          <span className={styles.figures}>
            <span>entered {formatWhole(node.count)}×</span>
            <span className={textStyles.number}>{durationText(node.totalMs)}</span>
          </span>
          <span className={styles.figures}>
            <span>
              {formatWhole(node.modelCalls)} model {node.modelCalls === 1 ? "call" : "calls"}
            </span>
            <span className={textStyles.number}>
              {node.usage.costUsd > 0 && <CostOf usage={node.usage} />}
            </span>
          </span>
        </>
      )}
    </button>
  );
}

export function CostOf({ usage: { costUsd, isComputed } }: { usage: Usage }) {
  return <Cost cost={{ usd: costUsd, isComputed }} />;
}

/** An MCP server around its tools. */
export function GraphGroup({ server, place }: { server: GraphServer; place: Place }) {
  return (
    <div className={styles.group} style={{ ...place }}>
      <Plug className={iconStyles.small} aria-hidden />
      <b className={textStyles.cut}>{server.name}</b>
      <span className={textStyles.faint}>MCP{server.note !== undefined && ` · ${server.note}`}</span>
      <span className={textStyles.grow} />
      <span className={textStyles.count}>{formatWhole(server.count)}</span>
    </div>
  );
}

function LoopMark({ loops }: { loops: readonly GraphLoop[] }) {
  const [loop] = loops;
  if (loop === undefined) return null;
  if (loop.kind === "same-call")
    return <span className={classNames(badgeStyles.warn, styles.badge)}>same call ×{loop.count}</span>;
  return (
    <span className={textStyles.warn}>
      <Repeat2 className={iconStyles.small} aria-hidden />
    </span>
  );
}

/** `312 other tools`, `get_order`. */
export function nameOf({ kind, name, members }: GraphNode): string {
  return kind === "others" ? `${formatWhole(members.length)} ${name}` : name;
}

/** What a loop is, in words. */
export function loopText({ kind, count }: GraphLoop): string {
  if (kind === "same-call") return `same call ×${count}`;
  return kind === "again" ? "gave back, and was started again" : "was started from inside itself";
}

function wordsOf(node: GraphNode, loops: readonly GraphLoop[]): string {
  const { count, totalMs, errors, isRunning, members, kind } = node;
  return [
    `${kind === "others" ? "" : `${kind} `}${nameOf(node)}`,
    kind === "server" ? `${members.length} tools` : "",
    `${formatWhole(count)} ${count === 1 ? "call" : "calls"}`,
    durationText(totalMs),
    errors > 0 ? `${formatWhole(errors)} failed` : "",
    isRunning ? "running" : "",
    ...loops.slice(0, 1).map(loopText),
  ]
    .filter((word) => word !== "")
    .join(", ");
}
