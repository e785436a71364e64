import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { memo } from "react";
import { encodeComponent } from "../../api/url-component.js";
import { ErrorBoundary } from "../../components/error-boundary.js";
import { rowKeyOf } from "../../store/trace-key.js";
import { Cell } from "./cells.js";
import type { Column } from "./columns.js";
import { classNames } from "../../components/class-names.js";
import tableStyles from "../../components/table.module.css";
import textStyles from "../../components/text.module.css";
import cellsStyles from "./cells.module.css";
import traceTableStyles from "./trace-table.module.css";

interface TraceRowProps {
  readonly trace: TraceSummary;
  readonly index: number;
  /** Counts from 1, as screen readers do. */
  readonly position: number;
  readonly topPx: number;
  readonly columns: readonly Column[];
  readonly isSelected: boolean;
  readonly isActive: boolean;
}

/** Element id of a row; the grid refers to its active row by it. */
export function rowId(rowKey: string): string {
  return `trace-${encodeComponent(rowKey)}`;
}

/** A row of the table. The table handles the clicks. */
export const TraceRow = memo(function TraceRow({
  index,
  position,
  topPx,
  isActive,
  ...cells
}: TraceRowProps) {
  const { trace, isSelected } = cells;
  return (
    <div
      className={classNames(
        tableStyles.row,
        isSelected && tableStyles.selected,
        isActive && traceTableStyles.active,
      )}
      role="row"
      id={rowId(rowKeyOf(trace))}
      data-index={index}
      aria-rowindex={position}
      aria-selected={isSelected}
      style={{ transform: `translateY(${topPx}px)` }}
    >
      <ErrorBoundary name="This trace" resetKey={trace} fallback={() => <UndrawnCells id={trace.trace_id} />}>
        <Cells {...cells} />
      </ErrorBoundary>
    </div>
  );
});

/** In place of the cells, so that the row can still be opened. */
function UndrawnCells({ id }: { id: string }) {
  return (
    <div role="gridcell" className={traceTableStyles.undrawn}>
      <span className={classNames(textStyles.cut, textStyles.mono)}>{id}</span>
      <span className={textStyles.error}>cannot be shown</span>
    </div>
  );
}

/** Memoized separately from the row: arrivals move every row but change no cells. */
const Cells = memo(function Cells({
  trace,
  columns,
  isSelected,
}: Pick<TraceRowProps, "trace" | "columns" | "isSelected">) {
  return columns.map(({ id }) => (
    <div key={id} role="gridcell" className={cellsStyles.cell}>
      <Cell id={id} trace={trace} isSelected={isSelected} />
    </div>
  ));
});
