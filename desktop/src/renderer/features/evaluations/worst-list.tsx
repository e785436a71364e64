import type { EvaluationSummary, ListedEvaluation } from "@obspan/collector-core/api-schema";
import { ChevronDown, RotateCcw } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useState, type KeyboardEvent } from "react";
import { useLocation } from "wouter";
import { useEvaluations, useStores } from "../../app-context.js";
import { MenuMark } from "../../components/menu-mark.js";
import { formatDay, formatScore, formatTime, formatWhole } from "../../format.js";
import type { EvaluationFilters } from "../../store/evaluations-store.js";
import { tracePath } from "../trace/trace-address.js";
import { unmarked } from "./unmarked-text.js";
import { typeText } from "../../components/type-text.js";
import { classNames } from "../../components/class-names.js";
import badgeStyles from "../../components/badge.module.css";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import menuStyles from "../../components/menu.module.css";
import tableStyles from "../../components/table.module.css";
import textStyles from "../../components/text.module.css";
import evaluationsPageStyles from "./evaluations-page.module.css";
import styles from "./worst-list.module.css";

const CHOICES: Readonly<Record<EvaluationFilters["rows"], string>> = {
  past: "Past their threshold",
  all: "All scores",
  failed: "Failed",
};

/** The worst answers, each with the judge's explanation. */
export function WorstList({ summary }: { summary: EvaluationSummary }) {
  const { evaluations } = useStores();
  const [, navigate] = useLocation();
  const rows = useEvaluations((state) => state.rows);
  const chosen = useEvaluations((state) => state.filters.rows);
  const hasMore = useEvaluations((state) => state.nextCursor !== null);
  const notice = useEvaluations((state) => state.runNotice);
  const [selected, setSelected] = useState(0);
  const past = summary.types.reduce((sum, { past_threshold: count }) => sum + count, 0);
  const canRun = summary.evaluation !== null;

  function open(row: ListedEvaluation | undefined): void {
    if (row?.trace_name == null) return;
    const spanId = row.evaluated_span_id ?? undefined;
    navigate(
      tracePath(
        { traceId: row.trace_id, tenant: row.tenant },
        { spanId, tab: "evaluations", view: "timeline" },
      ),
    );
  }
  function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const row = rows[selected];
    if (step !== undefined) {
      const next = Math.min(rows.length - 1, Math.max(0, selected + step));
      setSelected(next);
      event.currentTarget.querySelectorAll('[role="row"]')[next + 1]?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" && event.target === event.currentTarget) open(row);
    else if (event.key === "r" && canRun && row !== undefined && !event.metaKey && !event.ctrlKey)
      void evaluations.getState().runAgain(row);
    else return;
    event.preventDefault();
  }

  return (
    <div className={styles.worst}>
      <header>
        <h2>{chosen === "failed" ? "Failed" : "Worst first"}</h2>
        {past > 0 && <span className={badgeStyles.error}>{formatWhole(past)} past their threshold</span>}
        {notice !== undefined && (
          <span className={textStyles.note} role="status">
            {notice}
          </span>
        )}
        <span className={textStyles.grow} />
        <DropdownMenu.Root modal={false}>
          <DropdownMenu.Trigger
            className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)}
          >
            {CHOICES[chosen]}
            <ChevronDown className={iconStyles.tiny} aria-hidden />
          </DropdownMenu.Trigger>
          <DropdownMenu.Content className={menuStyles.menu} align="end" sideOffset={4} loop>
            {(Object.keys(CHOICES) as EvaluationFilters["rows"][]).map((choice) => (
              <DropdownMenu.Item
                key={choice}
                className={menuStyles.menuItem}
                onSelect={() => evaluations.getState().setFilters({ rows: choice })}
              >
                <MenuMark isChosen={choice === chosen} />
                {CHOICES[choice]}
              </DropdownMenu.Item>
            ))}
          </DropdownMenu.Content>
        </DropdownMenu.Root>
      </header>
      {rows.length === 0 ? (
        <p className={classNames(textStyles.dim, evaluationsPageStyles.none)} role="status">
          {chosen === "past" ? "No score is past its threshold." : "None in this time range."}
        </p>
      ) : (
        <div
          className={styles.rows}
          role="grid"
          aria-label={chosen === "failed" ? "Failed evaluations" : "Worst evaluations first"}
          aria-rowcount={rows.length + 1}
          tabIndex={0}
          aria-activedescendant={`evaluation-${selected}`}
          onKeyDown={onKeyDown}
        >
          <div className={classNames(tableStyles.row, tableStyles.head)} role="row">
            {["Type", "Score", "Evaluated text", "Why, says the judge", "Trace", "Model", "When"].map(
              (name) => (
                <span
                  key={name}
                  role="columnheader"
                  className={name === "Score" || name === "When" ? tableStyles.right : undefined}
                >
                  {name}
                </span>
              ),
            )}
            <span role="columnheader">
              <span className={textStyles.screenReader}>Run again</span>
            </span>
          </div>
          {rows.map((row, index) => (
            <Row
              key={`${row.trace_id} ${row.span_id}`}
              id={`evaluation-${index}`}
              row={row}
              isSelected={index === selected}
              canRun={canRun}
              onOpen={() => {
                setSelected(index);
                open(row);
              }}
            />
          ))}
          {hasMore && (
            <button
              type="button"
              className={classNames(buttonStyles.button, buttonStyles.ghost, styles.more)}
              onClick={() => void evaluations.getState().loadMore()}
            >
              Show more
            </button>
          )}
        </div>
      )}
    </div>
  );
}

