import type { Unit } from "./query-keys.js";

/** Numbers from `min` to `max`. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
  /** True if the bound itself is not in the range. */
  readonly isAboveMin: boolean;
  readonly isBelowMax: boolean;
}

/** A time of a query: RFC 3339, or milliseconds before now. */
export type QueryTime = { readonly text: string } | { readonly agoMs: number };

/** Starts from `min`, up to `max`. */
export interface TimeRange {
  readonly min: QueryTime | undefined;
  readonly max: QueryTime | undefined;
  readonly isAboveMin: boolean;
  /** False if the bound itself is in the range. */
  readonly isBelowMax: boolean;
}

/** A comparison as it is written: bounds that are not read yet. */
interface WrittenRange {
  readonly min: string | undefined;
  readonly max: string | undefined;
  readonly isAboveMin: boolean;
  readonly isBelowMax: boolean;
  /** True for a value without a sign. */
  readonly isBare: boolean;
}

const NUMBER = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;
const RELATIVE = /^-(\d{1,9}(?:\.\d{1,9})?)(s|m|min|h|d|w)$/i;
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
const EPOCH_MS = /^\d{1,15}$/;

/** Factors by the suffix of a number. */
const COUNTS: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["k", 1000],
  ["m", 1_000_000],
]);
const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["µs", 0.001],
  ["us", 0.001],
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["min", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
  ["w", 7 * 86_400_000],
]);

/** Splits `>10`, `<=2s`, `10..20`, `10..`, `..20` and `10`. Undefined for `..` alone and for a sign without a value. */
function readRange(text: string): WrittenRange | undefined {
  const none = { min: undefined, max: undefined, isAboveMin: false, isBelowMax: false, isBare: false };
  const sign = /^(?:>=|<=|>|<)/.exec(text)?.[0] ?? "";
  if (sign !== "") {
    const value = text.slice(sign.length).trim();
    if (value === "") return undefined;
    if (sign.startsWith(">")) return { ...none, min: value, isAboveMin: sign === ">" };
    return { ...none, max: value, isBelowMax: sign === "<" };
  }
  const dots = text.indexOf("..");
  if (dots === -1) return text === "" ? undefined : { ...none, min: text, max: text, isBare: true };
  const min = text.slice(0, dots) || undefined;
  const max = text.slice(dots + 2) || undefined;
  return min === undefined && max === undefined ? undefined : { ...none, min, max };
}

/**
 * Reads a number or a range of numbers.
 *
 * @param bare - what a value without a sign means. Default: exactly that value.
 */
export function readNumberRange(text: string, unit: Unit, bare?: "min"): NumberRange | undefined {
  const range = readRange(text);
  if (range === undefined) return undefined;
  const min = range.min === undefined ? Number.NEGATIVE_INFINITY : readNumber(range.min, unit);
  const top = range.isBare && bare === "min" ? undefined : range.max;
  const max = top === undefined ? Number.POSITIVE_INFINITY : readNumber(top, unit);
  if (min === undefined || max === undefined) return undefined;
  return { min, max, isAboveMin: range.isAboveMin, isBelowMax: range.isBelowMax };
}

/** True if a number is in one of the ranges. NaN is in none. */
export function isInRanges(value: number, ranges: readonly NumberRange[]): boolean {
  return ranges.some(
    ({ min, max, isAboveMin, isBelowMax }) =>
      (isAboveMin ? value > min : value >= min) && (isBelowMax ? value < max : value <= max),
  );
}

/** A plain number; undefined if the text is none. */
export function readPlainNumber(text: string): number | undefined {
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

function readNumber(text: string, unit: Unit): number | undefined {
  if (unit === "usd") return readPlainNumber(text.startsWith("$") ? text.slice(1) : text);
  let end = text.length;
  while (end > 0 && !/[\d.]/.test(text.charAt(end - 1))) end--;
  const value = readPlainNumber(text.slice(0, end));
  const factor = (unit === "ms" ? UNIT_MS : COUNTS).get(text.slice(end).toLowerCase());
  return value === undefined || factor === undefined ? undefined : value * factor;
}

/** Reads a time or a range of times. @param bare - whether a value without a sign is the beginning or the end. */
export function readTimeRange(text: string, bare: "min" | "max"): TimeRange | undefined {
  const range = readRange(text);
  if (range === undefined) return undefined;
  const min = range.min === undefined || (range.isBare && bare === "max") ? undefined : readTime(range.min);
  const max = range.max === undefined || (range.isBare && bare === "min") ? undefined : readTime(range.max);
  if (min === null || max === null) return undefined;
  const isBelowMax = range.isBelowMax || (range.isBare && bare === "max");
  return { min, max, isAboveMin: range.isAboveMin, isBelowMax };
}

/** Null if the text is no time. */
function readTime(text: string): QueryTime | null {
  const relative = RELATIVE.exec(text);
  if (relative !== null) {
    const [, digits = "", unit = ""] = relative;
    return { agoMs: Number(digits) * (UNIT_MS.get(unit.toLowerCase()) ?? 0) };
  }
  if (EPOCH_MS.test(text)) return { text };
  const full = DATE.test(text) ? `${text}T00:00:00Z` : text;
  return RFC_3339.test(full) && Number.isFinite(Date.parse(full.toUpperCase())) ? { text: full } : null;
}
