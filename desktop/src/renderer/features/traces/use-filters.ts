import type { TraceOrder } from "@obspan/collector-core/api-schema";
import { useMemo } from "react";
import { useLocation, useSearch } from "wouter";
import type { TraceFilters } from "../../api/collector-api.js";
import {
  filtersFromSearch,
  groupingFromSearch,
  groupsAddress,
  orderFromSearch,
  tracesAddress,
  type Grouping,
} from "./filter-address.js";

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

/** The grouping in the URL. */
export interface AddressGrouping {
  /** Undefined for a list of traces. */
  readonly grouping: Grouping | undefined;
  readonly setGrouping: (grouping: Grouping | undefined) => void;
}

export function useFilters(): AddressFilters & AddressOrder & AddressGrouping {
  const search = useSearch();
  const [, navigate] = useLocation();
  const filters = useMemo(() => filtersFromSearch(search), [search]);
  const order = orderFromSearch(search);
  const grouping = useMemo(() => groupingFromSearch(search), [search]);
  const address = (next: TraceFilters, grouped: Grouping | undefined): string =>
    grouped === undefined ? tracesAddress(next, order) : groupsAddress(next, grouped);
  return {
    filters,
    order,
    grouping,
    setFilters: (next, isTyping = false) => navigate(address(next, grouping), { replace: isTyping }),
    setOrder: (next) => navigate(tracesAddress(filters, next)),
    setGrouping: (next) => navigate(address(filters, next)),
  };
}
