import { NO_MEANING, type KeyMeaning } from "./key-meaning.js";
import type { JsonObject } from "./map-object.js";

/** What is said of the values of an object by more than their keys. */

/** A pair says in one value what the other is: `{"name": "X-Api-Key", "value": "…"}`. */
const VALUE_KEYS: ReadonlySet<string> = new Set(["value", "Value", "val", "VALUE"]);
const NAME_KEYS = ["name", "key", "Name", "Key", "header", "field", "NAME", "KEY"];

/** The name that an object gives to its value `key`, if it is a pair. */
export function namedByItself(object: JsonObject, key: string): string | undefined {
  if (!VALUE_KEYS.has(key)) return undefined;
  for (const nameKey of NAME_KEYS) {
    const name = object[nameKey];
    if (typeof name === "string") return name;
  }
  return undefined;
}

/** The types of JSON Schema. */
const SCHEMA_TYPES: ReadonlySet<unknown> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "object",
  "array",
  "null",
]);
const SCHEMA_KEYS = ["$ref", "anyOf", "oneOf", "allOf"];

/**
 * What the key of an object says of all values in it: whatever stands beneath `password` is one. But for a schema: the
 * definition of a tool says of its parameter `password` that it is a string.
 */
export function passedOnBy(object: JsonObject, meaning: KeyMeaning): KeyMeaning {
  return meaning.texts === "plain" || isSchema(object) ? NO_MEANING : meaning;
}

function isSchema(object: JsonObject): boolean {
  if ("value" in object) return false;
  const { type } = object;
  const isTyped = Array.isArray(type) ? type.every((each) => SCHEMA_TYPES.has(each)) : SCHEMA_TYPES.has(type);
  return isTyped || SCHEMA_KEYS.some((key) => Object.hasOwn(object, key));
}
