import {
  findQueryKey,
  formatQueryTerm,
  formatQueryText,
  parseQuery,
  quoteQueryText,
  readQueryTerms,
  type QueryProblem,
  type QuerySubject,
  type QueryTerm,
} from "@obspan/collector-core/api-schema";
import type { TraceFilters } from "../../api/collector-api.js";
import { FACET_KEYS } from "../../store/traces-state.js";

/** The keys that are parameters of the address: the menus and the histogram set them too. Everything else is in `query`. */
export const FILTER_KEYS = [
  ...FACET_KEYS,
  "min_duration_ms",
  "root_name",
  "trace_id",
  "since",
  "until",
] as const;
export type FilterKey = (typeof FILTER_KEYS)[number];
/** The keys that appear in the query field. The time range is in its menu and the histogram instead. */
export const TERM_KEYS = FILTER_KEYS.filter((key) => key !== "since" && key !== "until");

/** Other names of the keys. */
const PARAMETER_NAMES: ReadonlyMap<string, FilterKey> = new Map([
  ["type", "span_type"],
  ["name", "root_name"],
]);

/**
 * Reads what is typed, such as `service:shop status:error tool:search,crm -refund late parcel`. One value of a key of
 * {@link FILTER_KEYS} becomes that filter, the last one counts. The rest becomes the `query`.
 */
export function readQuery(text: string): TraceFilters {
  const filters: Partial<Record<FilterKey, string>> = {};
  const rest: string[] = [];
  for (const term of readQueryTerms(text)) {
    const plain = plainFilter(term);
    if (plain !== undefined) filters[plain.key] = plain.value;
    else if (!isEmpty(term)) rest.push(text.slice(term.start, term.end));
  }
  return rest.length === 0 ? filters : { ...filters, query: closed(rest.join(" ")) };
}

/** Formats filters as a text that reads as the same filters. */
export function formatQuery({ query, ...filters }: TraceFilters): string {
  const terms = FILTER_KEYS.flatMap((key) => {
    const value = filters[key];
    return value === undefined ? [] : [formatTerm(key, value)];
  });
  return query === undefined ? terms.join(" ") : [...terms, query].join(" ");
}

/** `key:value`, quoted if necessary. */
export function formatTerm(key: string, value: string): string {
  if (key === "status" && value !== value.toUpperCase()) return `status:${quoteQueryText(value)}`;
  return formatQueryTerm(key, [value]);
}

/** A search text as one term. */
export { formatQueryText };

/** A part of a `query` that is shown as a token. */
export interface QueryToken {
  readonly text: string;
  /** `-tool`, `@customer.tier`. */
  readonly key: string;
  readonly value: string;
}

/** A `query`, divided into the terms with keys, and the words. */
export interface QueryParts {
  readonly tokens: readonly QueryToken[];
  readonly words: string;
}

export function splitQuery(query: string | undefined): QueryParts {
  const tokens: QueryToken[] = [];
  const words: string[] = [];
  for (const term of readQueryTerms(query ?? "")) {
    const text = (query ?? "").slice(term.start, term.end);
    const [first] = term.values;
    if (term.key === undefined || first === undefined) words.push(text);
    else tokens.push({ text, key: tokenKey(term), value: text.slice(first.start - term.start) });
  }
  return { tokens, words: words.join(" ") };
}

/** The opposite of {@link splitQuery}; undefined if nothing is left. */
export function joinQuery(tokens: readonly QueryToken[], words: string): string | undefined {
  const query = closed(
    [...tokens.map(({ text }) => text), words.trim()].filter((part) => part !== "").join(" "),
  );
  return query === "" ? undefined : query;
}

/** The first problem of a text, as a sentence. */
export function problemIn(
  text: string,
  subject?: QuerySubject,
): { readonly position: number; readonly sentence: string } | undefined {
  const [problem] = parseQuery(text, subject).problems;
  return problem && { position: problem.position, sentence: sentenceOf(problem) };
}

function sentenceOf({ message }: QueryProblem): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}

/** The filter that a term stands for; undefined if it is a part of the `query`. */
function plainFilter(term: QueryTerm): { readonly key: FilterKey; readonly value: string } | undefined {
  const { key = "", isAttribute, isNegated, values } = term;
  const [only] = values;
  if (isAttribute || isNegated || only === undefined || only.text === "" || values.length > 1)
    return undefined;
  const name =
    PARAMETER_NAMES.get(key.toLowerCase()) ?? FILTER_KEYS.find((each) => each === key.toLowerCase());
  if (name === undefined) return undefined;
  if (name === "status" && !only.isQuoted && KNOWN_STATUSES.has(only.text.toUpperCase()))
    return { key: name, value: only.text.toUpperCase() };
  return { key: name, value: only.text };
}

/** Statuses whose case does not matter. */
const KNOWN_STATUSES: ReadonlySet<string> = new Set(["OK", "ERROR", "RUNNING", "ABANDONED"]);

/** A key without a value, while it is typed. An unknown key stays, so that it is named. */
function isEmpty({ key, isAttribute, values }: QueryTerm): boolean {
  if (key === undefined) return values.every(({ text }) => text === "");
  return (isAttribute || findQueryKey(key) !== undefined) && values.length === 1 && values[0]?.text === "";
}

function tokenKey({ key = "", isAttribute, isNegated }: QueryTerm): string {
  return `${isNegated ? "-" : ""}${isAttribute ? "@" : ""}${key}`;
}

/** Closes a quote that is open at the end: more terms may follow. */
function closed(text: string): string {
  let isOpen = false;
  for (let at = 0; at < text.length; at++) {
    if (isOpen && text.charAt(at) === "\\") at++;
    else if (text.charAt(at) === '"') isOpen = !isOpen;
  }
  return isOpen ? `${text}"` : text;
}
