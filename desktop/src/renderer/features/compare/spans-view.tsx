import type { TraceComparison } from "@obspan/collector-core/api-schema";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, type CSSProperties } from "react";
import { pairKey } from "../../store/compare-store.js";
import { fitWindow, shareOf, tickStep, ticksOf } from "../trace/model/time-scale.js";
import { RunRow, StepRow, stepRowId } from "./step-row.js";
import { StepPanel } from "./step-panel.js";
import type { SelectedStep } from "./use-selected-step.js";
import { classNames } from "../../components/class-names.js";
import tableStyles from "../../components/table.module.css";
import styles from "./spans-view.module.css";

/** Row height, `--row-dense` in tokens.css. */
const ROW_PX = 26;
/** The head and the row of the runs stay in view. */
const TOP_PX = 28 + ROW_PX;
/** About the height of what is above and below the list: with it, the first rows are drawn before the list is measured. */
const AROUND_PX = 400;
const MAX_TICKS = 4;

interface ViewProps {
  readonly comparison: TraceComparison;
  readonly selection: SelectedStep;
}

/** The steps of both runs over one clock, and the selected one below. */
export function SpansView({ comparison, selection }: ViewProps) {
  return (
    <div className={styles.view}>
      <StepTable comparison={comparison} selection={selection} />
      <StepPanel comparison={comparison} selection={selection} />
    </div>
  );
}

function StepTable({ comparison, selection }: ViewProps) {
  const { a, b, steps, first_divergence: divergence } = comparison;
  const { index: selected, select } = selection;
  const table = useRef<HTMLDivElement>(null);
  const window = useMemo(() => fitWindow(lengthOf(comparison), MAX_TICKS), [comparison]);
  const virtualizer = useVirtualizer({
    count: steps.length,
    getScrollElement: () => table.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    initialRect: { width: 0, height: globalThis.innerHeight - AROUND_PX },
    scrollMargin: TOP_PX,
    scrollPaddingStart: TOP_PX,
    getItemKey: (index) => {
      const pair = steps[index];
      return pair === undefined ? index : pairKey(pair);
    },
  });
  const height = virtualizer.scrollRect?.height;
  // The panel below takes its room from the list when it has loaded.
  useEffect(() => {
    if (selected >= 0) virtualizer.scrollToIndex(selected, { align: "auto" });
  }, [selected, height, virtualizer]);
  useEffect(() => {
    const grid = table.current;
    if (grid === null || document.activeElement !== document.body) return;
    // The focus ring is hidden until the first key press.
    grid.dataset["quiet"] = "";
    grid.focus({ preventScroll: true });
  }, []);
  const length = window.endMs - window.startMs;
  const style = { "--tick": `${(tickStep(length, MAX_TICKS) / length) * 100}%` } as CSSProperties;
  return (
    <div
      ref={table}
      className={styles.table}
      role="grid"
      aria-label="Steps of both runs"
      aria-rowcount={steps.length + 2}
      aria-activedescendant={selected < 0 ? undefined : stepRowId(selected)}
      tabIndex={0}
      onKeyDown={(event) => delete event.currentTarget.dataset["quiet"]}
      style={style}
    >
      <div role="rowgroup" className={styles.top}>
        <div role="row" aria-rowindex={1} className={classNames(tableStyles.row, tableStyles.head)}>
          <span role="columnheader">Span</span>
          <span role="columnheader" className={tableStyles.right}>
            A
          </span>
          <span role="columnheader" aria-label="Time" className={styles.axis}>
            {ticksOf(window, MAX_TICKS).map(({ ms, label }) => (
              <i key={ms} style={{ left: `${shareOf(window, ms) * 100}%` }}>
                {label}
              </i>
            ))}
          </span>
          <span role="columnheader" className={tableStyles.right}>
            B
          </span>
          <span role="columnheader" className={tableStyles.right}>
            Δ time
          </span>
          <span role="columnheader" className={classNames(tableStyles.right, styles.tokens)}>
            Δ tokens in
          </span>
          <span role="columnheader" className={classNames(tableStyles.right, styles.cost)}>
            Δ cost
          </span>
          <span role="columnheader">Difference</span>
        </div>
        <RunRow a={a} b={b} deltas={comparison.deltas} window={window} />
      </div>
      <div role="rowgroup" className={styles.inner} style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const pair = steps[index];
          if (pair === undefined) return null;
          return (
            <StepRow
              key={key}
              pair={pair}
              index={index}
              isSelected={index === selected}
              isFirst={index === divergence}
              window={window}
              style={{ transform: `translateY(${start - TOP_PX}px)`, height: ROW_PX }}
              onSelect={() => select(index)}
            />
          );
        })}
      </div>
    </div>
  );
}

/** Milliseconds until the last step of a run has ended. */
function lengthOf({ a, b, steps }: TraceComparison): number {
  return steps.reduce(
    (length, { a: inA, b: inB, duration_ms: time }) =>
      Math.max(length, (inA?.start_ms ?? 0) + (time.a ?? 0), (inB?.start_ms ?? 0) + (time.b ?? 0)),
    Math.max(a.duration_ms, b.duration_ms),
  );
}
