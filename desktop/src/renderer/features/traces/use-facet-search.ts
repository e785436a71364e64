import { FEEDBACK_VALUES, SESSION_STATES } from "@obspan/collector-core/api-schema";
import { useEffect, useMemo, useRef } from "react";
import { useStores, useTraces } from "../../app-context.js";
import type { SelectionKey } from "../../store/facet-selection.js";
import { facetChoices, type FacetChoices } from "../../store/traces-state.js";

/** Delay between typing and the search. */
const TYPING_MS = 150;

/** The values of a filter that contain a text. */
export interface FacetSearch extends Omit<FacetChoices, "contains" | "values"> {
  /** Without a count for values that are known without the collector. */
  readonly values: readonly { readonly value: string; readonly count?: number }[];
  /** False until the collector has answered: the values are those that are known, and their counts are not. */
  readonly isCounted: boolean;
}

/** Values that need no collector. */
const FIXED: Readonly<Partial<Record<SelectionKey, readonly string[]>>> = {
  state: SESSION_STATES,
  feedback: FEEDBACK_VALUES,
};

/** Asks the collector for the values while a text is typed. Until it answers, the known ones are shown. */
export function useFacetSearch(facet: SelectionKey, text: string): FacetSearch {
  const { traces } = useStores();
  const key = facet === "state" || facet === "feedback" ? undefined : facet;
  const choices = useTraces((state) => (key === undefined ? undefined : state.choices[key]));
  const facets = useTraces((state) => state.facets);
  const filters = useTraces((state) => state.filters);
  useEffect(() => {
    if (key === undefined) return undefined;
    if (text === "") {
      void traces.getState().loadChoices(key);
      return undefined;
    }
    const timer = setTimeout(() => void traces.getState().loadChoices(key, text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [traces, key, text, filters]);

  // While a selection changes, the values stay where they are.
  const last = useRef<FacetChoices>(undefined);
  last.current = choices ?? last.current;
  const shown = last.current;
  return useMemo(() => {
    if (key === undefined) {
      const values = (FIXED[facet] ?? []).map((value) => ({ value }));
      return { values, total: values.length, isCounted: true };
    }
    if (choices?.contains === text) return { ...choices, isCounted: true };
    const known = shown ?? (facets && facetChoices(facets, key, ""));
    const values = (known?.values ?? []).filter(({ value }) =>
      value.toLowerCase().includes(text.toLowerCase()),
    );
    return { values, total: values.length, isCounted: false };
  }, [choices, shown, facets, facet, key, text]);
}
