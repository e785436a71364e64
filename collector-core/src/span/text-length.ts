/** Deeper than any span may be nested. */
const MAX_LEVELS = 64;

/** Characters of all texts in a value, keys included: how much it takes, as near as a bound on memory needs it. */
export function textLength(value: unknown, levels = MAX_LEVELS): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null || levels === 0) return 0;
  let length = 0;
  if (Array.isArray(value)) for (const item of value) length += textLength(item, levels - 1);
  else
    for (const key of Object.keys(value))
      length += key.length + textLength((value as Record<string, unknown>)[key], levels - 1);
  return length;
}
