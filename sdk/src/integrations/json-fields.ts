import { isArray, isProxy, isRecord, ownValue } from "../is-record.js";

/**
 * Reads what a provider's client sends and receives without trusting its shape. A field that is missing, has another type or
 * is a getter counts as absent, and so do the fields of a Proxy: its traps are code of the app. Nothing here throws.
 */

/** An object whose fields are not known. */
export type Fields = Readonly<Record<string, unknown>>;

/** The value as an object with fields; undefined for any other value, including arrays. */
export function fieldsOf(value: unknown): Fields | undefined {
  return isRecord(value) ? value : undefined;
}

/**
 * An own field of an object, or undefined. Getters do not run: the getters of some clients consume a stream, send a request
 * or log a warning.
 */
export function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && !isProxy(value) ? ownValue(value, key) : undefined;
}

/** Most fields of a copy: a stream can add fields to an object with each of its events. */
const MAX_FIELDS = 100;

/** A copy of an object's first own fields, without its getters; empty for any other value. */
export function copyFields(value: unknown): Record<string, unknown> {
  const fields = fieldsOf(value);
  if (fields === undefined) return {};
  const keys = Object.keys(fields).slice(0, MAX_FIELDS);
  return Object.fromEntries(keys.map((key) => [key, field(fields, key)]));
}

/** Any member of an object of a client library or the runtime, such as a method or a class; undefined if it throws. */
export function member(value: unknown, key: string): unknown {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return undefined;
  try {
    return (value as Fields)[key];
  } catch {
    return undefined;
  }
}

/** The elements of an array; none for any other value. */
export function elementsOf(value: unknown): readonly unknown[] {
  return isArray(value) ? value : [];
}

/** A string that is not empty, or undefined. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A finite number, or undefined. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** A whole number, 0 or more, such as a number of tokens, or undefined. */
export function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** The index of a choice, a tool call or a part; the default if the provider does not send one. */
export function indexOf(value: unknown, defaultIndex: number): number {
  return countOf(value) ?? defaultIndex;
}

/** The value of a JSON text; the text itself if it is not valid JSON, as models may write invalid tool arguments. */
export function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
