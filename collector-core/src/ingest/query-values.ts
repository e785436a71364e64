import { isRecord } from "../span/span-facts.js";

/** Syntax of a value, as in JSON. `Number` also accepts `0x10`, an empty string and spaces. */
const WRITTEN: ReadonlyMap<string, RegExp> = new Map(
  Object.entries<RegExp>({
    boolean: /^(?:true|false)$/,
    integer: /^-?\d+$/,
    number: /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/,
  }),
);

/**
 * Converts query parameters from text to the types of the schema. Malformed values stay text, so that the validator
 * reports them, and so do numbers beyond the range of a double, so that it reports what was written.
 */
export function readQueryValues(schema: object, query: unknown): void {
  const { properties } = schema as { properties?: Record<string, { type?: string }> };
  if (properties === undefined || !isRecord(query)) return;
  for (const [name, text] of Object.entries(query)) {
    const type = (Object.hasOwn(properties, name) ? properties[name]?.type : undefined) ?? "";
    if (typeof text !== "string" || WRITTEN.get(type)?.test(text) !== true) continue;
    if (type === "boolean") query[name] = text === "true";
    else if (Number.isFinite(Number(text))) query[name] = Number(text);
  }
}
