import { dataValue, isProxy, ownValue } from "../is-record.js";
import { copyText, utf8Length } from "../platform/text-bytes.js";
import type { JsonValue } from "../wire/index.js";

/** Longest text, in UTF-16 units. A longer text is clipped, and ends with a note. */
export const MAX_TEXT_LENGTH = 1_000_000;
/** Deepest nesting of one value. With the batch around it, it stays below the 32 levels of contract 1. */
const MAX_DEPTH = 24;
/** Most values in one attribute, and most characters in all of them. */
const MAX_NODES = 20_000;
const MAX_TOTAL_LENGTH = 3_000_000;
/** Characters that a clip may go back to end at a space: a mask could miss a secret that is cut in half. */
const MAX_CUT_BACK = 200;
/** Up to this length, characters are counted as bytes. */
const SHORT_LENGTH = 64;

/** A value that JSON can carry, and its estimated size in JSON. */
export interface CopiedValue {
  readonly value: JsonValue | undefined;
  readonly bytes: number;
}

/** Changes a text that is copied into a span. `path` has the keys that lead to it within the value. */
export type TextFilter = (text: string, path: readonly string[]) => string;

/**
 * Copies any value into one that JSON can carry. Never throws, and runs no code of the value: no getter, no Proxy trap, no
 * `toJSON()`. What it cannot copy, such as a circular reference or a function, is replaced by a text that names it. Big integers become text. Long texts are clipped, and a value
 * that is too large or too deep ends early.
 *
 * @returns undefined for `undefined` and for non-finite numbers.
 */
export function toJsonValue(value: unknown): JsonValue | undefined {
  return copyValue(value).value;
}

/** A value as text: a string as it is, any other value as the JSON of {@link toJsonValue}. */
export function stringifyValue(value: unknown): string | undefined {
  if (typeof value === "string") return clipText(value);
  const copy = toJsonValue(value);
  return copy === undefined ? undefined : clipText(typeof copy === "string" ? copy : JSON.stringify(copy));
}

/** {@link toJsonValue} with a filter for every text in the value; also returns the size of the copy. */
export function copyValue(value: unknown, textFilter?: TextFilter): CopiedValue {
  // A filter may copy another value.
  const outer = [bytes, nodes, totalLength, first, filter, path] as const;
  bytes = nodes = totalLength = 0;
  first = ancestors.length;
  filter = textFilter;
  path = textFilter && [];
  try {
    return { value: copy(value, 1), bytes };
  } finally {
    [bytes, nodes, totalLength, first, filter, path] = outer;
  }
}

/** Estimated size of a text in UTF-8. */
export function textBytes(text: string): number {
  return text.length <= SHORT_LENGTH ? text.length : utf8Length(text);
}

/** Clips a text that is too long, and appends a note. The result does not keep the long text in memory. */
export function clipText(text: string, maxLength = MAX_TEXT_LENGTH): string {
  if (text.length <= maxLength) return text;
  let end = maxLength;
  const space = text.slice(end - Math.min(MAX_CUT_BACK, end), end).search(/\s\S*$/);
  if (space >= 0) end = end - Math.min(MAX_CUT_BACK, end) + space;
  else if ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end -= 1;
  const kept = copyText(text.slice(0, end));
  return `${kept}… [clipped: ${text.length} characters]`;
}

/** Sets a key with any name, including `__proto__` (contract 1). */
export function setKey<V>(record: Record<string, V>, key: string, value: V): void {
  if (key === "__proto__") {
    Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
  } else record[key] = value;
}

/*
 * The state of the copy that is being made. All copies share it and the stack of objects: a new object for each copy costs as
 * much as the copy of a small value.
 */
const ancestors: object[] = [];
let bytes = 0;
let nodes = 0;
let totalLength = 0;
/** Where its part of the stack begins. */
let first = 0;
let filter: TextFilter | undefined;
/** Only a filter needs it. */
let path: string[] | undefined;

function copy(value: unknown, depth: number): JsonValue | undefined {
  switch (typeof value) {
    case "string":
      return copyString(value);
    case "number":
      bytes += 8;
      return Number.isFinite(value) ? value : undefined;
    case "boolean":
      bytes += 5;
      return value;
    case "bigint":
      return copyString(value.toString());
    case "object":
      if (value === null) {
        bytes += 4;
        return null;
      }
      return copyObject(value, depth);
    case "function":
    case "symbol":
      return placeholder(`[${typeof value}]`);
    case "undefined":
      return undefined;
  }
}

