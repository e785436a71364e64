/** Deeper than any span may be nested. */
export const MAX_LEVELS = 64;
/** Fixed cost of each text, number, boolean and null. */
const BYTES_PER_VALUE = 16;
/** Fixed cost of an object or an array. */
const BYTES_PER_CONTAINER = 32;

/**
 * Estimates the memory of a value: a byte for each character of texts and keys, and a fixed cost for each value, so that a
 * list of a million numbers counts as large.
 */
export function valueSize(value: unknown, levels = MAX_LEVELS): number {
  if (typeof value === "string") return BYTES_PER_VALUE + value.length;
  if (typeof value !== "object" || value === null || levels === 0) return BYTES_PER_VALUE;
  let size = BYTES_PER_CONTAINER;
  if (Array.isArray(value)) for (const item of value) size += valueSize(item, levels - 1);
  else
    for (const key of Object.keys(value))
      size += key.length + valueSize((value as Record<string, unknown>)[key], levels - 1);
  return size;
}
