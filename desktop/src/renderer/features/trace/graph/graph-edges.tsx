import { durationText } from "../../../format.js";
import { StatusDot } from "../../../components/status-dot.js";
import { classNames } from "../../../components/class-names.js";
import type { GraphGeometry, PlacedEdge } from "./graph-geometry.js";
import styles from "./graph-edges.module.css";

interface GraphEdgesProps {
  readonly geometry: GraphGeometry;
  readonly currentId: string | undefined;
}

/** The edges behind the nodes, with count, time and errors at their ends. The nodes say the same in words. */
export function GraphEdges({ geometry, currentId }: GraphEdgesProps) {
  const { edges, width, height } = geometry;
  const longest = edges.reduce((most, { edge }) => Math.max(most, edge.totalMs), 0);
  const kindOf = ({ edge, isBack }: PlacedEdge): string | undefined => {
    if (edge.from === currentId || edge.to === currentId) return styles.current;
    if (edge.isRunning) return styles.live;
    return isBack ? styles.back : undefined;
  };
  return (
    <>
      <svg className={styles.edges} width={width} height={height} aria-hidden>
        <defs>
          <marker
            id="graph-arrow"
            viewBox="0 0 8 8"
            refX="6.5"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path d="M1 1 6.5 4 1 7" className={styles.arrow} />
          </marker>
        </defs>
        {edges.map((placed) => (
          <path
            key={placed.edge.id}
            d={placed.path}
            className={classNames(styles.edge, kindOf(placed), placed.isBack && styles.dashed)}
            strokeWidth={placed.isBack ? 1.5 : widthOf(placed.edge.totalMs, longest)}
            markerEnd="url(#graph-arrow)"
          />
        ))}
        {edges.map(
          ({ edge, path }) =>
            edge.isRunning && <path key={edge.id} d={path} className={styles.flow} strokeWidth={1.5} />,
        )}
      </svg>
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
            {edge.count > 1 && <b>{edge.count}×</b>}
            <span>
              {isBack ? "back in" : edge.totalMs === 0 ? "not recorded" : durationText(edge.totalMs)}
            </span>
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

function widthOf(ms: number, longest: number): number {
  return 1.25 + 5.5 * Math.sqrt(longest === 0 ? 0 : ms / longest);
}
