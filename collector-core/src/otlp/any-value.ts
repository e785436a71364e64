import { isWellFormed } from "../span/well-formed.js";

/** A value that OTLP has a type for, but for lists. Whole numbers and others are two kinds to OTLP. */
export type SingleValue = string | boolean | number;

/** A value that every receiver of OTLP takes for an attribute. The items of a list are of one kind. */
export type CarriedValue = SingleValue | readonly SingleValue[];

/** What one span may still have of what is costly in OTLP: its attributes and events share it. */
export interface SpanRoom {
  /** Items of lists. */
  items: number;
  /** Events, and attributes of the span and of its events. */
  entries: number;
}

/**
 * Items of all lists of a span at most: each becomes a message of some hundred bytes, where JSON has two. Beyond it a list
 * is written as JSON.
 */
const MAX_LIST_ITEMS = 10_000;
/**
 * Events and attributes of a span at most: a receiver makes a message of each. What is beyond it is written as JSON, which
 * a collector of ours reads again.
 */
const MAX_ENTRIES = 20_000;

export function spanRoom(): SpanRoom {
  return { items: MAX_LIST_ITEMS, entries: MAX_ENTRIES };
}

/**
 * A value as OTLP carries it.
 *
 * @param room - the items of a list are taken from it.
 * @returns undefined where OTLP has no type for it, or it is a list that has more items than there is room for.
 */
export function carriedValue(value: unknown, room: SpanRoom): CarriedValue | undefined {
  if (!Array.isArray(value)) return isSingle(value) ? value : undefined;
  if (value.length === 0 || value.length > room.items) return undefined;
  const items = value as readonly unknown[];
  const kind = kindOf(items[0]);
  if (!items.every((item): item is SingleValue => kindOf(item) === kind && isSingle(item))) return undefined;
  room.items -= items.length;
  return items;
}

/** False for a text with half a surrogate pair: UTF-8 cannot carry it. */
function isSingle(value: unknown): value is SingleValue {
  if (typeof value === "string") return isWellFormed(value);
  return typeof value === "boolean" || typeof value === "number";
}

/** True for a number that OTLP carries as an integer. */
export function isInteger(value: number): boolean {
  return Number.isSafeInteger(value) && !Object.is(value, -0);
}

function kindOf(value: unknown): string {
  return typeof value === "number" && Number.isSafeInteger(value) ? "integer" : typeof value;
}
