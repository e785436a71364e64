import type { Colours } from "./colours.js";
import { safeLine } from "./safe-text.js";
import { truncate, widthOf } from "./width.js";

/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  /** The text of a row. It may come from a sender. */
  readonly text: (row: Row) => string;
  /** What stands before the text and is not of a sender, such as the lines of a tree. */
  readonly prefix?: (row: Row) => string;
  readonly colour?: (row: Row) => ((text: string) => string) | undefined;
  readonly align?: "right";
  /** The column may be cut down to so many columns of the terminal. Default: it is not cut. */
  readonly min?: number;
  /** Columns of the terminal that it takes in a list that grows. Default: those of its title. */
  readonly width?: number;
  /** In a narrow terminal columns with a rank go, the highest first. Default: the column stays. */
  readonly rank?: number;
}

const GAP = "  ";

/**
 * Lays out rows below each other. Columns that may be cut share what the others leave, so that the table fits the terminal.
 * No library for tables cuts columns by their importance.
 *
 * @param columns - of the terminal; undefined: nothing is cut.
 */
export function tableText<Row>(
  list: readonly Column<Row>[],
  rows: readonly Row[],
  { columns, colours }: { readonly columns: number | undefined; readonly colours: Colours },
): string {
  const measured = list.map((column) => measuredColumn(column, rows)).filter(({ isEmpty }) => !isEmpty);
  const shown = columns === undefined ? measured : fitted(measured, columns);
  const lines = [titleLine(shown, colours), ...rows.map((row) => rowLine(shown, row))];
  return `${lines.join("\n")}\n`;
}

/** A table whose rows are not known yet. Its last column takes the rest of the line. */
export function growingTable<Row>(
  list: readonly Column<Row>[],
  { columns, colours }: { readonly columns: number | undefined; readonly colours: Colours },
): { readonly titles: string; readonly row: (row: Row) => string } {
  const measured = list.map((column): MeasuredColumn<Row> => {
    const width = Math.max(column.width ?? 0, widthOf(column.title));
    return { column, isEmpty: false, width, isOpen: columns === undefined };
  });
  const shown = columns === undefined ? measured : fitted(measured, columns);
  const last = shown.at(-1);
  if (columns !== undefined && last !== undefined && last.column.align === undefined)
    last.width += Math.max(columns - totalWidth(shown), 0);
  return { titles: `${titleLine(shown, colours)}\n`, row: (row) => `${rowLine(shown, row)}\n` };
}

interface MeasuredColumn<Row> {
  readonly column: Column<Row>;
  readonly isEmpty: boolean;
  width: number;
  /** A longer text takes more columns. */
  readonly isOpen?: boolean;
}

function measuredColumn<Row>(column: Column<Row>, rows: readonly Row[]): MeasuredColumn<Row> {
  const widest = rows.reduce((width, row) => Math.max(width, widthOf(textIn(column, row))), 0);
  return { column, isEmpty: widest === 0, width: Math.max(widest, widthOf(column.title)) };
}

function titleLine<Row>(shown: readonly MeasuredColumn<Row>[], colours: Colours): string {
  const titles = shown.map(({ column, width }, index) =>
    index === shown.length - 1 && column.align === undefined
      ? column.title
      : cell(column.title, width, column.align),
  );
  return colours.dim(titles.join(GAP));
}

function rowLine<Row>(shown: readonly MeasuredColumn<Row>[], row: Row): string {
  const cells = shown.map(({ column, width, isOpen }, index) => {
    const text = isOpen ? textIn(column, row) : truncate(textIn(column, row), width);
    const isLast = index === shown.length - 1;
    const padded = isLast && column.align === undefined ? text : cell(text, width, column.align);
    return column.colour?.(row)?.(padded) ?? padded;
  });
  return cells.join(GAP).trimEnd();
}

function textIn<Row>({ prefix, text }: Column<Row>, row: Row): string {
  return (prefix?.(row) ?? "") + safeLine(text(row));
}

/** Removes columns until the rest fits, then gives the columns that may be cut what is left. */
function fitted<Row>(measured: readonly MeasuredColumn<Row>[], columns: number): MeasuredColumn<Row>[] {
  const shown = [...measured];
  while (leastWidth(shown) > columns) {
    const least = shown.toSorted((a, b) => (b.column.rank ?? 0) - (a.column.rank ?? 0))[0];
    if (least?.column.rank === undefined) break;
    shown.splice(shown.indexOf(least), 1);
  }
  let excess = totalWidth(shown) - columns;
  while (excess > 0) {
    const widest = shown
      .filter(({ column, width }) => width > leastOf(column, width))
      .reduce<MeasuredColumn<Row> | undefined>(
        (most, each) => (most === undefined || each.width > most.width ? each : most),
        undefined,
      );
    if (widest === undefined) break;
    widest.width--;
    excess--;
  }
  return shown;
}

function totalWidth<Row>(list: readonly MeasuredColumn<Row>[]): number {
  return list.reduce((sum, { width }) => sum + width, 0) + GAP.length * (list.length - 1);
}

function leastWidth<Row>(list: readonly MeasuredColumn<Row>[]): number {
  const least = list.reduce((sum, { column, width }) => sum + leastOf(column, width), 0);
  return least + GAP.length * (list.length - 1);
}

function leastOf<Row>({ min }: Column<Row>, width: number): number {
  return Math.min(min ?? width, width);
}

function cell(text: string, width: number, align: "right" | undefined): string {
  const space = " ".repeat(Math.max(width - widthOf(text), 0));
  return align === "right" ? space + text : text + space;
}
