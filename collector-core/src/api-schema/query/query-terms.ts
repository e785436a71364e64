/** A value of a term, between two commas. */
export interface WrittenValue {
  /** Without quotes and escapes. */
  readonly text: string;
  /** True if a part was quoted: it is taken literally. */
  readonly isQuoted: boolean;
  /** Position in the query. */
  readonly start: number;
}

/** A part of a query between spaces: a text, or a key with values. */
export interface QueryTerm {
  /** `@customer.tier` for an attribute; undefined for a text. */
  readonly key: string | undefined;
  readonly isAttribute: boolean;
  readonly isNegated: boolean;
  /** At least one. A text has one. */
  readonly values: readonly WrittenValue[];
  /** Position in the query; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  /** Where the key begins, after the sign. */
  readonly keyStart: number;
}

const SPACE = /\s/;
const KEY = /^[a-z_][a-z0-9_.-]*$/i;

/** The terms of a query, in order. A quote that is not closed extends to the end. Takes time linear in the length. */
export function readQueryTerms(query: string): QueryTerm[] {
  const terms: QueryTerm[] = [];
  for (let at = 0; at < query.length;) {
    if (SPACE.test(query.charAt(at))) at++;
    else {
      const term = readTerm(query, at);
      terms.push(term);
      at = term.end;
    }
  }
  return terms;
}

function readTerm(query: string, start: number): QueryTerm {
  const next = query.charAt(start + 1);
  const isNegated = query.charAt(start) === "-" && next !== "" && next !== "-" && !SPACE.test(next);
  const keyStart = isNegated ? start + 1 : start;
  const isAttribute = query.charAt(keyStart) === "@";
  const key = isAttribute ? readAttributeKey(query, keyStart + 1) : readKey(query, keyStart);
  const valuesStart = key?.end ?? keyStart;
  const { values, end } = readValues(query, valuesStart, key !== undefined);
  return {
    key: key?.text,
    isAttribute: isAttribute && key !== undefined,
    isNegated,
    values,
    start,
    end,
    keyStart,
  };
}

interface ReadKey {
  readonly text: string;
  /** Behind the colon. */
  readonly end: number;
}

/** A word before a colon. `https://…` has none, and neither has `12:30`. */
function readKey(query: string, start: number): ReadKey | undefined {
  let at = start;
  while (at < query.length && /[\w.-]/.test(query.charAt(at))) at++;
  if (query.charAt(at) !== ":" || query.startsWith("//", at + 1)) return undefined;
  const text = query.slice(start, at);
  return KEY.test(text) ? { text, end: at + 1 } : undefined;
}

/** The key of an attribute, which may be quoted. */
function readAttributeKey(query: string, start: number): ReadKey | undefined {
  if (query.charAt(start) === '"') {
    const { text, end } = readQuoted(query, start);
    return text !== "" && query.charAt(end) === ":" ? { text, end: end + 1 } : undefined;
  }
  let at = start;
  while (at < query.length && !/[\s:"]/.test(query.charAt(at))) at++;
  return at > start && query.charAt(at) === ":" ? { text: query.slice(start, at), end: at + 1 } : undefined;
}

function readValues(query: string, start: number, isList: boolean): { values: WrittenValue[]; end: number } {
  const values: WrittenValue[] = [];
  let text = "";
  let isQuoted = false;
  let valueStart = start;
  let at = start;
  while (at < query.length) {
    const character = query.charAt(at);
    if (character === '"') {
      const quoted = readQuoted(query, at);
      text += quoted.text;
      isQuoted = true;
      at = quoted.end;
    } else if (SPACE.test(character)) break;
    else if (isList && character === ",") {
      values.push({ text, isQuoted, start: valueStart });
      text = "";
      isQuoted = false;
      valueStart = ++at;
    } else {
      text += character;
      at++;
    }
  }
  values.push({ text, isQuoted, start: valueStart });
  return { values, end: at };
}

/** Reads from a quote to the next one. */
function readQuoted(query: string, start: number): { text: string; end: number } {
  let text = "";
  for (let at = start + 1; at < query.length; at++) {
    const character = query.charAt(at);
    if (character === '"') return { text, end: at + 1 };
    text += character === "\\" && at + 1 < query.length ? query.charAt(++at) : character;
  }
  return { text, end: query.length };
}
