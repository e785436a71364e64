import { setProperty } from "../../span/set-property.js";

/** An object from JSON.parse. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Maps the values of an object. Returns the same object when no value changes. */
export function mapValues(object: JsonObject, map: (key: string, value: unknown) => unknown): JsonObject {
  let changed: Record<string, unknown> | undefined;
  // for...in reads the values several times faster than a loop over Object.keys.
  for (const key in object) {
    const value = object[key];
    const mapped = map(key, value);
    if (mapped === value) continue;
    // The spread copies `__proto__` as an own key, so that the assignment does not change the prototype.
    changed ??= { ...object };
    changed[key] = mapped;
  }
  return changed ?? object;
}

/** Maps the keys of an object. Returns the same object when no key changes. */
export function mapKeys(object: JsonObject, map: (key: string) => string): JsonObject {
  const keys = Object.keys(object);
  const mapped = keys.map((key) => map(key));
  if (mapped.every((key, index) => key === keys[index])) return object;
  const renamed = new DistinctKeys();
  mapped.forEach((key, index) => renamed.add(key, object[keys[index] ?? key]));
  return renamed.toObject();
}

/** Builds an object. Appends a number to a duplicate key, so that no property is overwritten. */
export class DistinctKeys {
  readonly #object: Record<string, unknown> = {};
  /** The next number to try for each key, so that many equal keys take linear time. */
  readonly #nextNumbers = new Map<string, number>();

  add(key: string, value: unknown): void {
    setProperty(this.#object, this.#unusedKey(key), value);
  }

  toObject(): JsonObject {
    return this.#object;
  }

  #unusedKey(key: string): string {
    if (!Object.hasOwn(this.#object, key)) return key;
    let number = this.#nextNumbers.get(key) ?? 2;
    while (Object.hasOwn(this.#object, `${key} ${number}`)) number++;
    this.#nextNumbers.set(key, number + 1);
    return `${key} ${number}`;
  }
}
