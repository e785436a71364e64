import type { SessionSummary } from "@obspan/collector-core/api-schema";
import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowUp } from "lucide-react";
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type CSSProperties,
  type MouseEvent,
} from "react";
import { Link, useLocation } from "wouter";
import { encodeComponent } from "../../api/url-component.js";
import { usePreferences, useSessions, useStores } from "../../app-context.js";
import { useElementWidth } from "../../components/use-element-width.js";
import { formatDay, formatWhole } from "../../format.js";
import { sessionRowKey } from "../../store/session-key.js";
import { sessionHref } from "../session/session-address.js";
import { TableHead, withWidth } from "../traces/table-head.js";
import { useListKeys } from "../traces/use-list-keys.js";
import { clickRow } from "../traces/click-row.js";
import { useSelection } from "../traces/use-selection.js";
import { SessionCell } from "./session-cells.js";
import { layOutSessions } from "./session-columns.js";
import type { SessionsOrder } from "./session-filters.js";
import { classNames } from "../../components/class-names.js";
import iconStyles from "../../components/icon.module.css";
import scrolledStyles from "../../components/scrolled-table.module.css";
import tableStyles from "../../components/table.module.css";
import pillStyles from "../traces/new-pill.module.css";
import listStyles from "../traces/trace-table.module.css";
import cellStyles from "./session-cells.module.css";
import styles from "./session-table.module.css";

const ROW_PX = 32;
const HEAD_PX = 28;
/** Scroll positions below this count as the top. */
const TOP_PX = 4;
/** The next page is fetched when at most this many rows are left below the visible ones. */
const FETCH_AHEAD = 30;

