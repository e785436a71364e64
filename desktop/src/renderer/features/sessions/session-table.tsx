import type { SessionSummary } from "@obspan/collector-core/api-schema";
import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowUp, ChevronDown } from "lucide-react";
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
import { useSessions, useStores } from "../../app-context.js";
import { useElementWidth } from "../../components/use-element-width.js";
import { formatDay, formatWhole } from "../../format.js";
import { sessionRowKey } from "../../store/session-key.js";
import { sessionHref } from "../session/session-address.js";
import { useListKeys } from "../traces/use-list-keys.js";
import { SessionCell } from "./session-cells.js";
import { layOutSessions, type SessionColumn } from "./session-columns.js";
import type { SessionsOrder } from "./session-filters.js";
import { classNames } from "../../components/class-names.js";
import iconStyles from "../../components/icon.module.css";
import scrolledStyles from "../../components/scrolled-table.module.css";
import tableStyles from "../../components/table.module.css";
import textStyles from "../../components/text.module.css";
import pillStyles from "../traces/new-pill.module.css";
import headStyles from "../traces/table-head.module.css";
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
  const { sessions } = useStores();
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
  const { columns, template } = layOutSessions(width, { hasTenants, hasDays });

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
      move(index) {
        const row = rows[index];
        if (row === undefined) return;
        // Rows do not move while the user goes through them.
        sessions.getState().setFollowing(index === 0);
        setActiveKey(sessionRowKey(row));
        show(index);
        table.current?.focus({ preventScroll: true });
      },
      open() {
        const row = rows[activeIndex];
        if (row !== undefined) open(row);
      },
      toggle: () => undefined,
      follow() {
        setActiveKey(undefined);
        sessions.getState().setFollowing(true);
      },
      clear() {
        if (activeKey === undefined) onClearFilters();
        else setActiveKey(undefined);
      },
    },
  );

  function onClick(event: MouseEvent): void {
    const index = Number(
      (event.target as Element).closest<HTMLElement>("[data-index]")?.dataset["index"] ?? -1,
    );
    const row = rows[index];
    if (row === undefined) return;
    if (event.ctrlKey || event.metaKey || event.button === 1) {
      // The browser handles links itself.
      if ((event.target as Element).closest("a") === null) window.open(hrefOf(row), "_blank", "noopener");
      return;
    }
    event.preventDefault();
    open(row);
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
      aria-rowcount={nextCursor === null ? rows.length + 1 : -1}
      aria-colcount={columns.length}
      aria-busy={isStale}
      aria-activedescendant={isActiveDrawn && activeKey !== undefined ? rowId(activeKey) : undefined}
      tabIndex={0}
      style={{ "--cols": template } as CSSProperties}
      onScroll={() => {
        const top = table.current?.scrollTop ?? 0;
        position.current = { scrollTop: top, activeKey };
        sessions.getState().setFollowing(top <= TOP_PX);
      }}
    >
      <div
        className={classNames(tableStyles.row, tableStyles.head, scrolledStyles.head)}
        role="row"
        aria-rowindex={1}
      >
        {columns.map((column) => (
          <HeadCell key={column.id} column={column} order={order} setOrder={setOrder} />
        ))}
      </div>
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
          return (
            <div
              key={key}
              id={rowId(sessionRowKey(row))}
              role="row"
              aria-rowindex={index + 2}
              data-index={index}
              className={
                index === activeIndex ? classNames(tableStyles.row, tableStyles.selected) : tableStyles.row
              }
              aria-selected={index === activeIndex}
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
                      <SessionCell column={id} session={row} hasDays={hasDays} />
                    </Link>
                  ) : (
                    <SessionCell column={id} session={row} hasDays={hasDays} />
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

function HeadCell({ column, order, setOrder }: SessionsOrder & { readonly column: SessionColumn }) {
  const isSorted = column.order?.order === order;
  const name = (
    <>
      <span className={textStyles.cut} aria-hidden={column.head === undefined ? undefined : true}>
        {column.head ?? column.name}
      </span>
      {column.head !== undefined && <span className={textStyles.screenReader}>{column.name}</span>}
    </>
  );
  return (
    <div
      role="columnheader"
      className={classNames(
        headStyles.head,
        column.alignRight && tableStyles.right,
        isSorted && tableStyles.sorted,
      )}
      aria-sort={isSorted ? "descending" : undefined}
    >
      {column.order === undefined ? (
        name
      ) : (
        <button
          type="button"
          className={headStyles.sort}
          data-tip={
            isSorted
              ? `${column.order.orderName} first`
              : `Order by ${column.order.orderName.toLowerCase()} first`
          }
          onClick={() => column.order !== undefined && setOrder(column.order.order)}
        >
          {isSorted && <ChevronDown className={iconStyles.tiny} aria-hidden />}
          {name}
        </button>
      )}
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
