import type { TraceSummary } from "@obspan/collector-core/contract";
import { useRef } from "react";
import { useStores } from "../../app-context.js";
import { idsBetween } from "../../store/trace-rows.js";

/** Ways to select rows. */
export interface Selection {
  toggle(row: TraceSummary): void;
  /** Selects from the row that was toggled last, or where the reader was, to this one. */
  extendTo(index: number, from: number): void;
  /** The next extension begins where the reader is then. */
  endExtension(): void;
  clear(): void;
}

/** Selecting rows: one by one, and from one to another. */
export function useSelection(rows: readonly TraceSummary[]): Selection {
  const { traces } = useStores();
  /** Where an extension began, and what was selected before it. */
  const anchor = useRef<{ id: string; base: ReadonlySet<string> }>(undefined);

  return {
    toggle({ trace_id: id }) {
      const selected = new Set(traces.getState().selected);
      if (!selected.delete(id)) selected.add(id);
      anchor.current = { id, base: selected };
      traces.getState().setSelected(selected);
    },
    extendTo(index, from) {
      const start = rows[from];
      if (anchor.current === undefined && start !== undefined)
        anchor.current = { id: start.trace_id, base: traces.getState().selected };
      const { id, base } = anchor.current ?? { id: undefined, base: new Set<string>() };
      const begin = rows.findIndex((row) => row.trace_id === id);
      traces
        .getState()
        .setSelected(new Set([...base, ...idsBetween(rows, begin === -1 ? index : begin, index)]));
    },
    endExtension() {
      anchor.current = undefined;
    },
    clear() {
      anchor.current = undefined;
      traces.getState().setSelected(new Set());
    },
  };
}
