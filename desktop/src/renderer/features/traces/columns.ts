import type { TraceOrder } from "@obspan/collector-core/api-schema";

/** A column of the trace table. */
export interface Column {
  readonly id: ColumnId;
  readonly name: string;
  /** Short text of the header, if it differs from the name. */
  readonly head?: string;
  /** In pixels; undefined for the column that takes the remaining width. */
  readonly width: number | undefined;
  /** Width in a table of at least {@link WIDE_PX}. */
  readonly wideWidth?: number;
  readonly alignRight?: boolean;
  /** The list order that sorts by this column. */
  readonly order?: { readonly order: TraceOrder; readonly orderName: string };
  /** Hidden in a table narrower than this. */
  readonly hiddenBelow: number;
  /** Cannot be hidden. */
  readonly isFixed?: boolean;
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

/** Difference between the widths of the window and the table: the rail. */
const RAIL_PX = 48;
const WIDE_PX = 1600;
/** Below this, only status, name, duration and cost are shown (the mockups' "Grid"). */
const SMALL = 900 - RAIL_PX;
const MIN_WIDTH = 40;
const MAX_WIDTH = 600;
/** Smallest width of the fluid column; below it the table scrolls sideways. */
const MIN_FLUID = 120;
const GAP = 12;
const PADDING = 28;

export const COLUMNS: readonly Column[] = [
  { id: "status", name: "Status", head: "", width: 16, hiddenBelow: 0, isFixed: true },
  { id: "name", name: "Name", width: 170, wideWidth: 230, hiddenBelow: 0, isFixed: true },
  { id: "tenant", name: "Tenant", width: 76, wideWidth: 120, hiddenBelow: SMALL },
  { id: "agent", name: "Agent", width: 102, wideWidth: 150, hiddenBelow: 1140 - RAIL_PX },
  { id: "models", name: "Models", width: 126, wideWidth: 160, hiddenBelow: SMALL },
  { id: "io", name: "Input → output", width: undefined, hiddenBelow: SMALL },
  { id: "scores", name: "Scores", width: 64, hiddenBelow: SMALL },
  {
    id: "start",
    name: "Start",
    width: 58,
    alignRight: true,
    hiddenBelow: SMALL,
    order: { order: "newest", orderName: "Newest" },
  },
  {
    id: "duration",
    name: "Duration",
    width: 98,
    hiddenBelow: 0,
    order: { order: "slowest", orderName: "Slowest" },
  },
  { id: "ttft", name: "TTFT", width: 50, alignRight: true, hiddenBelow: 1200 - RAIL_PX },
  { id: "tokens", name: "Tokens in / out", width: 86, alignRight: true, hiddenBelow: 1020 - RAIL_PX },
  {
    id: "cost",
    name: "Cost",
    width: 54,
    alignRight: true,
    hiddenBelow: 0,
    order: { order: "costliest", orderName: "Costliest" },
  },
  { id: "spans", name: "Spans", width: 34, alignRight: true, hiddenBelow: 1080 - RAIL_PX },
  { id: "errors", name: "Errors", head: "Err", width: 18, alignRight: true, hiddenBelow: SMALL },
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
  const columns = COLUMNS.filter(({ id, hiddenBelow, isFixed }) => {
    if (id === "scores" && !settings.hasScores) return false;
    if (id === "tenant" && !settings.hasTenants) return false;
    return settings.tableWidth >= hiddenBelow && (isFixed === true || !settings.hidden.includes(id));
  });
  const widths = columns.map((column) => widthOf(column, settings));
  // Without the fluid column, the name takes the remaining width.
  const fluid = widths.includes(undefined) ? undefined : columns.findIndex(({ id }) => id === "name");
  const tracks = widths.map((width, index) =>
    width === undefined
      ? `minmax(${MIN_FLUID}px, 1fr)`
      : index === fluid
        ? `minmax(${width}px, 1fr)`
        : `${width}px`,
  );
  const taken = widths.reduce<number>((sum, width) => sum + (width ?? MIN_FLUID), 0);
  return {
    columns,
    template: tracks.join(" "),
    minWidth: taken + GAP * (columns.length - 1) + PADDING,
  };
}

/** The width of a column, undefined for the fluid one. */
export function widthOf(
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
export function clampWidth(column: Column, width: number): number {
  return Math.round(Math.min(MAX_WIDTH, Math.max(Math.min(MIN_WIDTH, column.width ?? MIN_WIDTH), width)));
}
