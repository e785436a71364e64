import type { FacetKey, FacetValues } from "../../store/traces-state.js";
import { FACET_KEYS } from "../../store/traces-state.js";
import { FILTER_KEYS, formatTerm, readTerms, type FilterKey } from "./query-language.js";

/** Completions at the end of a query. */
export interface Completion {
  /** The key whose value is being typed; undefined while a key is typed. */
  readonly key: FilterKey | undefined;
  readonly items: readonly CompletionItem[];
}

export interface CompletionItem {
  /** Text in the list. */
  readonly label: string;
  /** Description of a key; undefined for a value. */
  readonly hint?: string;
  /** Number of traces with the value. */
  readonly count?: number;
  /** The query after taking the item. */
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
/** Most values in the list; typing more letters finds the others. */
const MAX_ITEMS = 50;

/** The key whose value is being typed at the end of a query, if the collector knows its values. */
export function openKey(query: string): FacetKey | undefined {
  const key = lastTerm(query)?.key;
  return FACET_KEYS.find((each) => each === key);
}

/**
 * Completions for the end of a query: first values that start with the input, then those that contain it.
 *
 * @param hasTenants - if false, the tenant filter is not offered, because it would find nothing.
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

/** The last word; undefined if a new one starts. */
function lastTerm(query: string) {
  const last = readTerms(query).at(-1);
  return last?.end === query.length ? last : undefined;
}

/** Splits a query while it is typed: complete words become filters, the rest stays in the field. */
export function splitDraft(draft: string): { whole: string; rest: string } {
  const terms = readTerms(draft).filter(({ key, value, end }) => {
    return key !== undefined && value !== "" && end < draft.length;
  });
  let rest = draft;
  for (const { start, end } of terms.toReversed()) rest = rest.slice(0, start) + rest.slice(end + 1);
  return { whole: terms.map(({ start, end }) => draft.slice(start, end)).join(" "), rest };
}
