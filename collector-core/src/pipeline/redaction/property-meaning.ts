import { NO_MEANING, USER_AND_PASSWORD, type KeyMeaning } from "./key-meaning.js";
import type { JsonObject } from "./map-object.js";

/** Meaning of object values that does not follow from their own key alone. */

/** Keys of a name-value pair: `{"name": "X-Api-Key", "value": "…"}`. */
const VALUE_KEYS: ReadonlySet<string> = new Set(["value", "Value", "val", "VALUE"]);
const NAME_KEYS = ["name", "key", "Name", "Key", "header", "field", "NAME", "KEY"];

/** Returns the name of the value under `key` when the object is a name-value pair. */
export function nameOfPair(object: JsonObject, key: string): string | undefined {
  if (!VALUE_KEYS.has(key)) return undefined;
  for (const nameKey of NAME_KEYS) {
    const name = object[nameKey];
    if (typeof name === "string") return name;
  }
  return undefined;
}

/** Types of JSON Schema, including Gemini's upper case, and of Python. */
const SCHEMA_TYPE = /^(?:string|number|integer|boolean|object|array|null|str|int|float|bool|dict|list|any)$/i;
const SCHEMA_KEYS = ["$ref", "anyOf", "oneOf", "allOf"];
/** Keys of a schema without a type; one of them is required. */
const DESCRIPTIONS = ["description", "title"];
const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...DESCRIPTIONS,
  ...["default", "examples", "example", "enum", "format", "pattern", "minLength", "maxLength", "nullable"],
  ...["deprecated", "readOnly", "writeOnly", "required", "optional", "$comment"],
]);

/**
 * Returns the meaning that the values of an object inherit from its key: everything within `password` is secret. A
 * schema is an exception, because a tool definition only describes its parameter `password`.
 */
export function inheritedMeaning(object: JsonObject, meaning: KeyMeaning): KeyMeaning {
  const isInherited = meaning.isSecretText !== undefined && meaning !== USER_AND_PASSWORD;
  return !isInherited || isSchema(object) ? NO_MEANING : meaning;
}

function isSchema(object: JsonObject): boolean {
  if ("value" in object) return false;
  const { type } = object;
  const isTyped = Array.isArray(type) ? type.every(isSchemaType) : isSchemaType(type);
  return isTyped || SCHEMA_KEYS.some((key) => Object.hasOwn(object, key)) || isDescription(object);
}

function isSchemaType(type: unknown): boolean {
  return typeof type === "string" && type.length <= 7 && SCHEMA_TYPE.test(type);
}

/** True for a schema without a type: `{"description": "of the user"}`. */
function isDescription(object: JsonObject): boolean {
  if (!DESCRIPTIONS.some((key) => Object.hasOwn(object, key))) return false;
  for (const key in object) if (!ANNOTATIONS.has(key)) return false;
  return true;
}
