import type { SessionOrder } from "@obspan/collector-core/api-schema";

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
export interface SessionColumn {
  readonly id: SessionColumnId;
  readonly name: string;
  /** Short text of the header, if it differs from the name. */
  readonly head?: string;
  /** In pixels; undefined for the column that takes the remaining width. */
  readonly width: number | undefined;
  readonly alignRight?: boolean;
  /** The list order that sorts by this column. */
  readonly order?: { readonly order: SessionOrder; readonly orderName: string };
  /** Hidden in a table narrower than this. */
  readonly hiddenBelow: number;
}

/** The width of the window without the rail. */
const at = (windowPx: number): number => windowPx - 48;

const COLUMNS: readonly SessionColumn[] = [
  { id: "state", name: "State", head: "", width: 16, hiddenBelow: 0 },
  { id: "user", name: "User", width: 124, hiddenBelow: 0 },
  { id: "tenant", name: "Tenant", width: 76, hiddenBelow: at(1000) },
  { id: "io", name: "First message → last answer", width: undefined, hiddenBelow: 0 },
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

/** The columns of a table of some width, and `grid-template-columns` for them. */
export function layOutSessions(
  tableWidth: number,
  { hasTenants, hasDays }: { readonly hasTenants: boolean; readonly hasDays: boolean },
): { readonly columns: readonly SessionColumn[]; readonly template: string } {
  const columns = COLUMNS.filter(
    ({ id, hiddenBelow }) => tableWidth >= hiddenBelow && (id !== "tenant" || hasTenants),
  );
  const tracks = columns.map(({ id, width }) => {
    if (width === undefined) return "minmax(120px, 1fr)";
    return `${id === "last" && hasDays ? DAY_WIDTH : width}px`;
  });
  return { columns, template: tracks.join(" ") };
}
