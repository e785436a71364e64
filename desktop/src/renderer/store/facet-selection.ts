import {
  findQueryKey,
  formatQueryTerm,
  readQueryTerms,
  type QueryTerm,
} from "@obspan/collector-core/api-schema";
import type { TraceFilters } from "../api/collector-api.js";
import { omit } from "./omit.js";
import { isFacetKey, type FacetKey } from "./traces-state.js";

/** A key of the query language whose values are chosen in a menu. */
export type SelectionKey = FacetKey | "user" | "state" | "feedback";

/** The chosen values of a filter: a trace has one of `include`, and none of `exclude`. */
export interface FacetSelection {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

export const NO_SELECTION: FacetSelection = { include: [], exclude: [] };

/** The values that the filters choose: one is a filter of its own, more are terms of the query. */
export function selectionOf(filters: TraceFilters, key: SelectionKey): FacetSelection {
  const plain = isFacetKey(key) ? filters[key] : undefined;
  const terms = readQueryTerms(filters.query ?? "").filter((term) => isOf(term, key));
  const valuesOf = (isNegated: boolean): string[] =>
    terms
      .filter((term) => term.isNegated === isNegated)
      .flatMap(({ values }) => values.map(({ text }) => text));
  return {
    include: distinct([...(plain === undefined ? [] : [plain]), ...valuesOf(false)]),
    exclude: distinct(valuesOf(true)),
  };
}

/** Whether the filters choose values of a filter. */
export function hasSelection(filters: TraceFilters, key: SelectionKey): boolean {
  const { include, exclude } = selectionOf(filters, key);
  return include.length + exclude.length > 0;
}

/** The filters with other values of one filter. */
export function withSelection(
  filters: TraceFilters,
  key: SelectionKey,
  { include, exclude }: FacetSelection,
): TraceFilters {
  const others = omit(isFacetKey(key) ? omit(filters, key) : filters, "query");
  const only = isFacetKey(key) && include.length === 1 ? include[0] : undefined;
  const terms = [
    ...otherTerms(filters.query ?? "", key),
    ...(include.length > 0 && only === undefined ? [formatQueryTerm(queryName(key), include)] : []),
    ...(exclude.length > 0 ? [formatQueryTerm(queryName(key), exclude, true)] : []),
  ];
  return {
    ...others,
    ...(only === undefined ? {} : { [key]: only }),
    ...(terms.length === 0 ? {} : { query: terms.join(" ") }),
  };
}

/** The selection with a value added to one side, or removed from it. */
export function toggled(
  selection: FacetSelection,
  value: string,
  side: keyof FacetSelection,
): FacetSelection {
  const other = side === "include" ? "exclude" : "include";
  const isIn = selection[side].includes(value);
  return {
    ...selection,
    [side]: isIn ? selection[side].filter((each) => each !== value) : [...selection[side], value],
    [other]: selection[other].filter((each) => each !== value),
  };
}

function otherTerms(query: string, key: SelectionKey): string[] {
  return readQueryTerms(query)
    .filter((term) => !isOf(term, key))
    .map(({ start, end }) => query.slice(start, end));
}

/** Whether a term has values of the filter; `type` and `span_type` are one key. */
function isOf({ key, isAttribute }: QueryTerm, facet: SelectionKey): boolean {
  if (key === undefined || isAttribute) return false;
  const condition = findQueryKey(key)?.condition;
  const own = findQueryKey(facet)?.condition;
  if (condition === undefined || own === undefined || condition.kind !== own.kind) return false;
  return "key" in condition && "key" in own && condition.key === own.key;
}

/** The name of a filter in the query language. */
function queryName(key: SelectionKey): string {
  return key === "span_type" ? "type" : key;
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
