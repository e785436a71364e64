import { useEffect, type CSSProperties, type ReactNode, type RefObject } from "react";
import type { SpanNode } from "@obspan/collector-core/analysis";
import { encodeComponent } from "../../api/url-component.js";
import { ROW_HEIGHT, useSpanVirtualizer } from "./hooks/use-span-virtualizer.js";
import { useTracePage, useTraceView } from "./trace-page-context.js";
import { ErrorBoundary } from "../../components/error-boundary.js";
import { classNames } from "../../components/class-names.js";
import textStyles from "../../components/text.module.css";
import styles from "./span-grid.module.css";

interface SpanGridProps {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly style: CSSProperties;
  readonly columns: number;
  /** Drawn behind the rows. */
  readonly guides?: ReactNode;
  /** Renders the cells of a row. */
  readonly renderRow: (node: SpanNode) => ReactNode;
  readonly onOpen: (node: SpanNode) => void;
}

/** Element id of a row; the grid refers to its active row by it. */
export function rowElementId(spanId: string): string {
  return `span-${encodeComponent(spanId)}`;
}

/** The spans as a treegrid with one tab stop. The page's shortcuts move inside it; only visible rows are rendered. */
export function SpanGrid({ scroller, style, columns, guides, renderRow, onOpen }: SpanGridProps) {
  const { rows, selected, found, view, isNarrow } = useTracePage();
  const folded = useTraceView((state) => state.folded);
  const isSearching = useTraceView((state) => state.search.trim() !== "");
  const virtualizer = useSpanVirtualizer(scroller);
  const foundIds = isSearching ? new Set(found) : undefined;

  // Focused at once, so that the keys work without a click.
  useEffect(() => {
    const grid = scroller.current;
    if (grid === null || document.activeElement !== document.body) return;
    // The focus ring is hidden until the first key press.
    grid.dataset["quiet"] = "";
    grid.focus({ preventScroll: true });
  }, [scroller]);

  return (
    <div
      ref={scroller}
      className={styles.rows}
      role="treegrid"
      aria-label="Spans"
      aria-rowcount={rows.length}
      aria-colcount={columns}
      aria-activedescendant={selected === undefined ? undefined : rowElementId(selected.id)}
      tabIndex={0}
      onKeyDown={(event) => delete event.currentTarget.dataset["quiet"]}
      onBlur={(event) => delete event.currentTarget.dataset["quiet"]}
      style={style}
    >
      <div className={styles.rowsInner} role="rowgroup" style={{ height: virtualizer.getTotalSize() }}>
        {guides}
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const node = rows[index];
          if (node === undefined) return null;
          const isSelected = node === selected;
          const match = foundIds && (foundIds.has(node) ? styles.hit : styles.miss);
          return (
            <div
              key={key}
              id={rowElementId(node.id)}
              className={classNames(styles.row, isSelected && styles.selected, match)}
              role="row"
              aria-rowindex={index + 1}
              aria-level={node.depth + 1}
              aria-posinset={node.position}
              aria-setsize={node.siblings}
              aria-expanded={node.children.length > 0 ? !folded.has(node.id) : undefined}
              aria-selected={isSelected}
              style={{ transform: `translateY(${start}px)`, height: ROW_HEIGHT }}
              onClick={() => {
                view.getState().select(node.id);
                if (isNarrow) view.getState().openOverlay();
              }}
              onDoubleClick={() => onOpen(node)}
            >
              <ErrorBoundary
                name="This span"
                resetKey={node.span}
                fallback={() => <UndrawnCells id={node.id} />}
              >
                <Row node={node} render={renderRow} />
              </ErrorBoundary>
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** A component, so that what fails in `render` itself fails inside the boundary. */
function Row({ node, render }: { node: SpanNode; render: SpanGridProps["renderRow"] }) {
  return render(node);
}

/** In place of the cells, so that the row can still be selected. */
function UndrawnCells({ id }: { id: string }) {
  return (
    <div role="gridcell" className={styles.undrawn}>
      <span className={classNames(textStyles.cut, textStyles.mono)}>{id}</span>
      <span className={textStyles.error}>cannot be shown</span>
    </div>
  );
}
