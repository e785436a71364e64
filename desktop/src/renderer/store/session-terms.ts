import {
  findQueryKey,
  isSessionKey,
  quoteQueryText,
  readQueryTerms,
} from "@obspan/collector-core/api-schema";
import type { TraceFilters } from "../api/collector-api.js";
import { omit } from "./omit.js";

/** The filters of a list of sessions that are about their traces. */
export function traceFiltersOf(filters: TraceFilters): TraceFilters {
  return withTerms(
    filters,
    readQueryTerms(filters.query ?? "").filter(({ key, isAttribute }) => !isOfSessions(key, isAttribute)),
  );
}

/** The filters that find the traces without a session; undefined if these filters ask for sessions by their ids. */
export function withoutSession(filters: TraceFilters): TraceFilters | undefined {
  const ofTraces = traceFiltersOf(filters);
  const { query = "" } = ofTraces;
  if (readQueryTerms(query).some(({ key = "" }) => SESSION_KEYS.has(key.toLowerCase()))) return undefined;
  return { ...ofTraces, query: `${query} session:${quoteQueryText("")}`.trim() };
}

const SESSION_KEYS: ReadonlySet<string> = new Set(["session", "session_id"]);

function isOfSessions(name: string | undefined, isAttribute: boolean): boolean {
  const key = name === undefined || isAttribute ? undefined : findQueryKey(name);
  return key !== undefined && isSessionKey(key);
}

/** The filters with some of the terms of their query. */
function withTerms(
  filters: TraceFilters,
  terms: readonly { readonly start: number; readonly end: number }[],
): TraceFilters {
  const { query = "" } = filters;
  const kept = terms.map(({ start, end }) => query.slice(start, end)).join(" ");
  const others = omit(filters, "query");
  return kept === "" ? others : { ...others, query: kept };
}

/** The text of the only value of a key of sessions that is a number, such as `>=3`; undefined without one. */
export function rangeOf(filters: TraceFilters, key: string): string | undefined {
  const term = readQueryTerms(filters.query ?? "").find((each) => isRangeOf(each, key));
  return term?.values.map(({ text }) => text).join(",");
}

/** The filters with another range of a key, or without one. */
export function withRange(filters: TraceFilters, key: string, range: string | undefined): TraceFilters {
  const { query = "" } = filters;
  const others = withTerms(
    filters,
    readQueryTerms(query).filter((each) => !isRangeOf(each, key)),
  );
  if (range === undefined) return others;
  return { ...others, query: `${others.query ?? ""} ${key}:${range}`.trim() };
}

function isRangeOf(
  term: { readonly key: string | undefined; readonly isAttribute: boolean; readonly isNegated: boolean },
  key: string,
): boolean {
  return term.key?.toLowerCase() === key && !term.isAttribute && !term.isNegated;
}
