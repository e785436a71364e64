/** The fields of a value; none if it is no object. An answer or a file may have any shape. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** The objects of a list; none if it is no list. */
export function objectsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

/** A text; empty if the value is none. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A number; 0 if the value is none. */
export function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
