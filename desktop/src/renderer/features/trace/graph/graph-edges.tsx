import type { GraphEdge } from "@obspan/collector-core/analysis";
import { costText } from "../cost.js";
import { durationText, formatWhole } from "../../../format.js";
import { StatusDot } from "../../../components/status-dot.js";
import { classNames } from "../../../components/class-names.js";
import type { EdgeWidth } from "../trace-view-store.js";
import type { GraphGeometry, PlacedEdge } from "./graph-geometry.js";
import styles from "./graph-edges.module.css";

interface GraphEdgesProps {
  readonly geometry: GraphGeometry;
  readonly currentId: string | undefined;
  readonly width: EdgeWidth;
}

/** The edges behind the nodes, with count, time and errors at their ends. The nodes say the same in words. */
export function GraphEdges({ geometry, currentId, width: shown }: GraphEdgesProps) {
  const { edges, width, height } = geometry;
  const most = edges.reduce((max, { edge }) => Math.max(max, amountOf(edge, shown)), 0);
  const kindOf = ({ edge, isBack }: PlacedEdge): string | undefined => {
    if (edge.from === currentId || edge.to === currentId) return styles.current;
    if (edge.isRunning) return styles.live;
    return isBack ? styles.back : undefined;
  };
  return (
    <>
      <svg className={styles.edges} width={width} height={height} aria-hidden>
        <defs>
          <Arrow id="graph-arrow" />
          <Arrow id="graph-arrow-current" isCurrent />
        </defs>
        {edges.map((placed) => (
          <path
            key={placed.edge.id}
            d={placed.path}
            className={classNames(styles.edge, kindOf(placed), placed.isBack && styles.dashed)}
            strokeWidth={placed.isBack ? 1.5 : widthOf(amountOf(placed.edge, shown), most)}
            markerEnd={kindOf(placed) === styles.current ? "url(#graph-arrow-current)" : "url(#graph-arrow)"}
          />
        ))}
        {geometry.returns.map(({ loop, path }) => (
          <path
            key={`${loop.callerId} ${loop.nodeId}`}
            d={path}
            className={classNames(styles.edge, styles.back, styles.dashed)}
            strokeWidth={1.5}
            markerEnd="url(#graph-arrow)"
          />
        ))}
        {edges.map(
          ({ edge, path }) =>
            edge.isRunning && <path key={edge.id} d={path} className={styles.flow} strokeWidth={1.5} />,
        )}
      </svg>
      {geometry.returns.map(({ loop, label }) => (
        <span
          key={`${loop.callerId} ${loop.nodeId}`}
          className={classNames(styles.label, styles.backLabel)}
          style={{ left: label.x, top: label.y - 9 }}
          aria-hidden
        >
          back, then in again
        </span>
      ))}
      {edges.map((placed) => {
        const { edge, label, isBack } = placed;
        return (
          <span
            key={edge.id}
            className={classNames(
              styles.label,
              kindOf(placed),
              label.isInMiddle && styles.middle,
              isBack && styles.backLabel,
            )}
            style={{ left: label.x, top: label.y - 9 }}
            aria-hidden
          >
            {edge.count > 1 && shown !== "calls" && <b>{edge.count}×</b>}
            <span>{isBack ? "back in" : textOf(edge, shown)}</span>
            {edge.errors > 0 && (
              <>
                <StatusDot status="ERROR" name={`${edge.errors} failed`} />
                <span className={styles.errors}>{edge.errors}</span>
              </>
            )}
          </span>
        );
      })}
    </>
  );
}

/** The end of an edge, drawn on top of it. */
function Arrow({ id, isCurrent = false }: { id: string; isCurrent?: boolean }) {
  return (
    <marker
      id={id}
      viewBox="0 0 8 8"
      refX="6.5"
      refY="4"
      markerWidth="7"
      markerHeight="7"
      markerUnits="userSpaceOnUse"
      orient="auto"
    >
      <path d="M1 1 6.5 4 1 7" className={classNames(styles.arrow, isCurrent && styles.current)} />
    </marker>
  );
}

function amountOf({ totalMs, count, costUsd }: GraphEdge, shown: EdgeWidth): number {
  return { time: totalMs, calls: count, cost: costUsd }[shown];
}

function textOf({ totalMs, count, costUsd, isComputed }: GraphEdge, shown: EdgeWidth): string {
  if (shown === "calls") return `${formatWhole(count)}×`;
  if (shown === "cost") return costUsd === 0 ? "–" : costText({ usd: costUsd, isComputed });
  return totalMs === 0 ? "not recorded" : durationText(totalMs);
}

function widthOf(amount: number, most: number): number {
  return 1.25 + 5.5 * Math.sqrt(most === 0 ? 0 : amount / most);
}
