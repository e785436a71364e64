import { nearest, suggestion } from "../nearest.js";
import { invalidQuery, quoteValue, type ApiError } from "../errors.js";
import type { AttributeTest, Condition, ScoreCondition } from "./conditions.js";
import {
  findQueryKey,
  isSessionKey,
  KNOWN_STATUSES,
  QUERY_KEYS,
  type LabelKey,
  type QueryKey,
  type QuerySubject,
} from "./query-keys.js";
import { readQueryTerms, type QueryTerm, type WrittenValue } from "./query-terms.js";
import { readNumberRange, readTimeRange } from "./query-values.js";

/** Bounds of a query. Each text and each attribute may read all spans of the store. */
export const QUERY_LIMITS = {
  characters: 4096,
  conditions: 100,
  values: 200,
  searches: 16,
  pathParts: 16,
} as const;

/** Why a query cannot be answered, and where. */
export interface QueryProblem {
  /** The key that is unknown or has the bad value; the empty string for a text. */
  readonly key: string;
  /** Index of the character at which it begins. */
  readonly position: number;
  /** One sentence without a full stop. */
  readonly message: string;
}

/** A query as conditions, with what is wrong with it. */
export interface ParsedQuery {
  /** The conditions of the terms that can be read. */
  readonly conditions: readonly Condition[];
  /** In order of position. */
  readonly problems: readonly QueryProblem[];
}

/**
 * Parses a query such as `tool:search -status:OK duration:>2s @customer.tier:gold "late parcel"`. Every part that cannot be read is a
 * problem, and the rest is still parsed.
 *
 * @param subject - what is asked for. Default: traces, which have no keys of sessions.
 */
export function parseQuery(query: string, subject: QuerySubject = "traces"): ParsedQuery {
  const conditions: Condition[] = [];
  const problems: QueryProblem[] = [];
  if (query.length > QUERY_LIMITS.characters) {
    const message = `a query has at most ${QUERY_LIMITS.characters} characters, not ${query.length}`;
    return { conditions, problems: [{ key: "", position: QUERY_LIMITS.characters, message }] };
  }
  const used = { values: 0, searches: 0 };
  for (const term of readQueryTerms(query)) {
    const read = readTerm(term, subject);
    if (typeof read === "string") {
      const key = nameOf(term);
      problems.push({ key, position: term.keyStart, message: read });
    } else if (read !== undefined) {
      const excess = addUse(used, read, conditions.length + 1);
      if (excess !== undefined)
        return {
          conditions,
          problems: [...problems, { key: nameOf(term), position: term.start, message: excess }],
        };
      conditions.push(read);
    }
  }
  return { conditions, problems };
}

/** The conditions of a query. @throws `ApiError` `invalid_query` for the first problem. */
export function requireQuery(query: string, subject?: QuerySubject): readonly Condition[] {
  const { conditions, problems } = parseQuery(query, subject);
  const [problem] = problems;
  if (problem !== undefined) throw queryError(problem);
  return conditions;
}

/** The response to a query with a problem. */
export function queryError({ key, position, message }: QueryProblem): ApiError {
  return invalidQuery(message, { field: "query", key: key.slice(0, 128), position });
}

function nameOf({ key = "", isAttribute }: QueryTerm): string {
  return isAttribute ? `@${key}` : key;
}

/** Counts what a condition costs. @returns what there is too much of. */
function addUse(
  used: { values: number; searches: number },
  condition: Condition,
  conditions: number,
): string | undefined {
  const { kind } = condition;
  if (kind === "label" || kind === "session_label") used.values += condition.values.length;
  else if (kind === "number" || kind === "session_number" || kind === "time")
    used.values += condition.ranges.length;
  else if (kind === "attribute" || kind === "score") used.values += condition.tests.length;
  if (kind === "text" || kind === "attribute") used.searches++;
  if (conditions > QUERY_LIMITS.conditions)
    return `a query has at most ${QUERY_LIMITS.conditions} conditions`;
  if (used.values > QUERY_LIMITS.values) return `a query has at most ${QUERY_LIMITS.values} values`;
  if (used.searches > QUERY_LIMITS.searches)
    return `a query has at most ${QUERY_LIMITS.searches} words, phrases and attributes; quote words that follow each other`;
  return undefined;
}

/** The condition of a term; undefined if it says nothing; a text that says what is wrong. */
function readTerm(term: QueryTerm, subject: QuerySubject): Condition | string | undefined {
  const { key, isNegated, values } = term;
  const base = { isNegated, position: term.start };
  if (key === undefined) {
    const text = values[0]?.text ?? "";
    return text === "" ? undefined : { ...base, kind: "text", text };
  }
  const known = term.isAttribute ? undefined : findQueryKey(key);
  if (!term.isAttribute && known === undefined) return unknownKey(key, subject);
  if (known !== undefined && subject === "traces" && isSessionKey(known))
    return `${known.name} is a key of sessions, and traces do not have it`;
  if (values.some((value) => value.text === "" && !value.isQuoted)) return `${nameOf(term)} needs a value`;
  if (known === undefined) {
    if (key.split(".").length > QUERY_LIMITS.pathParts)
      return `the path of an attribute has at most ${QUERY_LIMITS.pathParts} parts`;
    return { ...base, kind: "attribute", path: key, tests: values.map(readAttributeTest) };
  }
  return readKnown(known, term, base);
}

