import { binaryContentKey } from "./binary-content.js";
import { EXEMPT_ATTRIBUTES } from "./exempt-attributes.js";
import type { KeyMeaning } from "./key-meaning.js";
import { assignedSecret } from "./patterns/assigned-secret.js";
import type { TextRedactor } from "./text-redactor.js";

/**
 * Redacts the texts in JSON values, at any depth. A value in which nothing changes is returned as it is; nothing is
 * changed in place.
 */
export interface ValueRedactor {
  text(text: string): string;
  /** Attributes of a span or an event. Their names stay; those of {@link EXEMPT_ATTRIBUTES} stay whole. */
  attributes(attributes: unknown): unknown;
  value(value: unknown): unknown;
}

/** What {@link createValueRedactor} needs. */
export interface ValueRedactorOptions {
  readonly textRedactor: TextRedactor;
  readonly readKey: (key: string) => KeyMeaning;
  /** Told of the texts that were replaced because of their key. */
  readonly onRedacted: (pattern: string, matches: number) => void;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** The least number that could be somebody's. */
const MIN_NUMBER = 10_000_000;

export function createValueRedactor({
  textRedactor,
  readKey,
  onRedacted,
}: ValueRedactorOptions): ValueRedactor {
  function redactText(text: string, key: string): string {
    const { isSecret, label } = readKey(key);
    if (!isSecret) return textRedactor.redact(text, label);
    if (text === "" || text === assignedSecret.replacement) return text;
    onRedacted(assignedSecret.name, 1);
    return assignedSecret.replacement;
  }

  /** A card number may come as a number. What takes its place is a text. */
  function redactNumber(value: number, key: string): unknown {
    if (value < MIN_NUMBER || !Number.isSafeInteger(value)) return value;
    const text = String(value);
    const redacted = redactText(text, key);
    return redacted === text ? value : redacted;
  }

  /** @param key - of the value, or of the array that it is in; `""` where it has none. */
  function redactValue(value: unknown, key: string): unknown {
    if (typeof value === "string") return redactText(value, key);
    if (typeof value === "number") return redactNumber(value, key);
    if (typeof value !== "object" || value === null) return value;
    return Array.isArray(value) ? redactArray(value, key) : redactObject(value as JsonObject);
  }

  function redactArray(array: readonly unknown[], key: string): readonly unknown[] {
    let changed: unknown[] | undefined;
    array.forEach((element, index) => {
      const redacted = redactValue(element, key);
      if (redacted === element) return;
      changed ??= [...array];
      changed[index] = redacted;
    });
    return changed ?? array;
  }

  function redactObject(object: JsonObject): JsonObject {
    const binaryKey = binaryContentKey(object);
    const values = mapValues(object, (key, value) => (key === binaryKey ? value : redactValue(value, key)));
    return mapKeys(values, (key) => textRedactor.redact(key));
  }

  return {
    text: (text) => textRedactor.redact(text),
    value: (value) => redactValue(value, ""),
    attributes(attributes) {
      if (typeof attributes !== "object" || attributes === null || Array.isArray(attributes))
        return redactValue(attributes, "");
      return mapValues(attributes as JsonObject, (key, value) =>
        isExempt(key, value) ? value : redactValue(value, key),
      );
    },
  };
}

function isExempt(key: string, value: unknown): boolean {
  return (typeof value === "string" || Array.isArray(value)) && EXEMPT_ATTRIBUTES.has(key);
}

/** The same object where no value changes. */
function mapValues(object: JsonObject, map: (key: string, value: unknown) => unknown): JsonObject {
  let changed: Record<string, unknown> | undefined;
  // A loop over the keys of an object reads its values several times as fast as one over an array of keys.
  for (const key in object) {
    const value = object[key];
    const mapped = map(key, value);
    if (mapped === value) continue;
    // The copy has every key as its own, so that writing to `__proto__` writes to that one.
    changed ??= { ...object };
    changed[key] = mapped;
  }
  return changed ?? object;
}

/** The same object where no key changes. Two keys that become the same are told apart: none takes the other's place. */
function mapKeys(object: JsonObject, map: (key: string) => string): JsonObject {
  const keys = Object.keys(object);
  const mapped = keys.map((key) => map(key));
  if (mapped.every((key, index) => key === keys[index])) return object;
  const renamed = new Map<string, unknown>();
  mapped.forEach((key, index) => renamed.set(freeKey(key, renamed), object[keys[index] ?? key]));
  // fromEntries defines properties, where assignment would take a key `__proto__` for the prototype.
  return Object.fromEntries(renamed);
}

function freeKey(key: string, taken: ReadonlyMap<string, unknown>): string {
  let free = key;
  for (let number = 2; taken.has(free); number++) free = `${key} ${number}`;
  return free;
}
