import type { ConfigEntry } from "@obspan/collector-core/api-schema";

/** A JSON Schema, as far as a control needs it. */
export type OptionSchema = ConfigEntry["schema"];

const DECIMAL = /^-?\d+(\.\d+)?$/;

/** The value that the file has, or that applies. */
export function fileValue({ value, after_restart: next }: ConfigEntry): unknown {
  return next === undefined ? value : next;
}

/** What the control of an option shows before it is edited. A secret is not shown. */
export function shownText(entry: ConfigEntry): string {
  return entry.secret ? "" : optionText(fileValue(entry));
}

/** A value as text: lists with commas, maps as JSON. */
export function optionText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map((item) => optionText(item)).join(", ");
  if (typeof value === "object") return Object.keys(value).length === 0 ? "" : JSON.stringify(value, null, 2);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A text as the collector takes it. A text that cannot be read stays one: the collector says what it must be. */
export function optionValue(text: string | null, schema: OptionSchema): unknown {
  if (text === null || text.trim() === "") return null;
  const { type, items } = schema;
  if (type === "integer" || type === "number") return numberIn(text);
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  if (type === "array") {
    const isOfNumbers =
      typeof items === "object" && items !== null && "type" in items && items.type !== "string";
    const parts = text.split(/[,\n]/).map((part) => part.trim());
    return parts.filter((part) => part !== "").map((part) => (isOfNumbers ? numberIn(part) : part));
  }
  if (type === "object") return jsonIn(text);
  return text.trim();
}

function numberIn(text: string): number | string {
  // As a person writes 10,000.
  const plain = text.trim().replaceAll(",", "");
  return DECIMAL.test(plain) ? Number(plain) : text.trim();
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