function copyString(text: string): string {
  const room = Math.max(0, MAX_TOTAL_LENGTH - totalLength);
  const clipped = clipText(text, Math.min(MAX_TEXT_LENGTH, room));
  const kept = filter === undefined ? clipped : filter(clipped, path ?? []);
  totalLength += kept.length;
  bytes += textBytes(kept) + 2;
  return kept;
}

/** A text of the SDK itself, which is not masked. */
function placeholder(text: string): string {
  bytes += text.length + 2;
  return text;
}

function copyObject(object: object, depth: number): JsonValue | undefined {
  if (depth > MAX_DEPTH) return placeholder("[too deep]");
  if (isProxy(object)) return placeholder("[unreadable]");
  if (++nodes > MAX_NODES) return placeholder("[too large]");
  if (ancestors.includes(object, first)) return placeholder("[circular]");
  ancestors.push(object);
  try {
    return copyMembers(object, depth);
  } catch {
    return placeholder("[unreadable]");
  } finally {
    ancestors.pop();
  }
}

function copyMembers(object: object, depth: number): JsonValue | undefined {
  if (Array.isArray(object)) return copyArray(object as unknown[], depth);
  // Most objects: none of the checks below is needed.
  if (Object.getPrototypeOf(object) === Object.prototype)
    return copyRecord(object as Record<string, unknown>, depth);
  if (object instanceof Error) return copyRecord(errorFields(object), depth);
  if (ArrayBuffer.isView(object) || object instanceof ArrayBuffer)
    return placeholder(`[${classNameOf(object)}: ${object.byteLength} bytes]`);
  if (object instanceof Map) return copyRecord(Object.fromEntries(beginning(object).map(named)), depth);
  if (object instanceof Set) return copyArray(beginning(object), depth, object.size);
  // A request of a server is a stream too, with the cookies and the keys in its headers.
  if (object instanceof Promise || object instanceof RegExp || dataValue(object, "pipe") !== undefined)
    return placeholder(`[object ${classNameOf(object)}]`);
  if (object instanceof Date || object instanceof URL) return copy(object.toJSON(), depth);
  if (object instanceof String) return copy(String(object), depth);
  return copyRecord(object as Record<string, unknown>, depth);
}

/** As many items as a copy can have, of a collection that may be the cache of an app. */
function beginning<T>(items: Iterable<T>): T[] {
  const kept: T[] = [];
  for (const item of items) if (kept.push(item) > MAX_NODES) break;
  return kept;
}

/** An entry of a map by a text: to turn an object into one would run its code. */
function named([key, value]: [unknown, unknown]): [PropertyKey, unknown] {
  return [Object(key) === key ? "[object]" : (key as PropertyKey), value];
}

/** @param length - of the collection that the array is the beginning of. */
function copyArray(array: readonly unknown[], depth: number, length = array.length): JsonValue[] {
  const result: JsonValue[] = [];
  bytes += 2;
  for (let index = 0; index < array.length; index++) {
    if (isFull()) {
      result.push(placeholder(`[${length - index} more]`));
      break;
    }
    nodes++;
    result.push(copy(ownValue(array, index), depth + 1) ?? null);
  }
  return result;
}

function copyRecord(record: Record<string, unknown>, depth: number): JsonValue {
  const result: Record<string, JsonValue> = {};
  bytes += 2;
  for (const key of Object.keys(record)) {
    if (isFull()) {
      setKey(result, "…", placeholder("[too large]"));
      break;
    }
    nodes++;
    path?.push(key);
    const value = copyMember(record, key, depth);
    path?.pop();
    if (value === undefined) continue;
    const keptKey = clipText(key, 1000);
    bytes += keptKey.length + 4;
    totalLength += keptKey.length;
    setKey(result, keptKey, value);
  }
  return result;
}

function copyMember(record: Record<string, unknown>, key: string, depth: number): JsonValue | undefined {
  const property = Object.getOwnPropertyDescriptor(record, key);
  if (property?.get !== undefined) return placeholder("[unreadable]");
  const value: unknown = property?.value;
  // Methods are left out, as `JSON.stringify` does.
  return typeof value === "function" ? undefined : copy(value, depth + 1);
}

function isFull(): boolean {
  return nodes >= MAX_NODES || totalLength >= MAX_TOTAL_LENGTH;
}

/** The name, message, own fields and cause of an error. */
function errorFields(error: Error): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const key of ["name", "message", ...Object.keys(error), "cause"]) {
    const value = dataValue(error, key);
    if (value !== undefined) setKey(fields, key, value);
  }
  return fields;
}

function classNameOf(object: object): string {
  return String(ownValue(dataValue(object, "constructor") as object, "name"));
}
