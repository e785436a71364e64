import { Download, GitCompare, Trash2, X } from "lucide-react";
import { useEffect, useState, type KeyboardEvent } from "react";
import { useLocation } from "wouter";
import { useStore } from "zustand";
import { useEvaluations, useStores, useTraces } from "../../app-context.js";
import { EvaluateMenu } from "../../components/evaluate-menu.js";
import { formatWhole } from "../../format.js";
import { rowKeyOf, traceKeyOf } from "../../store/trace-key.js";
import type { TracesStore } from "../../store/traces-store.js";
import { ComparePage } from "../compare/late-compare-page.js";
import { comparedRows } from "./compared-rows.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./bulk-bar.module.css";

/** Actions for the selected rows. */
export function BulkBar() {
  const { traces, files } = useStores();
  const isExporting = useStore(files, ({ transfer }) => transfer.type === "exporting");
  const selected = useTraces((state) => state.selected);
  const { isRunning, failure } = useTraces((state) => state.deletion);
  const notice = useEvaluations((state) => state.runNotice);
  const [isAsking, setAsking] = useState(false);
  // A changed selection cancels the question.
  useEffect(() => setAsking(false), [selected]);
  const isSelecting = selected.size > 0;
  useEffect(() => {
    if (isSelecting) ComparePage.preload();
  }, [isSelecting]);
  const rows = useTraces((state) => state.rows);
  const [, navigate] = useLocation();
  if (selected.size === 0) return null;
  const compared = comparedRows(rows, selected);

  function keepOnEscape(event: KeyboardEvent): void {
    if (event.key !== "Escape") return;
    // Keeps Escape from the list, where it clears the selection.
    event.preventDefault();
    setAsking(false);
  }
  const clear = (): void => traces.getState().setSelected(new Set());
  const count = formatWhole(selected.size);
  return (
    <div className={styles.bulk} role="region" aria-label="Selected traces">
      {isAsking || isRunning ? (
        <>
          <span role="alert">
            Delete <b className={textStyles.number}>{count}</b> {selected.size === 1 ? "trace" : "traces"}?
            This cannot be undone.
          </span>
          <span className={styles.sep} />
          <button
            type="button"
            className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.danger)}
            autoFocus
            disabled={isRunning}
            onClick={() => void traces.getState().deleteSelected()}
            onKeyDown={keepOnEscape}
          >
            <Trash2 className={iconStyles.icon} aria-hidden />
            {isRunning ? "Deleting…" : "Delete"}
          </button>
          <button
            type="button"
            className={classNames(buttonStyles.button, buttonStyles.ghost)}
            disabled={isRunning}
            onClick={() => setAsking(false)}
            onKeyDown={keepOnEscape}
          >
            Keep
          </button>
        </>
      ) : (
        <>
          <span>
            <b className={textStyles.number}>{count}</b> selected
          </span>
          {failure !== undefined && <span className={textStyles.error}>{failure}</span>}
          {notice !== undefined && (
            <span className={textStyles.note} role="status">
              {notice}
            </span>
          )}
          <span className={styles.sep} />
          <button
            type="button"
            className={classNames(buttonStyles.button, buttonStyles.ghost)}
            disabled={compared === undefined}
            data-tip={compared === undefined ? "Select two traces to compare them" : "Compare both  C"}
            onClick={() => compared !== undefined && navigate(compared)}
          >
            <GitCompare className={iconStyles.icon} aria-hidden />
            Compare
          </button>
          <EvaluateMenu
            className={classNames(buttonStyles.button, buttonStyles.ghost)}
            traces={[...selected].map(traceKeyOf)}
          />
          <button
            type="button"
            className={classNames(buttonStyles.button, buttonStyles.ghost)}
            disabled={isExporting}
            onClick={() => void files.getState().exportRows(selectedInOrder(traces))}
          >
            <Download className={iconStyles.icon} aria-hidden />
            {isExporting ? "Exporting…" : "Export"}
          </button>
          <button
            type="button"
            className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.danger)}
            onClick={() => setAsking(true)}
          >
            <Trash2 className={iconStyles.icon} aria-hidden />
            Delete
          </button>
          <button
            type="button"
            className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.square)}
            data-tip="Clear the selection  Esc"
            onClick={clear}
          >
            <X className={iconStyles.icon} aria-label="Clear the selection" />
          </button>
        </>
      )}
    </div>
  );
}

/** Keys of the selected rows in list order, whatever the order of selection. */
function selectedInOrder(traces: TracesStore): string[] {
  const { rows, selected } = traces.getState();
  const listed = rows.map(rowKeyOf).filter((key) => selected.has(key));
  return [...listed, ...[...selected].filter((key) => !listed.includes(key))];
}
