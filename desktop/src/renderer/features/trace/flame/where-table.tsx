import {
  GROUPINGS,
  whereItWent,
  type Grouping,
  type Measure,
  type SpanGroup,
} from "@obspan/collector-core/analysis";
import { ChevronDown } from "lucide-react";
import { useMemo } from "react";
import { Segmented } from "../../../components/segmented.js";
import { durationText, formatCount, formatWhole } from "../../../format.js";
import { classNames } from "../../../components/class-names.js";
import { Cost } from "../cost.js";
import { Figure } from "../figure.js";
import { useTracePage, useTraceView } from "../trace-page-context.js";
import { MEASURE_NAMES } from "./flame-words.js";
import { WhereRow } from "./where-row.js";
import type { FlameModel } from "./use-flame.js";
import iconStyles from "../../../components/icon.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./where-table.module.css";

/** Rows that are shown; the others are one row. */
const ROWS = 100;

const NAMES: Readonly<Record<Grouping, string>> = {
  name: "Name",
  agent: "Agent",
  model: "Model",
  type: "Type",
};
const CHOICES = GROUPINGS.map((value) => ({ value, content: NAMES[value] }));

const COLUMNS: readonly { readonly measure: Measure; readonly name: string }[] = [
  { measure: "time", name: "Own time" },
  { measure: "tokens", name: MEASURE_NAMES.tokens },
  { measure: "cost", name: MEASURE_NAMES.cost },
];

/** What the spans of a run have by themselves, added up. The header of the trace has the same sums. */
export function WhereTable({ flame, measure }: FlameModel) {
  const { view, tree, run, selected, isNarrow } = useTracePage();
  const grouping = useTraceView((state) => state.flame.grouping);
  const { setFlame } = view.getState();
  const groups = useMemo(() => whereItWent(flame, grouping), [flame, grouping]);
  // While the run goes on, rows keep their places.
  const rows = useMemo(
    () => (tree.isRunning ? groups : groups.toSorted((a, b) => b.own[measure] - a.own[measure])),
    [groups, measure, tree.isRunning],
  );
  const groupOf = useMemo(
    () => new Map(groups.flatMap((group) => group.nodes.map(({ id }) => [id, group] as const))),
    [groups],
  );
  const shown = rows.slice(0, ROWS);
  const rest = rows.slice(ROWS);
  const most = {
    time: mostOf(groups, "time"),
    tokens: mostOf(groups, "tokens"),
    cost: mostOf(groups, "cost"),
  };
  const choose = ({ nodes: [first] }: SpanGroup): void => {
    if (first === undefined) return;
    view.getState().select(first.id);
    if (isNarrow) view.getState().openOverlay();
  };
  const current = selected && groupOf.get(selected.id);
  const errors = groups.reduce((sum, group) => sum + group.errors, 0);
  return (
    <section className={styles.where} aria-label="Where it went">
      <header>
        <h2>Where it went</h2>
        <Segmented
          label="Add up by"
          choices={CHOICES}
          chosen={grouping}
          onChoose={(chosen) => setFlame({ grouping: chosen })}
          isSmall
        />
        <span className={textStyles.grow} />
        <span className={classNames(styles.balance, textStyles.cut)}>
          {balance(flame.own.time, flame.wallMs)}
        </span>
      </header>
      <div className={styles.table} role="table" aria-label="Where it went" aria-rowcount={rows.length + 2}>
        <div className={classNames(styles.row, styles.head)} role="row">
          <span role="columnheader">{NAMES[grouping]}</span>
          <span role="columnheader" className={styles.right}>
            Calls
          </span>
          {COLUMNS.map((column) => (
            <span
              key={column.measure}
              role="columnheader"
              className={styles.figure}
              aria-sort={column.measure === measure ? "descending" : "none"}
            >
              <button
                type="button"
                className={column.measure === measure ? styles.sorted : undefined}
                onClick={() => setFlame({ measure: column.measure })}
              >
                {column.measure === measure && <ChevronDown className={iconStyles.tiny} aria-hidden />}
                {column.name}
              </button>
            </span>
          ))}
          <span role="columnheader" className={styles.right}>
            Err
          </span>
        </div>
        <div className={styles.rows} role="rowgroup">
          {shown.map((group) => (
            <WhereRow
              key={group.key}
              group={group}
              whole={flame.own}
              most={most}
              repeats={run.repeatsBySpan}
              isSelected={group === current}
              onChoose={choose}
            />
          ))}
          {rest.length > 0 && (
            <div className={styles.row} role="row">
              <span role="cell" className={textStyles.faint}>
                {formatWhole(rest.length)} more
              </span>
              <span role="cell" className={textStyles.number}>
                {formatWhole(rest.reduce((sum, { nodes }) => sum + nodes.length, 0))}
              </span>
              <span role="cell" className={textStyles.number}>
                {durationText(rest.reduce((sum, { own }) => sum + own.time, 0))}
              </span>
            </div>
          )}
        </div>
        <div className={classNames(styles.row, styles.sum)} role="row">
          <span role="cell" className={styles.who}>
            <b>Sum</b>
          </span>
          <span role="cell" className={textStyles.number}>
            {formatWhole(flame.spans.length)}
          </span>
          <span role="cell" className={textStyles.number}>
            <Figure ms={flame.own.time} />
          </span>
          <span />
          <span />
          <span role="cell" className={textStyles.number}>
            {flame.own.tokens > 0 ? formatCount(flame.own.tokens) : "·"}
          </span>
          <span />
          <span />
          <span role="cell" className={textStyles.number}>
            {flame.own.cost > 0 ? <Cost cost={{ usd: flame.own.cost, isComputed: flame.isComputed }} /> : "·"}
          </span>
          <span />
          <span />
          <span role="cell" className={classNames(textStyles.number, errors > 0 && textStyles.error)}>
            {errors > 0 ? formatWhole(errors) : "·"}
          </span>
        </div>
      </div>
    </section>
  );
}

function mostOf(groups: readonly SpanGroup[], measure: Measure): number {
  return groups.reduce((most, { own }) => Math.max(most, own[measure]), 0);
}

/** `44.06 s of own time in 43.87 s: 0.19 s ran in parallel`. */
function balance(ownMs: number, wallMs: number): string {
  const text = `${durationText(ownMs)} of own time in ${durationText(wallMs)}`;
  const over = ownMs - wallMs;
  if (Math.abs(over) < 1) return text;
  return `${text}: ${durationText(Math.abs(over))} ${over > 0 ? "ran in parallel" : "without a span"}`;
}
