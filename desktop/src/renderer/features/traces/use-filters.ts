import { useMemo } from "react";
import { useLocation, useSearch } from "wouter";
import type { TraceFilters } from "../../api/collector-api.js";
import { filtersFromSearch, tracesAddress } from "./filter-address.js";

/** The filters stand in the address: a link lands where it was copied, and Back goes back. */
export interface AddressFilters {
  readonly filters: TraceFilters;
  /** @param isTyping - the step is one of many, and none to go back to. */
  readonly setFilters: (filters: TraceFilters, isTyping?: boolean) => void;
}

export function useFilters(): AddressFilters {
  const search = useSearch();
  const [, navigate] = useLocation();
  const filters = useMemo(() => filtersFromSearch(search), [search]);
  return {
    filters,
    setFilters: (next, isTyping = false) => navigate(tracesAddress(next), { replace: isTyping }),
  };
}
