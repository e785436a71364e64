import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { useRef } from "react";
import { useStores } from "../../app-context.js";
import { indexOfRow, rowKeyOf } from "../../store/trace-key.js";
import { keysBetween } from "../../store/trace-rows.js";

/** Ways to select rows. */
export interface Selection {
  toggle(row: TraceSummary): void;
  /** Selects the range from the last toggled row, or the active one, to this one. */
  extendTo(index: number, from: number): void;
  /** The next extension starts at the active row. */
  endExtension(): void;
  clear(): void;
}

/** Selection of single rows and ranges. */
export function useSelection(rows: readonly TraceSummary[]): Selection {
  const { traces } = useStores();
  /** Start of an extension, and the selection before it. */
  const anchor = useRef<{ key: string; base: ReadonlySet<string> }>(undefined);

  return {
    toggle(row) {
      const key = rowKeyOf(row);
      const selected = new Set(traces.getState().selected);
      if (!selected.delete(key)) selected.add(key);
      anchor.current = { key, base: selected };
      traces.getState().setSelected(selected);
    },
    extendTo(index, from) {
      const start = rows[from];
      if (anchor.current === undefined && start !== undefined)
        anchor.current = { key: rowKeyOf(start), base: traces.getState().selected };
      const { key, base } = anchor.current ?? { key: undefined, base: new Set<string>() };
      const begin = key === undefined ? -1 : indexOfRow(rows, key);
      traces
        .getState()
        .setSelected(new Set([...base, ...keysBetween(rows, begin === -1 ? index : begin, index)]));
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
