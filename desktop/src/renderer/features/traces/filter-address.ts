import type { TraceOrder } from "@obspan/collector-core/api-schema";
import type { TraceFilters } from "../../api/collector-api.js";
import { FILTER_NAMES } from "../../store/traces-state.js";

/** Filters in the URL: the parameters of `GET /v1/traces`. Others are ignored. */
export function filtersFromSearch(search: string): TraceFilters {
  const parameters = new URLSearchParams(search);
  const filters: Partial<Record<(typeof FILTER_NAMES)[number], string>> = {};
  for (const name of FILTER_NAMES) {
    const value = parameters.get(name);
    if (value !== null && value !== "") filters[name] = value;
  }
  return filters;
}

/** The order in the URL. */
export function orderFromSearch(search: string): TraceOrder {
  const order = new URLSearchParams(search).get("order");
  return order === "slowest" || order === "costliest" ? order : "newest";
}

/** URL of the list with these filters. */
export function tracesAddress(filters: TraceFilters, order: TraceOrder = "newest"): string {
  const parameters = new URLSearchParams();
  for (const name of FILTER_NAMES) {
    const value = filters[name];
    if (value !== undefined && value !== "") parameters.set(name, value);
  }
  if (order !== "newest") parameters.set("order", order);
  const search = parameters.toString();
  return search === "" ? "/traces" : `/traces?${search}`;
}
