/** Characters of all texts in a value, keys included: how much it takes, as near as a bound on memory needs it. */
export function textLength(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + textLength(item), 0);
  return Object.entries(value).reduce((sum, [key, inner]) => sum + key.length + textLength(inner), 0);
}
