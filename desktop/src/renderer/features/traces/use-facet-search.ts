import { useEffect, useMemo, useRef } from "react";
import { useStores, useTraces } from "../../app-context.js";
import { facetChoices, type FacetChoices, type FacetKey } from "../../store/traces-state.js";

/** Delay between typing and the search. */
const TYPING_MS = 150;

/** The values of a filter that contain a text. */
export interface FacetSearch extends Omit<FacetChoices, "contains"> {
  /** False until the collector has answered: the values are those that are known, and their counts are not. */
  readonly isCounted: boolean;
}

/** Asks the collector for the values while a text is typed. Until it answers, the known ones are shown. */
export function useFacetSearch(facet: FacetKey, text: string): FacetSearch {
  const { traces } = useStores();
  const choices = useTraces((state) => state.choices[facet]);
  const facets = useTraces((state) => state.facets);
  const filters = useTraces((state) => state.filters);
  useEffect(() => {
    if (text === "") {
      void traces.getState().loadChoices(facet);
      return undefined;
    }
    const timer = setTimeout(() => void traces.getState().loadChoices(facet, text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [traces, facet, text, filters]);

  // While a selection changes, the values stay where they are.
  const last = useRef<FacetChoices>(undefined);
  last.current = choices ?? last.current;
  const shown = last.current;
  return useMemo(() => {
    if (choices?.contains === text) return { ...choices, isCounted: true };
    const known = shown ?? (facets && facetChoices(facets, facet, ""));
    const values = (known?.values ?? []).filter(({ value }) =>
      value.toLowerCase().includes(text.toLowerCase()),
    );
    return { values, total: values.length, isCounted: false };
  }, [choices, shown, facets, facet, text]);
}
