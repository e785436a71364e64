import {
  FEEDBACK_VALUES,
  findQueryKey,
  formatQueryTerm,
  HAS_VALUES,
  isSessionKey,
  KNOWN_STATUSES,
  QUERY_KEYS,
  readQueryTerms,
  SESSION_STATES,
  TOOL_OUTPUT_VALUES,
  type QuerySubject,
  type QueryTerm,
} from "@obspan/collector-core/api-schema";
import { CHOICE_KEYS, type ChoiceKey, type FacetValues } from "../../store/traces-state.js";

/** Completions at the end of a query. */
export interface Completion {
  /** The key whose value is being typed; undefined while a key is typed. */
  readonly key: string | undefined;
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

/** Most values in the list; typing more letters finds the others. */
const MAX_ITEMS = 50;

/** The choices of the collector by key, where their names differ. */
const CHOICES: ReadonlyMap<string, ChoiceKey> = new Map([
  ["type", "span_type"],
  ["score", "evaluation_type"],
]);
/** Values that need no collector. */
const FIXED: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["has", HAS_VALUES],
  ["tool_output", TOOL_OUTPUT_VALUES],
  ["state", SESSION_STATES],
  ["feedback", FEEDBACK_VALUES],
]);

/** A word of so many letters also finds the values that the language has: `empty`, `error`. */
const WORD_LENGTH = 3;

/** The choices to ask the collector for, while a value is typed at the end of a query. */
export function openKey(query: string): ChoiceKey | undefined {
  const term = lastTerm(query);
  const key = term?.isAttribute === true ? undefined : keyOf(term);
  return key === undefined ? undefined : (CHOICES.get(key) ?? CHOICE_KEYS.find((each) => each === key));
}

/** True while a value is typed at the end of a query. */
export function isValueOpen(query: string): boolean {
  return lastTerm(query)?.key !== undefined;
}

/**
 * Completions for the end of a query: of a word, the keys that start with it, then known values that do; of a value,
 * first those that start with the input, then those that contain it.
 *
 * @param hasTenants - if false, the tenant filter is not offered, because it would find nothing.
 * @param subject - what is filtered: traces have no keys of sessions.
 */
export function complete(
  query: string,
  values: FacetValues | undefined,
  hasTenants: boolean,
  subject: QuerySubject = "traces",
): Completion {
  const term = lastTerm(query);
  const before = query.slice(0, term?.start ?? query.length);
  if (term?.key === undefined) {
    const sign = term?.isNegated === true ? "-" : "";
    const written = (term?.values[0]?.text ?? "").toLowerCase();
    const offered = QUERY_KEYS.filter(
      (each) =>
        each.isHidden !== true &&
        (each.name !== "tenant" || hasTenants) &&
        (subject === "sessions" || !isSessionKey(each)),
    );
    const keys = offered.filter(({ name }) => name.startsWith(written));
    const items = keys.map(({ name, meaning }) => ({
      label: `${name}:`,
      hint: meaning,
      query: `${before}${sign}${name}:`,
    }));
    const valued = offered.flatMap(({ name, meaning }) =>
      valuesThatStartWith(name, written).map((value) => ({
        label: `${name}:${value}`,
        hint: meaning,
        query: `${before}${formatQueryTerm(name, [value], sign === "-")} `,
      })),
    );
    return { key: undefined, items: [...items, ...valued] };
  }
  const key = keyOf(term) ?? term.key;
  const name = term.isAttribute ? `@${key}` : key;
  const chosen = term.values.slice(0, -1).map(({ text }) => text);
  const written = (term.values.at(-1)?.text ?? "").toLowerCase();
  const offered = (FIXED.get(key) ?? statusesOf(key, values))?.map((value) => ({ value, count: undefined }));
  const fitting = (offered ?? values ?? []).filter(
    ({ value }) => value.toLowerCase().includes(written) && !chosen.includes(value),
  );
  const beginsWith = (each: { value: string }): number =>
    Number(each.value.toLowerCase().startsWith(written));
  const items = fitting
    .toSorted((a, b) => beginsWith(b) - beginsWith(a))
    .slice(0, MAX_ITEMS)
    .map(({ value, count }) => ({
      label: value,
      ...(count !== undefined && { count }),
      query: `${before}${formatQueryTerm(name, [...chosen, value], term.isNegated)} `,
    }));
  return { key: name, items };
}

/** The values of a key that the language has, for a word that names no key: who looks for errors types `error`. */
function valuesThatStartWith(name: string, written: string): readonly string[] {
  if (written.length < WORD_LENGTH) return [];
  const values = FIXED.get(name) ?? statusesOf(name, undefined) ?? [];
  return values.filter((value) => value.toLowerCase().startsWith(written));
}

/** The known statuses, until the collector has answered. */
function statusesOf(key: string, values: FacetValues | undefined): readonly string[] | undefined {
  return key === "status" && values === undefined ? KNOWN_STATUSES : undefined;
}

function keyOf(term: QueryTerm | undefined): string | undefined {
  if (term?.key === undefined || term.isAttribute) return term?.key;
  return findQueryKey(term.key)?.name;
}

/** The last word; undefined if a new one starts. */
function lastTerm(query: string): QueryTerm | undefined {
  const last = readQueryTerms(query).at(-1);
  return last?.end === query.length ? last : undefined;
}

/** Splits a query while it is typed: complete terms with a key become filters, the rest stays in the field. */
export function splitDraft(draft: string): { whole: string; rest: string } {
  const terms = readQueryTerms(draft).filter(({ key, values, end }) => {
    return key !== undefined && values.every(({ text }) => text !== "") && end < draft.length;
  });
  let rest = draft;
  for (const { start, end } of terms.toReversed()) rest = rest.slice(0, start) + rest.slice(end + 1);
  return { whole: terms.map(({ start, end }) => draft.slice(start, end)).join(" "), rest };
}
