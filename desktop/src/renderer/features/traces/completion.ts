import type { FacetKey, FacetValues } from "../../store/traces-state.js";
import { FACET_KEYS } from "../../store/traces-state.js";
import { FILTER_KEYS, formatTerm, readTerms, type FilterKey } from "./query-language.js";

/** What can be completed at the end of a query. */
export interface Completion {
  /** Undefined while a key is written. */
  readonly key: FilterKey | undefined;
  readonly items: readonly CompletionItem[];
}

export interface CompletionItem {
  /** What it is called in the list. */
  readonly label: string;
  /** What a key filters, or undefined for a value. */
  readonly hint?: string;
  /** Traces that have the value. */
  readonly count?: number;
  /** The whole query with it. */
  readonly query: string;
}

const HINTS: Readonly<Record<FilterKey, string>> = {
  service: "Service that a span ran in",
  env: "Environment, such as production",
  agent: "Agent that took part",
  model: "Model that was called",
  status: "OK, ERROR, RUNNING or ABANDONED",
  span_type: "A span of this type, such as retrieval",
  tenant: "Tenant that sent the spans",
  has_evaluation: "true, false, or what was judged",
  min_duration_ms: "Milliseconds that the run took at least",
  root_name: "Name of the run",
  trace_id: "One trace",
  since: "Started then or later, such as 2026-11-21T14:00:00Z",
  until: "Started before",
};
/** More values than this nobody reads; more letters find the others. */
const MAX_ITEMS = 50;

/** The key whose values are being written at the end of a query, where the collector knows them. */
export function openKey(query: string): FacetKey | undefined {
  const key = lastTerm(query)?.key;
  return FACET_KEYS.find((each) => each === key);
}

/**
 * What fits to the end of a query. Values begin with what is written, or hold it: in that order.
 *
 * @param hasTenants - without, nobody is told of a filter that finds nothing.
 */
export function complete(query: string, values: FacetValues | undefined, hasTenants: boolean): Completion {
  const term = lastTerm(query);
  const before = query.slice(0, term?.start ?? query.length);
  if (term?.key === undefined) {
    const written = term?.value ?? "";
    const keys = FILTER_KEYS.filter(
      (key) => key.startsWith(written.toLowerCase()) && (key !== "tenant" || hasTenants),
    );
    const items = keys.map((key) => ({ label: `${key}:`, hint: HINTS[key], query: `${before}${key}:` }));
    return { key: undefined, items };
  }
  const { key, value } = term;
  const written = value.toLowerCase();
  const fitting = (values ?? []).filter((each) => each.value.toLowerCase().includes(written));
  const beginsWith = (each: { value: string }): number =>
    Number(each.value.toLowerCase().startsWith(written));
  const items = fitting
    .toSorted((a, b) => beginsWith(b) - beginsWith(a))
    .slice(0, MAX_ITEMS)
    .map((each) => ({
      label: each.value,
      count: each.count,
      query: `${before}${formatTerm(key, each.value)} `,
    }));
  return { key, items };
}

/** The word at the end, undefined where a new one begins. */
function lastTerm(query: string) {
  const last = readTerms(query).at(-1);
  return last?.end === query.length ? last : undefined;
}

/** A query taken apart as it is typed: what is whole becomes filters, what is being written stays. */
export function splitDraft(draft: string): { whole: string; rest: string } {
  const terms = readTerms(draft).filter(({ key, value, end }) => {
    return key !== undefined && value !== "" && end < draft.length;
  });
  let rest = draft;
  for (const { start, end } of terms.toReversed()) rest = rest.slice(0, start) + rest.slice(end + 1);
  return { whole: terms.map(({ start, end }) => draft.slice(start, end)).join(" "), rest };
}
