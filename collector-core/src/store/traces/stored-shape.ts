import { isRecord } from "../../span/span-facts.js";

/**
 * True for a stored value of a shape. A checksum finds changed bytes; it does not say who has written the file.
 */
export type Shape = (value: unknown) => boolean;

export const isText: Shape = (value) => typeof value === "string";
export const isNumber: Shape = (value) => typeof value === "number";
/** A number of things. */
export const isCount: Shape = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
export const isFlag: Shape = (value) => typeof value === "boolean";
export const isChunkId: Shape = (value) => Number.isSafeInteger(value);

export function orNull(shape: Shape): Shape {
  return (value) => value === null || shape(value);
}

export function orAbsent(shape: Shape): Shape {
  return (value) => value === undefined || shape(value);
}

export function listOf(shape: Shape): Shape {
  return (value) => Array.isArray(value) && value.every(shape);
}

/** An object with these fields. Further ones are ignored: a later version of the same format may have added them. */
export function objectOf(fields: Readonly<Record<string, Shape>>): Shape {
  const entries = Object.entries(fields);
  return (value) => isRecord(value) && entries.every(([key, shape]) => shape(value[key]));
}
