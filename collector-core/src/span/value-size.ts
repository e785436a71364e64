/** Deeper than any span may be nested. */
const MAX_LEVELS = 64;
/** What each text, number, boolean and null takes, whatever it says. */
const BYTES_PER_VALUE = 16;
/** What an object or an array takes besides what is in it. */
const BYTES_PER_CONTAINER = 32;

/**
 * What a value takes in memory, as near as a bound needs it: a byte for each character of its texts and keys, and a
 * fixed amount for each value. A list of a million numbers has no character and is large all the same.
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
