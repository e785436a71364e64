import type { TraceFilters } from "../../api/collector-api.js";
import { FILTER_KEYS } from "./query-language.js";

const PARAMETERS = [...FILTER_KEYS, "q"] as const;

/** Filters as the address carries them: the parameters of `GET /v1/traces`. Others are not ours. */
export function filtersFromSearch(search: string): TraceFilters {
  const parameters = new URLSearchParams(search);
  const filters: Partial<Record<(typeof PARAMETERS)[number], string>> = {};
  for (const name of PARAMETERS) {
    const value = parameters.get(name);
    if (value !== null && value !== "") filters[name] = value;
  }
  return filters;
}

/** The address of the list with these filters. */
export function tracesAddress(filters: TraceFilters): string {
  const parameters = new URLSearchParams();
  for (const name of PARAMETERS) {
    const value = filters[name];
    if (value !== undefined && value !== "") parameters.set(name, value);
  }
  const search = parameters.toString();
  return search === "" ? "/traces" : `/traces?${search}`;
}
