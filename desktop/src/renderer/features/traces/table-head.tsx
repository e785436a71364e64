import { ChevronDown } from "lucide-react";
import type { PointerEvent } from "react";
import { omit } from "../../store/omit.js";
import { clampWidth, type ListColumn } from "./columns.js";
import { classNames } from "../../components/class-names.js";
import iconStyles from "../../components/icon.module.css";
import tableStyles from "../../components/table.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./table-head.module.css";

interface TableHeadProps<Order extends string> {
  /** Of the row. */
  readonly className?: string | undefined;
  readonly columns: readonly ListColumn<Order>[];
  readonly order: Order;
  readonly setOrder: (order: Order) => void;
  /** @param width - in pixels; undefined for the default. */
  readonly onResize: (id: string, width: number | undefined) => void;
}

/** The header of a list. Columns are resized by dragging; the Columns menu does the same with the keyboard. */
export function TableHead<Order extends string>({
  className,
  columns,
  order,
  setOrder,
  onResize,
}: TableHeadProps<Order>) {
  function startDrag(event: PointerEvent<HTMLElement>, column: ListColumn): void {
    if (event.button !== 0) return;
    event.preventDefault();
    const handle = event.currentTarget;
    handle.setPointerCapture(event.pointerId);
    const before = handle.parentElement?.offsetWidth ?? 0;
    // Columns to the right of the fluid one grow to the left, because it yields the space.
    const direction = isAfterFluid(columns, column) ? -1 : 1;
    const move = ({ clientX }: globalThis.PointerEvent): void =>
      onResize(column.id, clampWidth(column, before + direction * (clientX - event.clientX)));
    handle.addEventListener("pointermove", move);
    handle.addEventListener("lostpointercapture", () => handle.removeEventListener("pointermove", move), {
      once: true,
    });
  }

  return (
    <div className={classNames(tableStyles.row, tableStyles.head, className)} role="row" aria-rowindex={1}>
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
          {column.width !== undefined && column.head !== "" && (
            <i
              className={isAfterFluid(columns, column) ? classNames(styles.edge, styles.left) : styles.edge}
              aria-hidden
              data-tip="Drag to resize, double-click to reset"
              onPointerDown={(event) => startDrag(event, column)}
              onDoubleClick={() => onResize(column.id, undefined)}
            />
          )}
        </div>
      ))}
    </div>
  );
}

interface HeadNameProps<Order extends string> extends Pick<TableHeadProps<Order>, "order" | "setOrder"> {
  readonly column: ListColumn<Order>;
}

/** A column name; pressing it sorts the list by the column, largest first. */
function HeadName<Order extends string>({ column, order, setOrder }: HeadNameProps<Order>) {
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

function isSorted(column: ListColumn, order: string): boolean {
  return column.order?.order === order;
}

function isAfterFluid(columns: readonly ListColumn[], column: ListColumn): boolean {
  const fluid = columns.findIndex(({ width }) => width === undefined);
  return fluid !== -1 && columns.indexOf(column) > fluid;
}

/** The widths with another one of a column; undefined for the default. */
export function withWidth(
  widths: Readonly<Record<string, number>>,
  id: string,
  width: number | undefined,
): Readonly<Record<string, number>> {
  return width === undefined ? omit(widths, id) : { ...widths, [id]: width };
}
