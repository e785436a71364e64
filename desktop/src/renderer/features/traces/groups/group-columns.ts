import type { GroupOrder } from "@obspan/collector-core/api-schema";

export type GroupColumnId =
  | "value"
  | "runs"
  | "errors"
  | "p50"
  | "p95"
  | "ttft"
  | "tokens"
  | "cost"
  | "change"
  | "cost_per_run"
  | "scores";

/** A column of the table of groups. */
export interface GroupColumn {
  readonly id: GroupColumnId;
  /** Undefined for the first column, which has the name of what traces are grouped by. */
  readonly name: string | undefined;
  /** In pixels; undefined for the column that takes the remaining width. */
  readonly width: number | undefined;
  readonly alignRight?: boolean;
  /** Width of the number before a bar, in pixels, as in group-cells.module.css. */
  readonly numberPx?: number;
  readonly order?: GroupOrder;
  /** Hidden in a table narrower than this. */
  readonly hiddenBelow: number;
}

const COLUMNS: readonly GroupColumn[] = [
  { id: "value", name: undefined, width: undefined, order: "value", hiddenBelow: 0 },
  { id: "runs", name: "Runs", width: 118, numberPx: 44, order: "runs", hiddenBelow: 0 },
  { id: "errors", name: "Errors", width: 64, alignRight: true, order: "errors", hiddenBelow: 0 },
  { id: "p50", name: "p50", width: 66, alignRight: true, order: "p50", hiddenBelow: 0 },
  { id: "p95", name: "p95", width: 124, numberPx: 58, order: "p95", hiddenBelow: 0 },
  { id: "ttft", name: "TTFT p50", width: 74, alignRight: true, order: "ttft", hiddenBelow: 980 },
  { id: "tokens", name: "Tokens in / out", width: 108, alignRight: true, order: "tokens", hiddenBelow: 900 },
  { id: "cost", name: "Cost", width: 68, alignRight: true, order: "cost", hiddenBelow: 0 },
  { id: "change", name: "vs before", width: 72, alignRight: true, hiddenBelow: 0 },
  {
    id: "cost_per_run",
    name: "Cost / run",
    width: 76,
    alignRight: true,
    order: "cost_per_run",
    hiddenBelow: 0,
  },
  { id: "scores", name: "Scores", width: 64, hiddenBelow: 820 },
];

/** What the column of the time before takes from the others, with its gap. */
const CHANGE_PX = 84;

/** The columns of a table of some width, and `grid-template-columns` for them. */
export function layOutGroups(
  tableWidth: number,
  { hasScores, hasBefore }: { readonly hasScores: boolean; readonly hasBefore: boolean },
): { readonly columns: readonly GroupColumn[]; readonly template: string } {
  const width = hasBefore ? tableWidth - CHANGE_PX : tableWidth;
  const columns = COLUMNS.filter(
    ({ id, hiddenBelow }) =>
      width >= hiddenBelow && (id !== "scores" || hasScores) && (id !== "change" || hasBefore),
  );
  const tracks = columns.map(({ width: px }) => (px === undefined ? "minmax(120px, 1fr)" : `${px}px`));
  return { columns, template: tracks.join(" ") };
}
