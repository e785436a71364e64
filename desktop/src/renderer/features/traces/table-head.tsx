import type { TraceOrder } from "@obspan/collector-core/api-schema";
import { ChevronDown } from "lucide-react";
import type { PointerEvent } from "react";
import { useStores } from "../../app-context.js";
import { omit } from "../../store/omit.js";
import { clampWidth, type Column } from "./columns.js";
import type { AddressOrder } from "./use-filters.js";
import { classNames } from "../../components/class-names.js";
import iconStyles from "../../components/icon.module.css";
import tableStyles from "../../components/table.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./table-head.module.css";

interface TableHeadProps extends AddressOrder {
  readonly columns: readonly Column[];
}

/** The table header. Columns are resized by dragging; the Columns menu does the same with the keyboard. */
export function TableHead({ columns, order, setOrder }: TableHeadProps) {
  const { preferences } = useStores();

  function startDrag(event: PointerEvent<HTMLElement>, column: Column): void {
    if (event.button !== 0) return;
    event.preventDefault();
    const handle = event.currentTarget;
    handle.setPointerCapture(event.pointerId);
    const before = handle.parentElement?.offsetWidth ?? 0;
    // Columns to the right of the fluid one grow to the left, because it yields the space.
    const direction = isAfterFluid(columns, column) ? -1 : 1;
    const move = ({ clientX }: globalThis.PointerEvent): void => {
      const width = clampWidth(column, before + direction * (clientX - event.clientX));
      preferences.setState(({ columnWidths }) => ({ columnWidths: { ...columnWidths, [column.id]: width } }));
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("lostpointercapture", () => handle.removeEventListener("pointermove", move), {
      once: true,
    });
  }

  function reset(column: Column): void {
    preferences.setState(({ columnWidths }) => ({ columnWidths: omit(columnWidths, column.id) }));
  }

  return (
    <div className={classNames(tableStyles.row, tableStyles.head)} role="row" aria-rowindex={1}>
      {columns.map((column) => (
        <div
          key={column.id}
          role="columnheader"
          className={classNames(
            styles.head,
            column.alignRight && tableStyles.right,
            isSorted(column, order) && tableStyles.sorted,
          )}
          aria-sort={isSorted(column, order) ? "descending" : undefined}
        >
          <HeadName column={column} order={order} setOrder={setOrder} />
          {column.width !== undefined && column.id !== "status" && (
            <i
              className={isAfterFluid(columns, column) ? classNames(styles.edge, styles.left) : styles.edge}
              aria-hidden
              data-tip="Drag to resize, double-click to reset"
              onPointerDown={(event) => startDrag(event, column)}
              onDoubleClick={() => reset(column)}
            />
          )}
        </div>
      ))}
    </div>
  );
}

interface HeadNameProps extends AddressOrder {
  readonly column: Column;
}

/** A column name; pressing it sorts the list by the column, largest first. */
function HeadName({ column, order, setOrder }: HeadNameProps) {
  const name = (
    <>
      <span className={textStyles.cut} aria-hidden={column.head === undefined ? undefined : true}>
        {column.head ?? column.name}
      </span>
      {column.head !== undefined && <span className={textStyles.screenReader}>{column.name}</span>}
    </>
  );
  if (column.order === undefined) return name;
  const { order: own, orderName } = column.order;
  return (
    <button
      type="button"
      className={styles.sort}
      data-tip={order === own ? `${orderName} first` : `Order by ${orderName.toLowerCase()} first`}
      onClick={() => setOrder(own)}
    >
      {order === own && <ChevronDown className={iconStyles.tiny} aria-hidden />}
      {name}
    </button>
  );
}

function isSorted(column: Column, order: TraceOrder): boolean {
  return column.order?.order === order;
}

function isAfterFluid(columns: readonly Column[], column: Column): boolean {
  const fluid = columns.findIndex(({ width }) => width === undefined);
  return fluid !== -1 && columns.indexOf(column) > fluid;
}
