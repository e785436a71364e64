import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  Fragment,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type MouseEvent,
} from "react";
import { useLocation } from "wouter";
import { useStores, useTraces } from "../../app-context.js";
import { indexOfRow, rowKeyOf } from "../../store/trace-key.js";
import { isUnfiltered } from "../../store/traces-state.js";
import { addressOf } from "./cells.js";
import { comparedRows } from "./compared-rows.js";
import { barScale } from "./duration-cell.js";
import { TableHead, withWidth } from "./table-head.js";
import { dayNumber, dayStarts, dayTitle } from "./days.js";
import { DAY_PX, ROW_PX, rowOffsets } from "./row-offsets.js";
import { rowId, TraceRow } from "./trace-row.js";
import type { AddressOrder } from "./use-filters.js";
import { useColumnLayout } from "./use-column-layout.js";
import { useListKeys } from "./use-list-keys.js";
import { useListScroll } from "./use-list-scroll.js";
import { clickRow } from "./click-row.js";
import { useSelection } from "./use-selection.js";
import { usePreload } from "../../components/late.js";
import { TracePage } from "../trace/late-trace-page.js";
import { classNames } from "../../components/class-names.js";
import tableStyles from "../../components/table.module.css";
import styles from "./trace-table.module.css";

/** The next page is fetched when at most this many rows are left below the visible ones. */
const FETCH_AHEAD = 40;

/** The list of traces; only visible rows are rendered. */
export function TraceTable({
  order,
  setOrder,
  onClearFilters,
}: AddressOrder & { readonly onClearFilters: () => void }) {
  const { traces, trace, preferences } = useStores();
  usePreload(TracePage.preload);
  const rows = useTraces((state) => state.rows);
  const above = useTraces((state) => state.above);
  const selected = useTraces((state) => state.selected);
  const nextCursor = useTraces((state) => state.nextCursor);
  const isStale = useTraces((state) => state.phase === "loading");
  const [, navigate] = useLocation();
  const table = useRef<HTMLDivElement>(null);
  const [activeKey, setActiveKey] = useState(() => traces.getState().position.activeKey);
  const layout = useColumnLayout(table, rows);
  const selection = useSelection(rows, rowKeyOf, traces);
  const activeIndex = activeKey === undefined ? -1 : indexOfRow(rows, activeKey);
  const offsets = useMemo(() => {
    const before = above > 0 ? undefined : dayNumber(new Date());
    // In another order, the rows of a day are not together.
    return rowOffsets(above, order === "start" ? dayStarts(rows, before) : []);
  }, [rows, above, order]);
  const scroll = useListScroll(table, rows, offsets, activeKey);

  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => table.current,
    estimateSize: offsets.heightOf,
    paddingStart: offsets.abovePx,
    overscan: 10,
    initialOffset: () => traces.getState().position.scrollTop,
    getItemKey: useCallback(
      (index: number) => {
        const row = rows[index];
        return row === undefined ? index : rowKeyOf(row);
      },
      [rows],
    ),
    useFlushSync: false,
  });
  const items = virtualizer.getVirtualItems();
  const scaleMs = barScale(items.reduce((ms, { index }) => Math.max(ms, rows[index]?.duration_ms ?? 0), 1));
  const lastIndex = items.at(-1)?.index ?? 0;
  useLayoutEffect(() => {
    if (nextCursor !== null && lastIndex >= rows.length - FETCH_AHEAD) void traces.getState().loadMore();
  }, [lastIndex, nextCursor, rows, traces]);

  useListKeys(
    table,
    { rowCount: rows.length, activeIndex, rowsPerPage: scroll.rowsPerPage, hasRowsAbove: above > 0 },
    {
      move(index, isExtending) {
        const row = rows[index];
        if (row === undefined) return;
        if (isExtending) selection.extendTo(index, Math.max(0, activeIndex));
        else selection.endExtension();
        // Rows do not move while the user goes through them.
        traces.getState().setFollowing(index === 0 && above === 0 && !isExtending);
        setActiveKey(rowKeyOf(row));
        scroll.show(index);
        table.current?.focus({ preventScroll: true });
      },
      open() {
        const row = rows[activeIndex];
        if (row !== undefined) openTrace(row);
      },
      toggle() {
        const row = rows[activeIndex];
        if (row !== undefined) selection.toggle(row);
      },
      follow() {
        setActiveKey(undefined);
        scroll.follow();
      },
      compare() {
        const href = comparedRows(rows, selected);
        if (href !== undefined) navigate(href);
      },
      clear() {
        if (selected.size > 0) selection.clear();
        else if (!isUnfiltered(traces.getState().filters)) onClearFilters();
        else setActiveKey(undefined);
      },
    },
  );

  function onClick(event: MouseEvent): void {
    const activate = (row: TraceSummary): void => setActiveKey(rowKeyOf(row));
    clickRow(event, { rows, activeIndex, selection, hrefOf: addressOf, activate, open: openTrace });
  }

  /** Asks for the trace first: the collector reads it while its page is drawn. */
  function openTrace(row: TraceSummary): void {
    setActiveKey(rowKeyOf(row));
    void trace.getState().open({ traceId: row.trace_id, tenant: row.tenant === "" ? undefined : row.tenant });
    navigate(addressOf(row));
  }

  const isMore = nextCursor !== null;
  const isActiveDrawn = items.some(({ index }) => index === activeIndex);
  const style = { "--cols": layout.template, "--table-min": `${layout.minWidth}px` } as CSSProperties;
  return (
    <div
      ref={table}
      className={isStale ? classNames(tableStyles.table, styles.stale) : tableStyles.table}
      role="grid"
      aria-label="Traces"
      aria-multiselectable
      aria-rowcount={isMore ? -1 : above + rows.length + 1}
      aria-colcount={layout.columns.length}
      aria-busy={isStale}
      aria-activedescendant={isActiveDrawn && activeKey !== undefined ? rowId(activeKey) : undefined}
      tabIndex={0}
      style={style}
      onScroll={scroll.onScroll}
      onPointerMove={() => traces.getState().keepRowsStill()}
    >
      <TableHead
        columns={layout.columns}
        order={order}
        setOrder={setOrder}
        onResize={(id, width) =>
          preferences.setState(({ columnWidths }) => ({ columnWidths: withWidth(columnWidths, id, width) }))
        }
      />
      <div
        role="rowgroup"
        className={styles.rows}
        style={
          { height: virtualizer.getTotalSize() + (isMore ? ROW_PX : 0), "--max": scaleMs } as CSSProperties
        }
        onClick={onClick}
        onAuxClick={onClick}
      >
        {above > 0 && <div className={styles.released} style={{ height: offsets.abovePx }} aria-hidden />}
        {items.map(({ index, key }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const topPx = offsets.topOf(index);
          const startsDay = offsets.startsDay(index);
          return (
            <Fragment key={key}>
              {startsDay && <DayLine start={row.start_time} topPx={topPx} />}
              <TraceRow
                trace={row}
                index={index}
                position={above + index + 2}
                topPx={startsDay ? topPx + DAY_PX : topPx}
                columns={layout.columns}
                isSelected={selected.has(rowKeyOf(row))}
                isActive={index === activeIndex}
              />
            </Fragment>
          );
        })}
      </div>
    </div>
  );
}

/** Names the day of the rows below. Screen readers find the day in each row. */
function DayLine({ start, topPx }: { start: string; topPx: number }) {
  return (
    <div className={styles.day} style={{ transform: `translateY(${topPx}px)` }} aria-hidden>
      {dayTitle(start)}
    </div>
  );
}
