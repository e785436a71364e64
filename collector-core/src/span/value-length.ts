import { MAX_LEVELS } from "./value-size.js";

/**
 * True if a value has more than `max` characters and values. Stops counting at the limit, so that a large value takes no
 * longer. Levels deeper than any span may be nested do not count.
 */
export function isLongerThan(value: unknown, max: number): boolean {
  return remainingAfter(value, max, MAX_LEVELS) < 0;
}

/** Subtracts the length of a value from a limit; negative if the value is longer. */
function remainingAfter(value: unknown, limit: number, levels: number): number {
  if (typeof value === "string") return limit - 1 - value.length;
  let left = limit - 1;
  if (typeof value !== "object" || value === null || levels === 0) return left;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index++)
      left = remainingAfter(value[index], left, levels - 1);
    return left;
  }
  for (const key in value) {
    left = remainingAfter((value as Readonly<Record<string, unknown>>)[key], left - key.length, levels - 1);
    if (left < 0) break;
  }
  return left;
}
