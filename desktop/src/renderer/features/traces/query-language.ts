import type { TraceFilters } from "../../api/collector-api.js";
import { FACET_KEYS } from "../../store/traces-state.js";

/** The keys before the colon: parameters of `GET /v1/traces`. Everything else is a text search. */
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

/** Known statuses; their case does not matter. */
const KNOWN_STATUSES = new Set(["OK", "ERROR", "RUNNING", "ABANDONED"]);

/** A word of a query: `key:value`, or text. */
export interface Term {
  /** Undefined for text. */
  readonly key: FilterKey | undefined;
  readonly value: string;
  /** Whether part of the value was quoted; then it is taken literally. */
  readonly isQuoted: boolean;
  /** Position in the query. */
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a query such as `service:shop status:error agent:"front desk" late parcel`. The last value of a key counts.
 */
export function parseQuery(query: string): TraceFilters {
  const filters: Partial<Record<FilterKey | "q", string>> = {};
  const words: string[] = [];
  for (const term of readTerms(query)) {
    if (term.key === undefined) words.push(term.value);
    else if (term.value !== "") filters[term.key] = valueOf(term);
  }
  const text = words.join(" ");
  return text === "" ? filters : { ...filters, q: text };
}

/** Formats filters as a query that parses to the same filters. */
export function formatQuery({ q, ...filters }: TraceFilters): string {
  const terms = FILTER_KEYS.flatMap((key) => {
    const value = filters[key];
    return value === undefined ? [] : [formatTerm(key, value)];
  });
  return q === undefined ? terms.join(" ") : [...terms, formatText(q)].join(" ");
}

/** `key:value`, quoted if necessary. */
export function formatTerm(key: FilterKey, value: string): string {
  const isBare = /^[^\s"\\]+$/.test(value) && valueOf({ key, value, isQuoted: false }) === value;
  return `${key}:${isBare ? value : quote(value)}`;
}

/** A search text, quoted if it would parse as something else. */
export function formatText(text: string): string {
  return parseQuery(text).q === text && readTerms(text).every(({ key }) => key === undefined)
    ? text
    : quote(text);
}

/** The words of a query, in order. An unclosed quote extends to the end. */
export function readTerms(query: string): Term[] {
  const terms: Term[] = [];
  for (let at = 0; at < query.length;) {
    if (isSpace(query.charAt(at))) at++;
    else {
      const term = readTerm(query, at);
      terms.push(term);
      at = term.end;
    }
  }
  return terms;
}

function readTerm(query: string, start: number): Term {
  let key: FilterKey | undefined;
  let value = "";
  let isQuoted = false;
  let inQuotes = false;
  let at = start;
  for (; at < query.length; at++) {
    const character = query.charAt(at);
    if (character === '"') {
      inQuotes = !inQuotes;
      isQuoted = true;
    } else if (inQuotes && character === "\\" && at + 1 < query.length) {
      value += query.charAt(++at);
    } else if (!inQuotes && isSpace(character)) break;
    else if (character === ":" && key === undefined && !isQuoted && isFilterKey(value)) {
      key = value;
      value = "";
    } else value += character;
  }
  return { key, value, isQuoted, start, end: at };
}

function isFilterKey(word: string): word is FilterKey {
  return (FILTER_KEYS as readonly string[]).includes(word);
}

function valueOf({ key, value, isQuoted }: Pick<Term, "key" | "value" | "isQuoted">): string {
  const upper = value.toUpperCase();
  return key === "status" && !isQuoted && KNOWN_STATUSES.has(upper) ? upper : value;
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

function isSpace(character: string): boolean {
  return /\s/.test(character);
}
