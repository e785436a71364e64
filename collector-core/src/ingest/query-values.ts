import { isRecord } from "../span/span-facts.js";

/** How a value of a type may be written: as in JSON. `Number` would take `0x10`, an empty text and spaces too. */
const WRITTEN: Readonly<Record<string, RegExp>> = {
  boolean: /^(?:true|false)$/,
  integer: /^-?\d+$/,
  number: /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/,
};

/**
 * Query parameters are text: makes values of those that the schema says are more than that. What is not written as one is
 * left as it is, so that the validator says what is wrong with it.
 */
export function readQueryValues(schema: object, query: unknown): void {
  const { properties } = schema as { properties?: Record<string, { type?: string }> };
  if (properties === undefined || !isRecord(query)) return;
  for (const [name, text] of Object.entries(query)) {
    const type = properties[name]?.type ?? "";
    if (typeof text !== "string" || WRITTEN[type]?.test(text) !== true) continue;
    query[name] = type === "boolean" ? text === "true" : Number(text);
  }
}
