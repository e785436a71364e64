import { useLayoutEffect, useState } from "react";
import { edgePath, type Box, type Edge } from "./edge-path.js";
import { rateText } from "./pipeline-node.js";
import { classNames } from "../../components/class-names.js";
import styles from "./edges.module.css";

interface EdgesProps {
  /** The container of the stages; null until it is mounted. */
  readonly canvas: HTMLElement | null;
  readonly edges: readonly Edge[];
}

/** The connections between the stages: thicker for a higher rate, animated if there is traffic. */
export function Edges({ canvas, edges }: EdgesProps) {
  const boxes = useBoxes(canvas);
  const paths = edges.flatMap((edge) => {
    const from = boxes.get(edge.from);
    const to = boxes.get(edge.to);
    return from === undefined || to === undefined ? [] : [{ edge, ...edgePath(from, to) }];
  });
  return (
    <>
      <svg className={styles.edges} aria-hidden="true">
        {paths.map(({ edge, path }) => (
          <path
            key={`${edge.from}-${edge.to}`}
            className={edge.isOff === true ? classNames(styles.edge, styles.off) : styles.edge}
            d={path}
            strokeWidth={widthOf(edge.rate)}
          />
        ))}
        {/* Above the edges that share a part of the way. */}
        {paths.map(
          ({ edge, path }) =>
            edge.rate > 0 && (
              <path key={`${edge.from}-${edge.to}`} className={styles.flow} d={path} strokeWidth={1.5} />
            ),
        )}
      </svg>
      {paths.map(({ edge, label }) =>
        edge.isOff === true ? null : (
          <span
            key={`${edge.from}-${edge.to}`}
            className={styles.label}
            style={{ left: label.x, top: label.y }}
            aria-hidden
          >
            {rateText(edge.rate)}/s
          </span>
        ),
      )}
    </>
  );
}

const WIDEST = 7;

function widthOf(rate: number): number {
  return Math.min(WIDEST, 2 + Math.log10(1 + rate) * 2);
}

/** The current positions of the stages in the canvas. */
function useBoxes(canvas: HTMLElement | null): ReadonlyMap<string, Box> {
  const [boxes, setBoxes] = useState<ReadonlyMap<string, Box>>(new Map());
  useLayoutEffect(() => {
    if (canvas === null) return;
    const measure = (): void => {
      const origin = canvas.getBoundingClientRect();
      const found = [...canvas.querySelectorAll<HTMLElement>("[data-node]")].map((node) => {
        const { left, top, width, height } = node.getBoundingClientRect();
        const box = {
          left: left - origin.left + canvas.scrollLeft,
          top: top - origin.top + canvas.scrollTop,
          width,
          height,
        };
        return [node.dataset["node"] ?? "", box] as const;
      });
      setBoxes((before) => (areSame(before, found) ? before : new Map(found)));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(canvas);
    for (const node of canvas.querySelectorAll("[data-node]")) observer.observe(node);
    measure();
    return () => observer.disconnect();
  }, [canvas]);
  return boxes;
}

function areSame(before: ReadonlyMap<string, Box>, found: readonly (readonly [string, Box])[]): boolean {
  return (
    before.size === found.length &&
    found.every(([name, box]) => JSON.stringify(before.get(name)) === JSON.stringify(box))
  );
}
