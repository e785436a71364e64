import { createStore } from "zustand/vanilla";
import { createJSONStorage, persist } from "zustand/middleware";

/** What a turn of a session has beside what was said. */
export type TurnPart = "activity" | "scores";

/** Preferences, stored in the browser. */
export interface Preferences {
  /** Undefined until chosen: then open from 1720 px on. */
  readonly railOpen: boolean | undefined;
  readonly theme: "system" | "light" | "dark";
  /** Columns of the trace table that are hidden, by id. */
  readonly hiddenColumns: readonly string[];
  /** Widths of columns that were dragged, in pixels, by id. */
  readonly columnWidths: Readonly<Record<string, number>>;
  /** The same of the table of sessions. */
  readonly hiddenSessionColumns: readonly string[];
  readonly sessionColumnWidths: Readonly<Record<string, number>>;
  /** Width of the right pane of a trace, in pixels. */
  readonly detailWidth: number;
  /** Width of the names in the timeline of a trace, in pixels. Undefined until chosen: then a share of the width. */
  readonly nameWidth: number | undefined;
  /** Compared texts stand beside each other, or in one column. */
  readonly diffLayout: "split" | "unified";
  /** Parts of the turns of a session that are hidden. */
  readonly hiddenTurnParts: readonly TurnPart[];
  /** Equal parts of compared texts are folded. */
  readonly isOnlyChanges: boolean;
}

export const DEFAULT_PREFERENCES: Preferences = {
  railOpen: undefined,
  theme: "system",
  hiddenColumns: [],
  columnWidths: {},
  hiddenSessionColumns: [],
  sessionColumnWidths: {},
  detailWidth: 560,
  nameWidth: undefined,
  diffLayout: "split",
  hiddenTurnParts: [],
  isOnlyChanges: true,
};

export function createPreferencesStore(storage: () => Storage = () => localStorage) {
  return createStore<Preferences>()(
    persist(() => DEFAULT_PREFERENCES, {
      name: "obspan.preferences",
      version: 1,
      storage: createJSONStorage(storage),
    }),
  );
}
export type PreferencesStore = ReturnType<typeof createPreferencesStore>;
