import type { TraceOrder } from "@obspan/collector-core/api-schema";
import { useMemo } from "react";
import { useLocation, useSearch } from "wouter";
import type { TraceFilters } from "../../api/collector-api.js";
import { filtersFromSearch, orderFromSearch, tracesAddress } from "./filter-address.js";

/** The filters stand in the address: a link lands where it was copied, and Back goes back. */
export interface AddressFilters {
  readonly filters: TraceFilters;
  /** @param isTyping - the step is one of many, and none to go back to. */
  readonly setFilters: (filters: TraceFilters, isTyping?: boolean) => void;
}

/** The order of the list stands there as well. */
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
