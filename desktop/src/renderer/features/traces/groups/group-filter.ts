import { formatQueryTerm, GROUP_LIMITS } from "@obspan/collector-core/api-schema";
import type { TraceFilters } from "../../../api/collector-api.js";
import { formatTerm, readQuery } from "../query-language.js";

/**
 * The filters with those of the traces of a group. Undefined if a query cannot name them: traces without a value of a key, or a
 * value that was cut.
 *
 * @param value - null for the traces without a value.
 */
export function groupFilters(
  filters: TraceFilters,
  by: string,
  value: string | null,
): TraceFilters | undefined {
  const isAttribute = by.startsWith("@");
  if (value === null) return isAttribute ? withTerm(filters, `${formatQueryTerm(by, [], true)}*`) : undefined;
  if (isAttribute && Array.from(value).length >= GROUP_LIMITS.valueCharacters) return undefined;
  const term = formatTerm(by, value);
  const { query, ...plain } = readQuery(term);
  const [key] = Object.keys(plain) as (keyof typeof plain)[];
  if (key === undefined) return withTerm(filters, query ?? term);
  if (filters[key] === value) return filters;
  // A filter of the same key stays: a trace can have several values.
  return filters[key] === undefined ? { ...filters, ...plain } : withTerm(filters, term);
}

function withTerm(filters: TraceFilters, term: string): TraceFilters {
  return { ...filters, query: [filters.query ?? "", term].join(" ").trim() };
}
