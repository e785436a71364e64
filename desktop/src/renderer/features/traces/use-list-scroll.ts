import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { useEffect, useLayoutEffect, useRef, type RefObject } from "react";
import { useStores, useTraces } from "../../app-context.js";
import { indexOfRow, rowKeyOf } from "../../store/trace-key.js";
import { ROW_PX } from "./trace-row.js";

/** Height of the header above the rows. */
const HEAD_PX = 28;
/** Scroll positions below this count as the top. */
const TOP_PX = 4;

/** Scrolling of the table. */
export interface ListScroll {
  readonly rowsPerPage: () => number;
  readonly onScroll: () => void;
  /** Scrolls as little as needed. */
  show(index: number): void;
  /** Scrolls to the top, where arrivals appear at once. */
  follow(): void;
}

/**
 * Keeps the visible rows in place when rows above change or the user returns to the page; follows arrivals at the top.
 */
export function useListScroll(
  table: RefObject<HTMLDivElement | null>,
  rows: readonly TraceSummary[],
  activeKey: string | undefined,
): ListScroll {
  const { traces } = useStores();
  const filters = useTraces((state) => state.filters);
  const following = useTraces((state) => state.following);
  /** The first visible row. */
  const edge = useRef<{ key: string; index: number }>(undefined);
  const lastTop = useRef(traces.getState().position.scrollTop);
  const shownFilters = useRef(filters);
  const position = useRef({ scrollTop: lastTop.current, activeKey });

  // Uses the last scroll position: reading it from the element would force a layout on every change.
  useLayoutEffect(() => {
    const element = table.current;
    if (element === null) return;
    if (shownFilters.current !== filters) {
      shownFilters.current = filters;
      element.scrollTop = 0;
    } else if (lastTop.current > TOP_PX && edge.current !== undefined) {
      const { key, index } = edge.current;
      const before = rows[index];
      if (before === undefined || rowKeyOf(before) !== key) {
        const moved = indexOfRow(rows, key);
        if (moved !== -1) element.scrollTop = lastTop.current += (moved - index) * ROW_PX;
      }
    }
    edge.current = edgeAt(rows, lastTop.current);
  }, [table, rows, filters]);

  useLayoutEffect(() => {
    if (table.current !== null) table.current.scrollTop = traces.getState().position.scrollTop;
  }, [table, traces]);

  useLayoutEffect(() => {
    if (following && table.current !== null) table.current.scrollTop = 0;
  }, [following, table]);

  useLayoutEffect(() => {
    position.current = { scrollTop: lastTop.current, activeKey };
  });
  useEffect(() => () => traces.getState().setPosition(position.current), [traces]);

  return {
    rowsPerPage: () => Math.max(1, Math.floor(((table.current?.clientHeight ?? 0) - HEAD_PX) / ROW_PX) - 1),
    onScroll() {
      const top = table.current?.scrollTop ?? 0;
      if (top === lastTop.current) return;
      lastTop.current = top;
      position.current = { scrollTop: top, activeKey };
      edge.current = edgeAt(rows, top);
      traces.getState().setFollowing(top <= TOP_PX);
    },
    show(index) {
      const element = table.current;
      if (element === null) return;
      const visible = element.clientHeight - HEAD_PX;
      const top = index * ROW_PX;
      if (top < element.scrollTop) element.scrollTop = top;
      else if (top + ROW_PX > element.scrollTop + visible) element.scrollTop = top + ROW_PX - visible;
    },
    follow() {
      traces.getState().setFollowing(true);
      traces.getState().showArrivals();
    },
  };
}

function edgeAt(
  rows: readonly TraceSummary[],
  scrollTop: number,
): { key: string; index: number } | undefined {
  const index = Math.floor(scrollTop / ROW_PX);
  const row = rows[index];
  return row === undefined ? undefined : { key: rowKeyOf(row), index };
}
