import { isRecord } from "../is-record.js";

/** A kind of option value: how the text of a variable is parsed, and which values are allowed. */
export interface OptionKind<T> {
  /** Continues the sentence "must be": `a whole number from 1 to 10,000`. */
  readonly rule: string;
  /** Parses the text of a variable. Returns undefined if it is not of this kind. */
  parse(text: string): unknown;
  check(value: unknown): value is T;
}

/** Longest delay of a Node timer, in whole seconds. A timer with a longer delay fires immediately. */
const MAX_TIMER_SECONDS = 2_147_483;
/** Characters that HTTP allows in a header value. */
export const HEADER_TEXT = /^[\x21-\x7e](?:[\x20-\x7e]{0,1022}[\x21-\x7e])?$/;
const DECIMAL = /^-?\d+(\.\d+)?$/;
/** Formats with commas between thousands. `toLocaleString` would load the tables of Intl, 25 ms of every import. */
// eslint-disable-next-line regexp/no-super-linear-move -- a number has at most 21 digits
const format = (value: number) => String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");

export function integer(minimum: number, maximum: number): OptionKind<number> {
  return {
    rule: `a whole number from ${format(minimum)} to ${format(maximum)}`,
    parse: parseNumber,
    check: (value): value is number => Number.isSafeInteger(value) && isWithin(value, minimum, maximum),
  };
}

export function number(minimum: number, maximum = Number.MAX_VALUE): OptionKind<number> {
  const range =
    maximum === Number.MAX_VALUE
      ? `, ${format(minimum)} or more`
      : ` from ${format(minimum)} to ${format(maximum)}`;
  return {
    rule: `a number${range}`,
    parse: parseNumber,
    check: (value): value is number => isWithin(value, minimum, maximum),
  };
}

/** A delay in seconds. */
export const seconds: OptionKind<number> = number(0.01, MAX_TIMER_SECONDS);

export const boolean: OptionKind<boolean> = {
  rule: "true or false",
  parse: (text) => ({ true: true, false: false })[text.toLowerCase()],
  check: (value): value is boolean => typeof value === "boolean",
};

export function text(rule: string, isAllowed: (text: string) => boolean): OptionKind<string> {
  return {
    rule,
    parse: (value) => value,
    check: (value): value is string => typeof value === "string" && value !== "" && isAllowed(value),
  };
}

export function oneOf<const T extends string>(...words: readonly T[]): OptionKind<T> {
  return {
    rule: words.join(" or "),
    parse: (value) => value,
    check: (value): value is T => words.some((word) => word === value),
  };
}

/** Several texts, separated by commas in a variable. */
export function texts(rule: string): OptionKind<readonly string[]> {
  return {
    rule,
    parse: (value) => value.split(",").map((item) => item.trim()),
    check: (value): value is readonly string[] =>
      Array.isArray(value) && value.every((item) => typeof item === "string" && item !== ""),
  };
}

/** Headers of a request by name; in a variable `name=value`, separated by commas. */
export function headers(): OptionKind<Readonly<Record<string, string>>> {
  return {
    rule: "headers, in a variable name=value separated by commas",
    parse: (value) => Object.fromEntries(value.split(",").map((item) => splitHeader(item))),
    check: (value): value is Readonly<Record<string, string>> =>
      isRecord(value) &&
      Object.entries(value).every(
        ([name, text]) =>
          /^(?!host$|connection$|transfer-|content-)[\w!#$%&'*+.^`|~-]+$/i.test(name) &&
          typeof text === "string" &&
          HEADER_TEXT.test(text),
      ),
  };
}

function splitHeader(item: string): [string, string] {
  const end = item.indexOf("=");
  return [item.slice(0, Math.max(end, 0)).trim(), item.slice(end + 1).trim()];
}

export function fn<F>(): OptionKind<F> {
  return {
    rule: "a function",
    parse: () => undefined,
    check: (value): value is F & object => typeof value === "function",
  };
}

/** `Number()` alone would accept spaces, `0x10`, `1e400` and the empty text. */
function parseNumber(value: string): unknown {
  return DECIMAL.test(value) ? Number(value) : undefined;
}

function isWithin(value: unknown, minimum: number, maximum: number): boolean {
  return typeof value === "number" && value >= minimum && value <= maximum;
}
