import type { TraceOrder } from "@obspan/collector-core/api-schema";
import { useMemo } from "react";
import { useLocation, useSearch } from "wouter";
import type { TraceFilters } from "../../api/collector-api.js";
import { filtersFromSearch, orderFromSearch, tracesAddress } from "./filter-address.js";

/** Filters in the URL, so that links and Back work. */
export interface AddressFilters {
  readonly filters: TraceFilters;
  /** @param isTyping - replaces the history entry, because it is one step of many. */
  readonly setFilters: (filters: TraceFilters, isTyping?: boolean) => void;
}

/** The order of the list in the URL. */
export interface AddressOrder {
  readonly order: TraceOrder;
  readonly setOrder: (order: TraceOrder) => void;
}

export function useFilters(): AddressFilters & AddressOrder {
  const search = useSearch();
  const [, navigate] = useLocation();
  const filters = useMemo(() => filtersFromSearch(search), [search]);
  const order = orderFromSearch(search);
  return {
    filters,
    order,
    setFilters: (next, isTyping = false) => navigate(tracesAddress(next, order), { replace: isTyping }),
    setOrder: (next) => navigate(tracesAddress(filters, next)),
  };
}
