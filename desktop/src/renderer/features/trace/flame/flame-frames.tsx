import type { FlameFrame, FlameLayout, SmallFrames } from "@obspan/collector-core/analysis";
import type { ModelPrices } from "@obspan/collector-core/api-schema";
import { useEffect, useRef, useState } from "react";
import { useTracePage, useTraceView } from "../trace-page-context.js";
import { FrameBar } from "./frame-bar.js";
import { frameElementId, ROW } from "./frame-element.js";
import { amountText } from "./flame-words.js";
import type { FlameModel } from "./use-flame.js";
import { classNames } from "../../../components/class-names.js";
import textStyles from "../../../components/text.module.css";
import styles from "./flame-frames.module.css";

/** Height of the strip below the last row. */
const STRIP = 10;
/** More rows scroll, so that the table below keeps its place. */
const MOST_ROWS = 10;
/** Rows that are rendered above and below the visible ones. */
const OVERSCAN = 3;

interface FlameFramesProps {
  readonly model: FlameModel;
  readonly layout: FlameLayout;
  readonly prices: ReadonlyMap<string, ModelPrices | null>;
  readonly width: number;
}

/** The frames as a tree with one tab stop. Only visible rows are rendered. */
export function FlameFrames({ model, layout, prices, width }: FlameFramesProps) {
  const { flame, measure, selected } = model;
  const { view, tree, found, isNarrow } = useTracePage();
  const isSearching = useTraceView((state) => state.search.trim() !== "");
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const hits = isSearching ? new Set(found.map(({ id }) => flame.frameOf.get(id))) : undefined;
  const height = Math.min(layout.depth, MOST_ROWS) * ROW + STRIP;
  const firstRow = Math.floor(top / ROW) - OVERSCAN;
  const lastRow = firstRow + MOST_ROWS + 2 * OVERSCAN;
  const isVisible = (depth: number): boolean => depth >= firstRow && depth <= lastRow;

  // Focused at once, so that the keys work without a click.
  useEffect(() => {
    const element = scroller.current;
    if (element === null || document.activeElement !== document.body) return;
    element.dataset["quiet"] = "";
    element.focus({ preventScroll: true });
  }, []);
  const selectedDepth = selected?.depth;
  useEffect(() => {
    const element = scroller.current;
    if (element === null || selectedDepth === undefined) return;
    const at = selectedDepth * ROW;
    if (at < element.scrollTop) element.scrollTop = at;
    else if (at + ROW > element.scrollTop + element.clientHeight)
      element.scrollTop = at + ROW + STRIP - element.clientHeight;
  }, [selected?.key, selectedDepth]);

  const choose = ({ key }: FlameFrame): void => {
    view.getState().select(key);
    if (isNarrow) view.getState().openOverlay();
  };
  const isSelectedDrawn = layout.boxes.some(({ frame }) => frame === selected);
  return (
    <div
      ref={scroller}
      className={styles.frames}
      role="tree"
      aria-label={`Frames by ${measure}`}
      aria-activedescendant={selected && isSelectedDrawn ? frameElementId(selected) : undefined}
      tabIndex={0}
      style={{ height }}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
      onKeyDown={({ currentTarget }) => delete currentTarget.dataset["quiet"]}
      onBlur={({ currentTarget }) => delete currentTarget.dataset["quiet"]}
    >
      <div className={styles.inner} role="none" style={{ height: layout.depth * ROW + STRIP, width }}>
        {layout.boxes.map((box) =>
          isVisible(box.frame.depth) ? (
            <FrameBar
              key={box.frame.key}
              box={box}
              measure={measure}
              total={flame.total}
              prices={prices}
              isSelected={box.frame === selected}
              match={hits && (hits.has(box.frame) ? "hit" : "miss")}
              isLive={tree.isRunning}
              onChoose={choose}
              onOpen={({ key }) => view.getState().setFlame({ zoomedTo: key })}
            />
          ) : null,
        )}
        {layout.small.map((small) =>
          isVisible(small.depth) ? (
            <Smaller
              key={small.first.key}
              small={small}
              amount={amountText(small.amount, measure, flame.isComputed)}
              onOpen={() => {
                const { parent } = small.first;
                // Where a zoom cannot open them, the first of them is shown beside.
                if (parent === undefined || parent === model.base) choose(small.first);
                else view.getState().setFlame({ zoomedTo: parent.key });
              }}
            />
          ) : null,
        )}
      </div>
    </div>
  );
}

interface SmallerProps {
  readonly small: SmallFrames;
  readonly amount: string;
  readonly onOpen: () => void;
}

/** Frames that are too narrow to be drawn, as one. */
function Smaller({ small: { count, depth, left, width, first }, amount, onOpen }: SmallerProps) {
  const name = `${count} smaller`;
  return (
    <div
      className={classNames(styles.frame, styles.smaller)}
      role="treeitem"
      aria-level={first.depth + 1}
      aria-selected={false}
      aria-label={`${name}, ${amount}`}
      data-tip={`${name} · ${amount}`}
      style={{ left, width: width - 1, top: depth * ROW }}
      onClick={onOpen}
    >
      {width > 60 && (
        <span className={styles.text}>
          <span className={textStyles.cut}>{name}</span>
          {width > 140 && <span className={styles.amount}>{amount}</span>}
        </span>
      )}
    </div>
  );
}
