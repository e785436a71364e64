import { useRef } from "react";

/** Ways to select rows. */
export interface Selection<Row> {
  toggle(row: Row): void;
  /** Selects the range from the last toggled row, or the active one, to this one. */
  extendTo(index: number, from: number): void;
  /** The next extension starts at the active row. */
  endExtension(): void;
  clear(): void;
}

/** A store with the keys of the selected rows. */
interface SelectionStore {
  getState(): {
    readonly selected: ReadonlySet<string>;
    setSelected(selected: ReadonlySet<string>): void;
  };
}

/** Selection of single rows and ranges. */
export function useSelection<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  store: SelectionStore,
): Selection<Row> {
  /** Start of an extension, and the selection before it. */
  const anchor = useRef<{ key: string; base: ReadonlySet<string> }>(undefined);

  return {
    toggle(row) {
      const key = keyOf(row);
      const selected = new Set(store.getState().selected);
      if (!selected.delete(key)) selected.add(key);
      anchor.current = { key, base: selected };
      store.getState().setSelected(selected);
    },
    extendTo(index, from) {
      const start = rows[from];
      if (anchor.current === undefined && start !== undefined)
        anchor.current = { key: keyOf(start), base: store.getState().selected };
      const { key, base } = anchor.current ?? { key: undefined, base: new Set<string>() };
      const begin = rows.findIndex((row) => keyOf(row) === key);
      const end = begin === -1 ? index : begin;
      const between = rows.slice(Math.min(end, index), Math.max(end, index) + 1);
      store.getState().setSelected(new Set([...base, ...between.map(keyOf)]));
    },
    endExtension() {
      anchor.current = undefined;
    },
    clear() {
      anchor.current = undefined;
      store.getState().setSelected(new Set());
    },
  };
}
