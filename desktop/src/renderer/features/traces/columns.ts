import type { TraceOrder } from "@obspan/collector-core/api-schema";

/** A column of a table of a list. */
export interface ListColumn<Order extends string = string> {
  readonly id: string;
  readonly name: string;
  /** Short text of the header, if it differs from the name. */
  readonly head?: string;
  /** In pixels; undefined for the column that takes the remaining width. */
  readonly width: number | undefined;
  readonly alignRight?: boolean;
  /** The list order that sorts by this column. */
  readonly order?: { readonly order: Order; readonly orderName: string };
  /** Cannot be hidden. */
  readonly isFixed?: boolean;
}

/** A column of the trace table. */
export interface Column extends ListColumn<TraceOrder> {
  readonly id: ColumnId;
  /** Width in a table of at least {@link WIDE_PX}. */
  readonly wideWidth?: number;
}

export type ColumnId =
  | "status"
  | "name"
  | "tenant"
  | "agent"
  | "models"
  | "io"
  | "scores"
  | "start"
  | "duration"
  | "ttft"
  | "tokens"
  | "cost"
  | "spans"
  | "errors";

const WIDE_PX = 1600;
/** A table in a window of 900 px, beside the rail and the edge of the page. */
const SMALL_PX = 851;
/** In a narrower table, only these are shown (the mockups' "Grid"). */
const SMALL_COLUMNS: readonly ColumnId[] = ["status", "name", "duration", "cost"];
/** The columns that make room for the fluid one, in this order. */
const YIELDING: readonly ColumnId[] = [
  "ttft",
  "agent",
  "spans",
  "tokens",
  "models",
  "scores",
  "errors",
  "start",
  "tenant",
];
const MIN_WIDTH = 40;
const MAX_WIDTH = 600;
/** Smallest width of the fluid column. */
const MIN_FLUID = 260;
/** Smallest width of the name, which yields before any column is hidden. */
const MIN_NAME = 140;
const GAP = 12;
const PADDING = 28;

export const COLUMNS: readonly Column[] = [
  { id: "status", name: "Status", head: "", width: 16, isFixed: true },
  { id: "name", name: "Name", width: 170, wideWidth: 230, isFixed: true },
  { id: "tenant", name: "Tenant", width: 76, wideWidth: 120 },
  { id: "agent", name: "Agent", width: 102, wideWidth: 150 },
  { id: "models", name: "Models", width: 126, wideWidth: 160 },
  { id: "io", name: "Input → output", width: undefined },
  { id: "scores", name: "Scores", width: 64 },
  {
    id: "start",
    name: "Start",
    width: 58,
    alignRight: true,
    order: { order: "start", orderName: "Newest" },
  },
  {
    id: "duration",
    name: "Duration",
    width: 98,
    order: { order: "slowest", orderName: "Slowest" },
  },
  { id: "ttft", name: "TTFT", width: 50, alignRight: true },
  { id: "tokens", name: "Tokens in / out", width: 86, alignRight: true },
  {
    id: "cost",
    name: "Cost",
    // Of a computed cost: `≈ $0.0466`.
    width: 62,
    alignRight: true,
    order: { order: "costliest", orderName: "Costliest" },
  },
  { id: "spans", name: "Spans", width: 34, alignRight: true },
  { id: "errors", name: "Errors", head: "Err", width: 18, alignRight: true },
];

/** Input of the column layout. */
export interface ColumnSettings {
  /** Width of the table, in pixels. */
  readonly tableWidth: number;
  /** Ids of hidden columns. */
  readonly hidden: readonly string[];
  /** Widths chosen by the user, by column id. */
  readonly widths: Readonly<Record<string, number>>;
  readonly hasScores: boolean;
  readonly hasTenants: boolean;
  /** Whether start times include the day. */
  readonly hasDays: boolean;
}

/** The visible columns, and the grid layout for them. */
export interface ColumnLayout {
  readonly columns: readonly Column[];
  /** `grid-template-columns`. */
  readonly template: string;
  /** Below this width, the table scrolls sideways. */
  readonly minWidth: number;
}

export function layOutColumns(settings: ColumnSettings): ColumnLayout {
  const { tableWidth, hidden } = settings;
  let columns = COLUMNS.filter(({ id, isFixed }) => {
    if (id === "scores" && !settings.hasScores) return false;
    if (id === "tenant" && !settings.hasTenants) return false;
    if (tableWidth < SMALL_PX && !SMALL_COLUMNS.includes(id)) return false;
    return isFixed === true || !hidden.includes(id);
  });
  for (const id of YIELDING) {
    if (leastWidth(columns, settings) <= tableWidth) break;
    columns = columns.filter((column) => column.id !== id);
  }
  return {
    columns,
    template: tracksOf(columns, settings)
      .map(({ min, max }) => (min === max ? `${min}px` : `minmax(${min}px, ${max})`))
      .join(" "),
    minWidth: leastWidth(columns, settings),
  };
}

/** A column of the grid; `max` is a length or a share. */
interface Track {
  readonly min: number;
  readonly max: number | string;
}

function tracksOf(columns: readonly Column[], settings: ColumnSettings): Track[] {
  const hasFluid = columns.some(({ width }) => width === undefined);
  return columns.map((column) => {
    const width = widthOf(column, settings);
    if (width === undefined) return { min: MIN_FLUID, max: "1fr" };
    if (column.id !== "name") return { min: width, max: width };
    // Without the fluid column, the name takes the remaining width.
    if (!hasFluid) return { min: width, max: "1fr" };
    const isChosen = settings.widths[column.id] !== undefined;
    return isChosen ? { min: width, max: width } : { min: MIN_NAME, max: `${width}px` };
  });
}

/** Below this, the table scrolls sideways. */
function leastWidth(columns: readonly Column[], settings: ColumnSettings): number {
  const taken = tracksOf(columns, settings).reduce((sum, { min }) => sum + min, 0);
  return taken + GAP * (columns.length - 1) + PADDING;
}

/** The width of a column, undefined for the fluid one. */
function widthOf(
  column: Column,
  { tableWidth, widths, hasDays }: Pick<ColumnSettings, "tableWidth" | "widths" | "hasDays">,
): number | undefined {
  if (column.width === undefined) return undefined;
  const chosen = widths[column.id];
  if (chosen !== undefined) return clampWidth(column, chosen);
  if (column.id === "start" && hasDays) return 96;
  return tableWidth >= WIDE_PX ? (column.wideWidth ?? column.width) : column.width;
}

/** Limits a width to what the column allows. */
export function clampWidth(column: Pick<ListColumn, "width">, width: number): number {
  return Math.round(Math.min(MAX_WIDTH, Math.max(Math.min(MIN_WIDTH, column.width ?? MIN_WIDTH), width)));
}
