import type { TraceFilters } from "../../api/collector-api.js";
import { FACET_KEYS } from "../../store/traces-state.js";

/** The words before the colon: the parameters of `GET /v1/traces`. Everything else is text to find. */
export const FILTER_KEYS = [
  ...FACET_KEYS,
  "min_duration_ms",
  "root_name",
  "trace_id",
  "since",
  "until",
] as const;
export type FilterKey = (typeof FILTER_KEYS)[number];
/** Those that stand as words in the query. The time stands beside it, in its menu and its histogram. */
export const TERM_KEYS = FILTER_KEYS.filter((key) => key !== "since" && key !== "until");

/** Statuses that the collector gives; they may be written in any letter case. */
const KNOWN_STATUSES = new Set(["OK", "ERROR", "RUNNING", "ABANDONED"]);

/** A word of a query: `key:value`, or text. */
export interface Term {
  /** Undefined for text. */
  readonly key: FilterKey | undefined;
  readonly value: string;
  /** Some of the value was in quotes: it is meant as it stands. */
  readonly isQuoted: boolean;
  /** Where it stands in the query. */
  readonly start: number;
  readonly end: number;
}

/** Reads a query such as `service:shop status:error agent:"front desk" late parcel`. Of a key the last value counts. */
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

/** Writes filters as a query that reads back the same. */
export function formatQuery({ q, ...filters }: TraceFilters): string {
  const terms = FILTER_KEYS.flatMap((key) => {
    const value = filters[key];
    return value === undefined ? [] : [formatTerm(key, value)];
  });
  return q === undefined ? terms.join(" ") : [...terms, formatText(q)].join(" ");
}

/** `key:value`, with quotes where they are needed. */
export function formatTerm(key: FilterKey, value: string): string {
  const isBare = /^[^\s"\\]+$/.test(value) && valueOf({ key, value, isQuoted: false }) === value;
  return `${key}:${isBare ? value : quote(value)}`;
}

/** Text to find, in quotes where it would read as something else. */
export function formatText(text: string): string {
  return parseQuery(text).q === text && readTerms(text).every(({ key }) => key === undefined)
    ? text
    : quote(text);
}

/** The words of a query, in order. A quote that is not closed reaches to the end. */
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
