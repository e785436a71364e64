import type { GroupOrder, TraceGroup } from "@obspan/collector-core/api-schema";
import { ArrowUp, ChevronDown } from "lucide-react";
import { useEffect, useRef, useState, type CSSProperties, type MouseEvent } from "react";
import { Link, useLocation } from "wouter";
import { useGroups, useStores } from "../../../app-context.js";
import { useElementWidth } from "../../../components/use-element-width.js";
import type { TraceFilters } from "../../../api/collector-api.js";
import { tracesAddress, type Grouping } from "../filter-address.js";
import { useListKeys } from "../use-list-keys.js";
import { GroupCell, GroupValue } from "./group-cells.js";
import { layOutGroups, type GroupColumn } from "./group-columns.js";
import { groupFilters } from "./group-filter.js";
import { groupName } from "./group-names.js";
import { GroupsError, GroupsRest } from "./group-states.js";
import { LoadingList, NoMatch } from "../list-states.js";
import { classNames } from "../../../components/class-names.js";
import iconStyles from "../../../components/icon.module.css";
import scrolledStyles from "../../../components/scrolled-table.module.css";
import tableStyles from "../../../components/table.module.css";
import textStyles from "../../../components/text.module.css";
import headStyles from "../table-head.module.css";
import styles from "./group-table.module.css";

const ROW_PX = 32;
const HEAD_PX = 28;

interface GroupsProps {
  readonly filters: TraceFilters;
  readonly grouping: Grouping;
  readonly setGrouping: (grouping: Grouping | undefined) => void;
  readonly onClearFilters: () => void;
}

/** The matching traces by value of a key: one row for each value. */
export default function Groups(props: GroupsProps) {
  const { groups } = useStores();
  const { filters, grouping } = props;
  const { by, order } = grouping;
  useEffect(() => groups.getState().ask({ filters, by, order }), [groups, filters, by, order]);
  useEffect(() => groups.getState().watch(), [groups]);
  const answer = useGroups((state) => state.answer);
  const error = useGroups((state) => state.error);
  if (answer !== undefined && answer.groups.length > 0)
    return <GroupTable {...props} groups={answer.groups} />;
  if (error !== undefined) return <GroupsError error={error} />;
  return answer === undefined ? <LoadingList /> : <NoMatch onClear={props.onClearFilters} />;
}