function readKnown(
  { name, condition }: QueryKey,
  { values }: QueryTerm,
  base: { readonly isNegated: boolean; readonly position: number },
): Condition | string {
  switch (condition.kind) {
    case "label": {
      const { key, values: allowed } = condition;
      const texts = values.map((value) => readLabel(key, value));
      return otherValue(name, texts, allowed) ?? { ...base, kind: "label", key, values: texts };
    }
    case "session_label": {
      const { key, values: allowed } = condition;
      const texts = values.map(({ text }) => text.toLowerCase());
      return (
        otherValue(name, texts, allowed) ?? {
          ...base,
          kind: "session_label",
          key,
          values: allowed.filter((each) => texts.includes(each)),
        }
      );
    }
    case "number":
    case "session_number": {
      const { unit } = condition;
      const bare = condition.kind === "number" ? condition.bare : undefined;
      const ranges = readAll(values, (text) => readNumberRange(text, unit, bare));
      if (typeof ranges === "string")
        return `${name} must be a number or a range, such as ${EXAMPLES[unit]}, not ${quoteValue(ranges)}`;
      return condition.kind === "number"
        ? { ...base, kind: "number", key: condition.key, ranges }
        : { ...base, kind: "session_number", key: condition.key, ranges };
    }
    case "time": {
      const ranges = readAll(values, (text) => readTimeRange(text, condition.bare));
      return typeof ranges === "string"
        ? `${name} must be a time or a range, such as >-2h or 2026-11-21T05:57:56Z, not ${quoteValue(ranges)}`
        : { ...base, kind: "time", ranges };
    }
    case "score": {
      const tests = readAll(values, readScore);
      return typeof tests === "string"
        ? `${name} must be a type, a score or both, such as relevance<0.5, not ${quoteValue(tests)}`
        : { ...base, kind: "score", tests };
    }
  }
}

/** What is wrong with texts of which one is not allowed. */
function otherValue(
  name: string,
  texts: readonly string[],
  allowed: readonly string[] | undefined,
): string | undefined {
  const wrong = allowed && texts.find((text) => !allowed.includes(text));
  return wrong === undefined ? undefined : `${name} is ${listed(allowed ?? [])}, not ${quoteValue(wrong)}`;
}

const EXAMPLES = { ms: ">2s or 100ms..1s", usd: ">0.10 or 0.01..1", count: ">10k or 100..200" } as const;

/** Reads all values. @returns the first one that cannot be read. */
function readAll<Result>(
  values: readonly WrittenValue[],
  read: (text: string) => Result | undefined,
): Result[] | string {
  const results: Result[] = [];
  for (const { text } of values) {
    const result = read(text);
    if (result === undefined) return text;
    results.push(result);
  }
  return results;
}

function readLabel(key: LabelKey, { text, isQuoted }: WrittenValue): string {
  if (key === "has" || key === "tool_output") return text.toLowerCase();
  if (key !== "status" || isQuoted) return text;
  return KNOWN_STATUSES.find((status) => status === text.toUpperCase()) ?? text;
}

/** `relevance`, `<0.5`, `relevance<0.5`, `relevance:0.2..0.5`. */
function readScore(text: string): ScoreCondition["tests"][number] | undefined {
  const at = text.search(/[<>]|:|\.\./);
  if (at === -1) {
    const range = readNumberRange(text, "count");
    return range === undefined ? { type: text, range: undefined } : { type: undefined, range };
  }
  // A range begins with its number: `0.2..0.5` has no type.
  const isRangeOnly = text.startsWith("..", at);
  const type = isRangeOnly ? "" : text.slice(0, at);
  const range = readNumberRange(
    isRangeOnly ? text : text.slice(text.charAt(at) === ":" ? at + 1 : at),
    "count",
  );
  return range === undefined ? undefined : { type: type === "" ? undefined : type, range };
}

function readAttributeTest({ text, isQuoted }: WrittenValue): AttributeTest {
  if (isQuoted) return { kind: "equal", text };
  if (text === "*") return { kind: "any" };
  const isComparison = /^[<>]/.test(text) || text.includes("..");
  const range = isComparison ? readNumberRange(text, "count") : undefined;
  return range === undefined ? { kind: "equal", text } : { kind: "range", range };
}

function unknownKey(key: string, subject: QuerySubject): string {
  const keys = QUERY_KEYS.filter((each) => subject === "sessions" || !isSessionKey(each));
  const known = keys.flatMap(({ name, isHidden }) => (isHidden === true ? [] : [name])).join(", ");
  const names = keys.map(({ name }) => name);
  const hint = suggestion(nearest(key, names));
  return `there is no key ${quoteValue(key)}${hint}; the keys are ${known} and @attribute; put a text with a colon in quotes`;
}

function listed(values: readonly string[]): string {
  return values.length < 2
    ? (values[0] ?? "")
    : `${values.slice(0, -1).join(", ")} or ${values.at(-1) ?? ""}`;
}
