import type { SessionOrder } from "@obspan/collector-core/api-schema";
import { useMemo } from "react";
import { useLocation, useSearch } from "wouter";
import { filtersFromSearch, listAddress, orderFromSearch } from "../traces/filter-address.js";
import type { TraceFilters } from "../../api/collector-api.js";
import type { AddressFilters } from "../traces/use-filters.js";

/** The order of the list in the URL. */
export interface SessionsOrder {
  readonly order: SessionOrder;
  readonly setOrder: (order: SessionOrder) => void;
}

/** Filters and order in the URL: the same parameters as those of the list of traces. */
export function useSessionFilters(): AddressFilters & SessionsOrder {
  const search = useSearch();
  const [, navigate] = useLocation();
  const filters = useMemo(() => filtersFromSearch(search), [search]);
  const traceOrder = orderFromSearch(search);
  const order: SessionOrder = traceOrder === "start" ? "newest" : traceOrder;
  const address = (next: TraceFilters, by: SessionOrder): string =>
    listAddress("/sessions", next, by === "newest" ? undefined : by);
  return {
    filters,
    order,
    setFilters: (next, isTyping = false) => navigate(address(next, order), { replace: isTyping }),
    setOrder: (next) => navigate(address(filters, next)),
  };
}