interface RowProps {
  readonly id: string;
  readonly row: ListedEvaluation;
  readonly isSelected: boolean;
  readonly canRun: boolean;
  readonly onOpen: () => void;
}

function Row({ id, row, isSelected, canRun, onOpen }: RowProps) {
  const { evaluations } = useStores();
  const isRunning = useEvaluations((state) => state.running.has(row.span_id));
  const isToday = formatDay(row.time) === formatDay(new Date().toISOString());
  return (
    <div
      id={id}
      role="row"
      aria-selected={isSelected}
      className={isSelected ? classNames(tableStyles.row, tableStyles.selected) : tableStyles.row}
      onClick={onOpen}
    >
      <span role="gridcell" className={classNames(styles.type, textStyles.cut)} data-tip={row.type}>
        {typeText(row.type)}
      </span>
      <span
        role="gridcell"
        className={
          row.past_threshold || row.score === null
            ? classNames(textStyles.number, textStyles.error)
            : textStyles.number
        }
      >
        {row.score === null ? row.outcome : formatScore(row.score)}
      </span>
      <span role="gridcell" className={styles.text} data-tip={row.evaluated_text ?? undefined} dir="auto">
        {row.evaluated_text === null ? (
          <span className={textStyles.faint}>
            {row.trace_name === null ? "no longer in the store" : "no text"}
          </span>
        ) : (
          unmarked(row.evaluated_text)
        )}
      </span>
      <span role="gridcell" className={styles.explanation} data-tip={row.explanation ?? undefined} dir="auto">
        {row.explanation ?? row.label ?? ""}
      </span>
      <span role="gridcell" className={textStyles.cut} dir="auto">
        {row.trace_name ?? <span className={textStyles.faint}>evicted</span>}
      </span>
      <span role="gridcell" className={classNames(textStyles.cut, textStyles.mono, textStyles.dim)}>
        {row.model}
      </span>
      <span role="gridcell" className={classNames(textStyles.number, textStyles.faint)}>
        {isToday ? formatTime(row.time).slice(0, 5) : formatDay(row.time)}
      </span>
      <span role="gridcell">
        {canRun && row.trace_name !== null && (
          <button
            type="button"
            className={classNames(buttonStyles.button, buttonStyles.small, buttonStyles.square, styles.again)}
            data-tip="Run again  R"
            aria-label={`Run ${typeText(row.type)} again`}
            disabled={isRunning}
            tabIndex={-1}
            onClick={(event) => {
              event.stopPropagation();
              void evaluations.getState().runAgain(row);
            }}
          >
            <RotateCcw className={iconStyles.icon} aria-hidden />
          </button>
        )}
      </span>
    </div>
  );
}
