import { Download, GitCompare } from "lucide-react";
import { useEffect } from "react";
import { useLocation } from "wouter";
import { useStore } from "zustand";
import { useEvaluations, useStores, useTraces } from "../../app-context.js";
import { EvaluateMenu } from "../../components/evaluate-menu.js";
import { rowKeyOf, traceKeyOf } from "../../store/trace-key.js";
import type { TracesStore } from "../../store/traces-store.js";
import { ComparePage } from "../compare/late-compare-page.js";
import { comparedRows } from "./compared-rows.js";
import { SelectionBar } from "./selection-bar.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";

/** Actions for the selected traces. */
export function BulkBar() {
  const { traces, files } = useStores();
  const isExporting = useStore(files, ({ transfer }) => transfer.type === "exporting");
  const selected = useTraces((state) => state.selected);
  const deletion = useTraces((state) => state.deletion);
  const notice = useEvaluations((state) => state.runNotice);
  const isSelecting = selected.size > 0;
  useEffect(() => {
    if (isSelecting) ComparePage.preload();
  }, [isSelecting]);
  const rows = useTraces((state) => state.rows);
  const [, navigate] = useLocation();
  const compared = comparedRows(rows, selected);
  return (
    <SelectionBar
      name="Selected traces"
      selected={selected}
      what={selected.size === 1 ? "trace" : "traces"}
      deletion={deletion}
      notice={notice}
      onDelete={() => void traces.getState().deleteSelected()}
      onClear={() => traces.getState().setSelected(new Set())}
    >
      <button
        type="button"
        className={classNames(buttonStyles.button, buttonStyles.ghost)}
        disabled={compared === undefined}
        data-tip={compared === undefined ? "Select two traces to compare them" : "Compare both  C"}
        onClick={() => compared !== undefined && navigate(compared)}
      >
        <GitCompare className={iconStyles.icon} aria-hidden />
        Compare {compared !== undefined && <kbd aria-hidden>C</kbd>}
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
    </SelectionBar>
  );
}

/** Keys of the selected rows in list order, whatever the order of selection. */
function selectedInOrder(traces: TracesStore): string[] {
  const { rows, selected } = traces.getState();
  const listed = rows.map(rowKeyOf).filter((key) => selected.has(key));
  return [...listed, ...[...selected].filter((key) => !listed.includes(key))];
}
