import {
  GROUP_ORDERS,
  quoteQueryText,
  type GroupOrder,
  type TraceOrder,
} from "@obspan/collector-core/api-schema";
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
  // A literal text, as in links to the API.
  const text = parameters.get("q") ?? "";
  if (text !== "") filters.query = [filters.query ?? "", quoteQueryText(text)].join(" ").trim();
  return filters;
}

/** The order in the URL. */
export function orderFromSearch(search: string): TraceOrder {
  return orderFromText(new URLSearchParams(search).get("order"));
}

/** The order of that name; the default for another text. */
export function orderFromText(order: string | null): TraceOrder {
  return order === "slowest" || order === "costliest" ? order : "start";
}

/** URL of the list of traces with these filters. */
export function tracesAddress(filters: TraceFilters, order: TraceOrder = "start"): string {
  return listAddress("/traces", filters, order === "start" ? undefined : order);
}

/** How the traces are grouped. */
export interface Grouping {
  /** A key of the query language, or `@attribute`. */
  readonly by: string;
  readonly order: GroupOrder;
}

/** The grouping in the URL; undefined for a list of traces. */
export function groupingFromSearch(search: string): Grouping | undefined {
  const parameters = new URLSearchParams(search);
  const by = parameters.get("group_by") ?? "";
  return by === "" ? undefined : { by, order: groupOrderFromText(parameters.get("order")) };
}

/** The order of that name; the default for another text. */
export function groupOrderFromText(order: string | null): GroupOrder {
  return GROUP_ORDERS.find((each) => each === order) ?? "runs";
}

/** URL of the groups of the traces with these filters. */
export function groupsAddress(filters: TraceFilters, { by, order }: Grouping): string {
  return listAddress("/traces", filters, order === "runs" ? undefined : order, by);
}

/** URL of a list of that path. @param order - undefined for the default, which is left out. */
export function listAddress(
  path: string,
  filters: TraceFilters,
  order: string | undefined,
  groupBy?: string,
): string {
  const parameters = new URLSearchParams();
  for (const name of FILTER_NAMES) {
    const value = filters[name];
    if (value !== undefined && value !== "") parameters.set(name, value);
  }
  if (groupBy !== undefined) parameters.set("group_by", groupBy);
  if (order !== undefined) parameters.set("order", order);
  const search = parameters.toString();
  return search === "" ? path : `${path}?${search}`;
}
