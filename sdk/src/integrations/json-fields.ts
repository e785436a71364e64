/**
 * Reading what a provider's client sends and receives without trusting its shape: a field that is missing, of another
 * type, or behind a getter that throws is simply not there. Nothing here throws.
 */

/** An object whose fields are not known. */
export type Fields = Readonly<Record<string, unknown>>;

/** The value as an object with fields; undefined for all else, arrays included. */
export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** The field of an object or of a function, or undefined. */
export function field(value: unknown, key: string): unknown {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return undefined;
  try {
    return (value as Fields)[key];
  } catch {
    return undefined;
  }
}

/** The elements of an array; none for all else. */
export function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** The string, where it is one and not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The number, where it is one that JSON can carry. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The number, where it can be a count: tokens that are negative or fractional are not what they say. */
export function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** The index of a choice, a tool call or a part; the given one where the provider leaves it out. */
export function indexOf(value: unknown, otherwise: number): number {
  return countOf(value) ?? otherwise;
}

/** What the JSON text says, or the text itself where it is none: models write tool arguments that do not parse. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
