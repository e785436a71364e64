import type { SessionOrder } from "@obspan/collector-core/api-schema";
import { clampWidth, type ListColumn } from "../traces/columns.js";

export type SessionColumnId =
  | "state"
  | "user"
  | "tenant"
  | "io"
  | "turns"
  | "agents"
  | "tokens"
  | "cost"
  | "errors"
  | "scores"
  | "feedback"
  | "active"
  | "last";

/** A column of the table of sessions. */
export interface SessionColumn extends ListColumn<SessionOrder> {
  readonly id: SessionColumnId;
  /** Hidden in a table narrower than this. */
  readonly hiddenBelow: number;
}

/** The width of the table in a window, beside the rail and the edge of the page. */
const at = (windowPx: number): number => windowPx - 49;

export const SESSION_COLUMNS: readonly SessionColumn[] = [
  { id: "state", name: "State", head: "", width: 16, hiddenBelow: 0, isFixed: true },
  { id: "user", name: "User", width: 124, hiddenBelow: 0 },
  { id: "tenant", name: "Tenant", width: 76, hiddenBelow: at(1000) },
  { id: "io", name: "First message → last answer", width: undefined, hiddenBelow: 0, isFixed: true },
  { id: "turns", name: "Turns", width: 104, hiddenBelow: 0 },
  { id: "agents", name: "Agents", width: 132, hiddenBelow: at(1280) },
  { id: "tokens", name: "Tokens in / out", width: 98, alignRight: true, hiddenBelow: at(1120) },
  {
    id: "cost",
    name: "Cost",
    width: 60,
    alignRight: true,
    hiddenBelow: 0,
    order: { order: "costliest", orderName: "Costliest" },
  },
  { id: "errors", name: "Errors", head: "Err", width: 26, alignRight: true, hiddenBelow: at(820) },
  { id: "scores", name: "Scores", width: 64, hiddenBelow: at(900) },
  { id: "feedback", name: "Feedback", width: 54, hiddenBelow: at(1040) },
  {
    id: "active",
    name: "Active",
    width: 64,
    alignRight: true,
    hiddenBelow: at(960),
    order: { order: "slowest", orderName: "Longest active" },
  },
  {
    id: "last",
    name: "Last",
    width: 66,
    alignRight: true,
    hiddenBelow: 0,
    order: { order: "newest", orderName: "Latest" },
  },
];

/** Width of the last column when it names the day. */
const DAY_WIDTH = 104;

/** Smallest width of the fluid column. */
const MIN_FLUID = 120;
const GAP = 12;
const PADDING = 28;

/** Input of the column layout. */
interface SessionColumnSettings {
  /** Width of the table, in pixels. */
  readonly tableWidth: number;
  /** Ids of hidden columns. */
  readonly hidden: readonly string[];
  /** Widths chosen by the user, by column id. */
  readonly widths: Readonly<Record<string, number>>;
  readonly hasTenants: boolean;
  readonly hasDays: boolean;
}

/** The columns of a table of some width, and the grid for them. */
export function layOutSessions({ tableWidth, hidden, widths, hasTenants, hasDays }: SessionColumnSettings): {
  readonly columns: readonly SessionColumn[];
  /** `grid-template-columns`. */
  readonly template: string;
  /** Below this width, the table scrolls sideways. */
  readonly minWidth: number;
} {
  const columns = SESSION_COLUMNS.filter(
    ({ id, hiddenBelow }) =>
      tableWidth >= hiddenBelow && (id !== "tenant" || hasTenants) && !hidden.includes(id),
  );
  const fixed = columns.map((column) => {
    if (column.width === undefined) return undefined;
    const chosen = widths[column.id];
    if (chosen !== undefined) return clampWidth(column, chosen);
    return column.id === "last" && hasDays ? DAY_WIDTH : column.width;
  });
  const taken = fixed.reduce<number>((sum, width) => sum + (width ?? MIN_FLUID), 0);
  return {
    columns,
    template: fixed
      .map((width) => (width === undefined ? `minmax(${MIN_FLUID}px, 1fr)` : `${width}px`))
      .join(" "),
    minWidth: taken + GAP * (columns.length - 1) + PADDING,
  };
}
