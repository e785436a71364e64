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

/** The types of JSON Schema, in the capitals of Gemini too, and those of Python. */
const SCHEMA_TYPE = /^(?:string|number|integer|boolean|object|array|null|str|int|float|bool|dict|list|any)$/i;
const SCHEMA_KEYS = ["$ref", "anyOf", "oneOf", "allOf"];
/** Keys of a schema that has no type: one of them says what it is about. */
const DESCRIPTIONS = ["description", "title"];
const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...DESCRIPTIONS,
  ...["default", "examples", "example", "enum", "format", "pattern", "minLength", "maxLength", "nullable"],
  ...["deprecated", "readOnly", "writeOnly", "required", "optional", "$comment"],
]);

/**
 * What the key of an object says of all values in it: whatever stands beneath `password` is one. But for a schema: the
 * definition of a tool says of its parameter `password` that it is a string.
 */
export function passedOnBy(object: JsonObject, meaning: KeyMeaning): KeyMeaning {
  return meaning.isSecretText === undefined || isSchema(object) ? NO_MEANING : meaning;
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

/** A schema that says nothing of the type: `{"description": "of the user"}`. */
function isDescription(object: JsonObject): boolean {
  if (!DESCRIPTIONS.some((key) => Object.hasOwn(object, key))) return false;
  for (const key in object) if (!ANNOTATIONS.has(key)) return false;
  return true;
}
