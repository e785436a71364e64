import type { JsonValue } from "@obspan/sdk/wire";
import { isRecord } from "../../span/span-facts.js";
import type { JsonTexts } from "../json-texts.js";
import { ATTRIBUTE_GROUPS, type KeyGroup } from "./key-groups.js";

/** Reads a value; undefined if the value is of another kind. */
export type ReadValue<T> = (value: JsonValue, texts: JsonTexts) => T | undefined;

/**
 * The attributes of a span during the mapping. Mapped attributes are taken out; the rest is kept unchanged (contract 6).
 */
export class AttributeSet {
  /** Bits of the groups with at least one key in the span. */
  #low = 0;
  #high = 0;

  readonly #values: Map<string, JsonValue | undefined>;

  /**
   * @param values - undefined marks a taken value: a Map rehashes when many entries are deleted.
   * @param texts - parses the JSON texts of the request.
   */
  constructor(
    values: Map<string, JsonValue | undefined>,
    readonly texts: JsonTexts,
    groups = ATTRIBUTE_GROUPS,
  ) {
    this.#values = values;
    for (const key of values.keys()) {
      const mask = groups.maskOf(key);
      if (mask !== undefined) {
        this.#low |= mask.low;
        this.#high |= mask.high;
      } else if (hasIndex(key)) {
        for (const list of groups.listsOf(key)) {
          this.#low |= list.low;
          this.#high |= list.high;
        }
      }
    }
  }

  /** False if the span has no key of the group. */
  mayHave(group: KeyGroup): boolean {
    return (this.#low & group.low) !== 0 || (this.#high & group.high) !== 0;
  }

  get(key: string): JsonValue | undefined {
    return this.#values.get(key);
  }

  has(key: string): boolean {
    return this.#values.get(key) !== undefined;
  }

  *keys(): IterableIterator<string> {
    for (const [key, value] of this.#values) if (value !== undefined) yield key;
  }

  delete(key: string): void {
    if (this.has(key)) this.#values.set(key, undefined);
  }

  /** The text of a key, if it is not empty. */
  text(key: string): string | undefined {
    return asText(this.#values.get(key));
  }

  /** The value of the first key that can be read, without taking it. */
  peek<T>(group: KeyGroup, read: ReadValue<T>): T | undefined {
    if (!this.mayHave(group)) return undefined;
    for (const key of group.keys) {
      const value = this.#values.get(key);
      const result = value === undefined ? undefined : read(value, this.texts);
      if (result !== undefined) return result;
    }
    return undefined;
  }

  /** Takes the value of the first key that can be read, and all keys with the same value. Different values stay. */
  take<T extends string | number | boolean>(group: KeyGroup, read: ReadValue<T>): T | undefined {
    if (!this.mayHave(group)) return undefined;
    let found: T | undefined;
    for (const key of group.keys) {
      const value = this.#values.get(key);
      if (value === undefined) continue;
      const result = read(value, this.texts);
      if (result === undefined) continue;
      found ??= result;
      if (result === found) this.#values.set(key, undefined);
    }
    return found;
  }

  /** All attributes in order; undefined for taken values. */
  all(): IterableIterator<[string, JsonValue | undefined]> {
    return this.#values.entries();
  }
}

/** True for a key with a digit after a dot, as keys of lists have. */
function hasIndex(key: string): boolean {
  for (let at = key.indexOf("."); at >= 0; at = key.indexOf(".", at + 1)) {
    const next = key.charCodeAt(at + 1);
    if (next >= 0x30 && next <= 0x39) return true;
  }
  return false;
}

/** Returns a non-empty text. */
export function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns a number; some senders write numbers as text. */
export function asNumber(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || !/^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(value)) return undefined;
  return Number(value);
}

export function asBoolean(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (value === "true" || value === "false") return value === "true";
  return undefined;
}

/** Returns a record, parsed if it is JSON text. */
export function asRecord(value: unknown, texts: JsonTexts): Readonly<Record<string, unknown>> | undefined {
  const parsed = texts.parsed(value);
  return isRecord(parsed) ? parsed : undefined;
}

/** Returns a list, parsed if it is JSON text. */
export function asList(value: unknown, texts: JsonTexts): readonly unknown[] | undefined {
  const parsed = texts.parsed(value);
  return Array.isArray(parsed) ? (parsed as unknown[]) : undefined;
}

/** Returns the stop reason of a model: a text, or the only distinct element of a list or JSON text. */
export function onlyReason(value: JsonValue, texts: JsonTexts): string | undefined {
  const reasons = asList(value, texts);
  if (reasons === undefined) return asText(value);
  const [first] = reasons;
  return reasons.every((reason) => reason === first) ? asText(first) : undefined;
}
