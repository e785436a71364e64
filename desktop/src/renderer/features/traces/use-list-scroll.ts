import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { useCallback, useEffect, useLayoutEffect, useRef, type RefObject } from "react";
import { useStores, useTraces } from "../../app-context.js";
import { indexOfRow, rowKeyOf } from "../../store/trace-key.js";
import { ROW_PX, type RowOffsets } from "./row-offsets.js";

/** Height of the header above the rows. */
const HEAD_PX = 28;
/** Scroll positions below this count as the top. */
const TOP_PX = 4;
/** Rows that were let go are fetched when at most this much is left above the visible ones. */
const FETCH_AHEAD_PX = 40 * ROW_PX;

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
  offsets: RowOffsets,
  activeKey: string | undefined,
): ListScroll {
  const { traces } = useStores();
  const filters = useTraces((state) => state.filters);
  const following = useTraces((state) => state.following);
  const phase = useTraces((state) => state.phase);
  /** The first visible row. */
  const edge = useRef<Edge>(undefined);
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
      const { key, index, top } = edge.current;
      const before = rows[index];
      const isThere = before !== undefined && rowKeyOf(before) === key;
      const moved = isThere ? index : indexOfRow(rows, key);
      const shift = moved === -1 ? 0 : offsets.topOf(moved) - top;
      if (shift !== 0) element.scrollTop = lastTop.current += shift;
    }
    edge.current = edgeAt(rows, offsets, lastTop.current);
  }, [table, rows, offsets, filters]);

  /** Fetches the rows that were let go and are visible, or soon will be. */
  const fetchAbove = useCallback((): void => {
    const isNear = offsets.abovePx > 0 && lastTop.current < offsets.abovePx + FETCH_AHEAD_PX;
    if (isNear && !traces.getState().following)
      void traces.getState().loadReleased(Math.floor(lastTop.current / ROW_PX));
  }, [offsets, traces]);
  useEffect(fetchAbove, [fetchAbove, phase]);

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
      edge.current = edgeAt(rows, offsets, top);
      traces.getState().setFollowing(top <= TOP_PX);
      fetchAbove();
    },
    show(index) {
      const element = table.current;
      if (element === null) return;
      const visible = element.clientHeight - HEAD_PX;
      const top = offsets.topOf(index);
      const bottom = top + offsets.heightOf(index);
      if (top < element.scrollTop) element.scrollTop = top;
      else if (bottom > element.scrollTop + visible) element.scrollTop = bottom - visible;
    },
    follow() {
      traces.getState().setFollowing(true);
      traces.getState().showArrivals();
    },
  };
}

/** A row at the upper edge of the visible part, and its position. */
interface Edge {
  readonly key: string;
  readonly index: number;
  readonly top: number;
}

/** Above the rows, the first one. */
function edgeAt(rows: readonly TraceSummary[], offsets: RowOffsets, scrollTop: number): Edge | undefined {
  const index = Math.max(0, offsets.indexAt(scrollTop));
  const row = rows[index];
  return row === undefined ? undefined : { key: rowKeyOf(row), index, top: offsets.topOf(index) };
}