/** The list of sessions; only visible rows are rendered. */
export function SessionTable({
  order,
  setOrder,
  onClearFilters,
}: SessionsOrder & { readonly onClearFilters: () => void }) {
  const { sessions, preferences } = useStores();
  const rows = useSessions((state) => state.rows);
  const nextCursor = useSessions((state) => state.nextCursor);
  const following = useSessions((state) => state.following);
  const isStale = useSessions((state) => state.phase === "loading");
  const [, navigate] = useLocation();
  const table = useRef<HTMLDivElement>(null);
  const [activeKey, setActiveKey] = useState(() => sessions.getState().position.activeKey);
  const activeIndex = rows.findIndex((row) => sessionRowKey(row) === activeKey);
  const width = useElementWidth(table);
  const hasDays = rows.some(({ last_time: time }) => formatDay(time) !== formatDay(new Date().toISOString()));
  const hasTenants = rows.some(({ tenant }) => tenant !== "");
  const hidden = usePreferences((state) => state.hiddenSessionColumns);
  const widths = usePreferences((state) => state.sessionColumnWidths);
  const { columns, template, minWidth } = layOutSessions({
    tableWidth: width,
    hidden,
    widths,
    hasTenants,
    hasDays,
  });
  const selected = useSessions((state) => state.selected);
  const selection = useSelection(rows, sessionRowKey, sessions);

  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => table.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
    initialOffset: () => sessions.getState().position.scrollTop,
    getItemKey: useCallback(
      (index: number) => {
        const row = rows[index];
        return row === undefined ? index : sessionRowKey(row);
      },
      [rows],
    ),
    useFlushSync: false,
  });
  const items = virtualizer.getVirtualItems();
  const lastIndex = items.at(-1)?.index ?? 0;
  useLayoutEffect(() => {
    if (nextCursor !== null && lastIndex >= rows.length - FETCH_AHEAD) void sessions.getState().loadMore();
  }, [lastIndex, nextCursor, rows, sessions]);

  useLayoutEffect(() => {
    if (table.current !== null) table.current.scrollTop = sessions.getState().position.scrollTop;
  }, [sessions]);
  useLayoutEffect(() => {
    if (following && table.current !== null) table.current.scrollTop = 0;
  }, [following, rows]);
  const position = useRef(sessions.getState().position);
  useLayoutEffect(() => {
    position.current = { ...position.current, activeKey };
  });
  useEffect(() => () => sessions.getState().setPosition(position.current), [sessions]);

  function show(index: number): void {
    const element = table.current;
    if (element === null) return;
    const visible = element.clientHeight - HEAD_PX;
    const top = index * ROW_PX;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + ROW_PX > element.scrollTop + visible) element.scrollTop = top + ROW_PX - visible;
  }

  function open(row: SessionSummary): void {
    setActiveKey(sessionRowKey(row));
    navigate(hrefOf(row));
  }

  useListKeys(
    table,
    {
      rowCount: rows.length,
      activeIndex,
      rowsPerPage: () => Math.max(1, Math.floor(((table.current?.clientHeight ?? 0) - HEAD_PX) / ROW_PX) - 1),
      hasRowsAbove: false,
    },
    {
      move(index, isExtending) {
        const row = rows[index];
        if (row === undefined) return;
        if (isExtending) selection.extendTo(index, Math.max(0, activeIndex));
        else selection.endExtension();
        // Rows do not move while the user goes through them.
        sessions.getState().setFollowing(index === 0 && !isExtending);
        setActiveKey(sessionRowKey(row));
        show(index);
        table.current?.focus({ preventScroll: true });
      },
      open() {
        const row = rows[activeIndex];
        if (row !== undefined) open(row);
      },
      toggle() {
        const row = rows[activeIndex];
        if (row !== undefined) selection.toggle(row);
      },
      follow() {
        setActiveKey(undefined);
        sessions.getState().setFollowing(true);
      },
      clear() {
        if (selected.size > 0) selection.clear();
        else if (activeKey === undefined) onClearFilters();
        else setActiveKey(undefined);
      },
    },
  );

  function onClick(event: MouseEvent): void {
    const activate = (row: SessionSummary): void => setActiveKey(sessionRowKey(row));
    clickRow(event, { rows, activeIndex, selection, hrefOf, activate, open });
  }

  const isActiveDrawn = items.some(({ index }) => index === activeIndex);
  return (
    <div
      ref={table}
      className={classNames(
        tableStyles.table,
        scrolledStyles.table,
        styles.table,
        isStale && scrolledStyles.stale,
      )}
      role="grid"
      aria-label="Sessions"
      aria-multiselectable
      aria-rowcount={nextCursor === null ? rows.length + 1 : -1}
      aria-colcount={columns.length}
      aria-busy={isStale}
      aria-activedescendant={isActiveDrawn && activeKey !== undefined ? rowId(activeKey) : undefined}
      tabIndex={0}
      style={{ "--cols": template, "--table-min": `${minWidth}px` } as CSSProperties}
      onScroll={() => {
        const top = table.current?.scrollTop ?? 0;
        position.current = { scrollTop: top, activeKey };
        sessions.getState().setFollowing(top <= TOP_PX);
      }}
    >
      <TableHead
        className={classNames(scrolledStyles.head, styles.head)}
        columns={columns}
        order={order}
        setOrder={setOrder}
        onResize={(id, px) =>
          preferences.setState(({ sessionColumnWidths }) => ({
            sessionColumnWidths: withWidth(sessionColumnWidths, id, px),
          }))
        }
      />
      <div
        role="rowgroup"
        className={classNames(scrolledStyles.rows, styles.rows)}
        style={{ height: virtualizer.getTotalSize() }}
        onClick={onClick}
        onAuxClick={onClick}
      >
        {items.map(({ index, key, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const isSelected = selected.has(sessionRowKey(row));
          return (
            <div
              key={key}
              id={rowId(sessionRowKey(row))}
              role="row"
              aria-rowindex={index + 2}
              data-index={index}
              className={classNames(
                tableStyles.row,
                isSelected && tableStyles.selected,
                index === activeIndex && listStyles.active,
              )}
              aria-selected={isSelected}
              style={{ transform: `translateY(${start}px)` }}
            >
              {columns.map(({ id, alignRight }) => (
                <div
                  key={id}
                  role="gridcell"
                  className={alignRight ? classNames(cellStyles.cell, scrolledStyles.right) : cellStyles.cell}
                >
                  {id === "io" ? (
                    <Link href={hrefOf(row)} tabIndex={-1} className={styles.link}>
                      <SessionCell column={id} session={row} hasDays={hasDays} isSelected={isSelected} />
                    </Link>
                  ) : (
                    <SessionCell column={id} session={row} hasDays={hasDays} isSelected={isSelected} />
                  )}
                </div>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Button that shows the sessions that became active while the table stood still. */
export function NewSessions() {
  const { sessions } = useStores();
  const arrivals = useSessions((state) => state.arrivals);
  const following = useSessions((state) => state.following);
  if (arrivals === 0 || following) return null;
  return (
    <button
      type="button"
      className={pillStyles.pill}
      data-tip="Show them  L"
      onClick={() => sessions.getState().setFollowing(true)}
    >
      <ArrowUp className={iconStyles.tiny} aria-hidden />
      {formatWhole(arrivals)} new
    </button>
  );
}

function hrefOf({ session_id: sessionId, tenant }: SessionSummary): string {
  return sessionHref({ sessionId, tenant });
}

/** Element id of a row; the grid refers to its active row by it. */
function rowId(key: string): string {
  return `session-${encodeComponent(key)}`;
}
