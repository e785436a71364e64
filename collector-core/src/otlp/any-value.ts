import { isWellFormed } from "../span/well-formed.js";

/** A value of a scalar OTLP type. OTLP has separate types for integers and doubles. Numbers are finite. */
export type SingleValue = string | boolean | number;

/** A value that every OTLP receiver accepts as an attribute. The items of a list have the same type. */
export type CarriedValue = SingleValue | readonly SingleValue[];

/** Remaining limits of a span, shared by its attributes and events. */
export interface SpanLimits {
  /** Items in lists. */
  items: number;
  /** Events, and attributes of the span and its events. */
  entries: number;
}

/**
 * Items in all lists of a span. Each becomes a message of about a hundred bytes, compared with two in JSON. A list beyond
 * the limit is written as JSON.
 */
const MAX_LIST_ITEMS = 10_000;
/**
 * Events and attributes of a span. A receiver allocates a message for each. Those beyond the limit are written as JSON,
 * which an Obspan collector parses again.
 */
const MAX_ENTRIES = 20_000;

export function spanLimits(): SpanLimits {
  return { items: MAX_LIST_ITEMS, entries: MAX_ENTRIES };
}

/**
 * Returns a value as OTLP carries it.
 *
 * @param limits - reduced by the items of a list.
 * @returns undefined if OTLP has no type for the value, or if a list exceeds the limits.
 */
export function carriedValue(value: unknown, limits: SpanLimits): CarriedValue | undefined {
  if (!Array.isArray(value)) return isSingle(value) ? value : undefined;
  if (value.length === 0 || value.length > limits.items) return undefined;
  const items = value as readonly unknown[];
  const kind = kindOf(items[0]);
  if (!items.every((item): item is SingleValue => kindOf(item) === kind && isSingle(item))) return undefined;
  limits.items -= items.length;
  return items;
}

/**
 * False for a string with a lone surrogate, which UTF-8 cannot encode, and for a number beyond the range of a double, such as
 * 1e400. JSON has no infinity: such a number is null in every response, and therefore in the JSON of an export.
 */
function isSingle(value: unknown): value is SingleValue {
  if (typeof value === "string") return isWellFormed(value);
  return typeof value === "boolean" || Number.isFinite(value);
}

/** True for a number that OTLP carries as an integer. */
export function isInteger(value: number): boolean {
  return Number.isSafeInteger(value) && !Object.is(value, -0);
}

function kindOf(value: unknown): string {
  return typeof value === "number" && Number.isSafeInteger(value) ? "integer" : typeof value;
}