function GroupTable({
  filters,
  grouping,
  setGrouping,
  groups,
}: GroupsProps & { readonly groups: readonly TraceGroup[] }) {
  const { by, order } = grouping;
  const isStale = useGroups((state) => state.isStale);
  const before = useGroups((state) => state.before);
  const [, navigate] = useLocation();
  const table = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<string | null>();
  const activeIndex = active === undefined ? -1 : groups.findIndex(({ value }) => value === active);
  const hasScores = groups.some(({ scores }) => scores.length > 0);
  const { columns, template } = layOutGroups(useElementWidth(table), {
    hasScores,
    hasBefore: before !== undefined,
  });
  const hrefOf = ({ value }: TraceGroup): string | undefined => {
    const chosen = groupFilters(filters, by, value);
    return chosen && tracesAddress(chosen);
  };
  const open = (group: TraceGroup | undefined): void => {
    const href = group && hrefOf(group);
    if (href !== undefined) navigate(href);
  };

  useListKeys(
    table,
    {
      rowCount: groups.length,
      activeIndex,
      rowsPerPage: () => Math.max(1, Math.floor(((table.current?.clientHeight ?? 0) - HEAD_PX) / ROW_PX) - 1),
      hasRowsAbove: false,
    },
    {
      move(index) {
        setActive(groups[index]?.value);
        showRow(table.current, index);
        table.current?.focus({ preventScroll: true });
      },
      open: () => open(groups[activeIndex]),
      toggle: () => undefined,
      follow: () => undefined,
      clear() {
        if (active === undefined) setGrouping(undefined);
        else setActive(undefined);
      },
    },
  );

  function onClick(event: MouseEvent): void {
    if (event.ctrlKey || event.metaKey || event.button === 1) return;
    const row = (event.target as Element).closest<HTMLElement>("[data-index]");
    const group = groups[Number(row?.dataset["index"] ?? -1)];
    if (group === undefined) return;
    event.preventDefault();
    open(group);
  }

  const style = {
    "--cols": template,
    "--most": Math.max(1, ...groups.map(({ runs }) => runs)),
    "--longest": Math.max(1, ...groups.map(({ p95_ms: ms }) => ms)),
  } as CSSProperties;
  return (
    <div
      ref={table}
      className={classNames(tableStyles.table, scrolledStyles.table, isStale && scrolledStyles.stale)}
      role="grid"
      aria-label={`Traces by ${groupName(by)}`}
      aria-rowcount={groups.length + 1}
      aria-colcount={columns.length}
      aria-busy={isStale}
      aria-activedescendant={activeIndex === -1 ? undefined : rowId(activeIndex)}
      tabIndex={0}
      style={style}
    >
      <div
        className={classNames(tableStyles.row, tableStyles.head, scrolledStyles.head)}
        role="row"
        aria-rowindex={1}
      >
        {columns.map((column) => (
          <HeadCell
            key={column.id}
            name={column.name ?? groupName(by)}
            column={column}
            order={order}
            onOrder={(next) => setGrouping({ by, order: next })}
          />
        ))}
      </div>
      <div role="rowgroup" className={scrolledStyles.rows} onClick={onClick}>
        {groups.map((group, index) => (
          <div
            key={group.value}
            id={rowId(index)}
            role="row"
            aria-rowindex={index + 2}
            data-index={index}
            aria-selected={index === activeIndex}
            className={classNames(tableStyles.row, index === activeIndex && tableStyles.selected)}
          >
            {columns.map(({ id, alignRight }) => (
              <div key={id} role="gridcell" className={alignRight ? scrolledStyles.right : undefined}>
                {id === "value" ? (
                  <ValueLink href={hrefOf(group)} by={by} value={group.value} />
                ) : (
                  <GroupCell id={id} group={group} before={before} />
                )}
              </div>
            ))}
          </div>
        ))}
      </div>
      <GroupsRest />
    </div>
  );
}

function ValueLink({
  href,
  by,
  value,
}: {
  readonly href: string | undefined;
  readonly by: string;
  readonly value: string | null;
}) {
  const content = <GroupValue by={by} value={value} />;
  if (href === undefined) return <span className={styles.value}>{content}</span>;
  return (
    <Link href={href} tabIndex={-1} className={styles.value}>
      {content}
    </Link>
  );
}

interface HeadCellProps {
  readonly name: string;
  readonly column: GroupColumn;
  readonly order: GroupOrder;
  readonly onOrder: (order: GroupOrder) => void;
}

/** A column name; pressing it ranks all groups by the column, also those that are not listed. */
function HeadCell({ name, column, order, onOrder }: HeadCellProps) {
  const { order: own, alignRight, numberPx } = column;
  const isSorted = own === order;
  const Arrow = own === "value" ? ArrowUp : ChevronDown;
  return (
    <div
      role="columnheader"
      className={classNames(headStyles.head, alignRight && tableStyles.right, isSorted && tableStyles.sorted)}
      style={numberPx === undefined ? undefined : { width: numberPx, justifyContent: "flex-end" }}
      aria-sort={isSorted ? (own === "value" ? "ascending" : "descending") : undefined}
    >
      {own === undefined ? (
        name
      ) : (
        <button type="button" className={headStyles.sort} onClick={() => onOrder(own)}>
          {isSorted && <Arrow className={iconStyles.tiny} aria-hidden />}
          <span className={textStyles.cut}>{name}</span>
        </button>
      )}
    </div>
  );
}

function rowId(index: number): string {
  return `group-${index}`;
}

/** Scrolls a row into view below the header. */
function showRow(table: HTMLElement | null, index: number): void {
  if (table === null) return;
  const visible = table.clientHeight - HEAD_PX;
  const top = index * ROW_PX;
  if (top < table.scrollTop) table.scrollTop = top;
  else if (top + ROW_PX > table.scrollTop + visible) table.scrollTop = top + ROW_PX - visible;
}
