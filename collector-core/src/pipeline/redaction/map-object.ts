/** An object as JSON.parse makes it. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The same object where no value changes. */
export function mapValues(object: JsonObject, map: (key: string, value: unknown) => unknown): JsonObject {
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

/** The same object where no key changes. */
export function mapKeys(object: JsonObject, map: (key: string) => string): JsonObject {
  const keys = Object.keys(object);
  const mapped = keys.map((key) => map(key));
  if (mapped.every((key, index) => key === keys[index])) return object;
  const renamed = new DistinctKeys();
  mapped.forEach((key, index) => renamed.add(key, object[keys[index] ?? key]));
  return renamed.toObject();
}

/** Gathers the properties of an object. Two keys that become the same are told apart: none takes the other's place. */
export class DistinctKeys {
  readonly #object: Record<string, unknown> = {};
  /** By key the number to try next, so that ten thousand equal keys take ten thousand steps and not their square. */
  readonly #nextNumbers = new Map<string, number>();

  add(key: string, value: unknown): void {
    const free = this.#freeKey(key);
    // Assignment would take a key `__proto__` for the prototype.
    if (free === "__proto__")
      Object.defineProperty(this.#object, free, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    else this.#object[free] = value;
  }

  toObject(): JsonObject {
    return this.#object;
  }

  #freeKey(key: string): string {
    if (!Object.hasOwn(this.#object, key)) return key;
    let number = this.#nextNumbers.get(key) ?? 2;
    while (Object.hasOwn(this.#object, `${key} ${number}`)) number++;
    this.#nextNumbers.set(key, number + 1);
    return `${key} ${number}`;
  }
}
