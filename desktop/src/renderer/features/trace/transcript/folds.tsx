import { createContext, use, useMemo, useState, type ReactNode } from "react";
import { useTraceView } from "../trace-page-context.js";

/** Which parts of the transcript are open. It outlives the rows, which are removed when they are scrolled away. */
export interface Folds {
  readonly isOpen: (key: string) => boolean;
  readonly toggle: (key: string) => void;
  readonly set: (keys: readonly string[], isOpen: boolean) => void;
}

const FoldsContext = createContext<Folds | undefined>(undefined);

export function FoldsProvider({ folds, children }: { folds: Folds; children: ReactNode }) {
  return <FoldsContext value={folds}>{children}</FoldsContext>;
}

export function useFolds(): Folds {
  const folds = use(FoldsContext);
  if (folds === undefined) throw new Error("useFolds needs a FoldsProvider above it.");
  return folds;
}

/** The state of {@link Folds}. */
export function useFoldState(): Folds {
  const { isAllOpen, version } = useTraceView((state) => state.transcriptFolds);
  /** Parts that differ from the others, since all of them were opened or folded. */
  const [toggled, setToggled] = useState({ keys: NONE, version });
  const keys = toggled.version === version ? toggled.keys : NONE;
  return useMemo(
    () => ({
      isOpen: (key) => keys.has(key) !== isAllOpen,
      toggle: (key) => setToggled({ keys: withKeys(keys, [key], !keys.has(key)), version }),
      set: (changed, isOpen) => setToggled({ keys: withKeys(keys, changed, isOpen !== isAllOpen), version }),
    }),
    [isAllOpen, keys, version],
  );
}

const NONE: ReadonlySet<string> = new Set();

function withKeys(set: ReadonlySet<string>, keys: readonly string[], isIn: boolean): ReadonlySet<string> {
  const next = new Set(set);
  for (const key of keys) {
    if (isIn) next.add(key);
    else next.delete(key);
  }
  return next;
}
