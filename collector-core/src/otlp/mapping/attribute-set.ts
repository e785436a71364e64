import type { JsonValue } from "@obspan/sdk/wire";
import { isRecord } from "../../span/span-facts.js";
import type { JsonTexts } from "../json-texts.js";

/** Reads a value; undefined if the value is of another kind. */
export type ReadValue<T> = (value: JsonValue, texts: JsonTexts) => T | undefined;

/** Attributes that say the same thing in the words of many libraries, in order of precedence. */
export interface KeyGroup {
  readonly keys: readonly string[];
  /** Its bit in one of the two words of a mask: of most groups a span has no key at all. */
  readonly low: number;
  readonly high: number;
}

/** The bits of the groups that a key is in. */
const MASKS = new Map<string, { low: number; high: number }>();
/** Beginnings of keys that go on with an index: `llm.input_messages.0.…`. */
const LISTS: { readonly start: string; readonly group: KeyGroup }[] = [];
let groups = 0;

/** Makes a group; done once, when the tables are made. */
export function keyGroup(keys: readonly string[]): KeyGroup {
  const group = { keys, low: groups < 32 ? 1 << groups : 0, high: groups >= 32 ? 1 << (groups - 32) : 0 };
  if (++groups > 64) throw new Error("A mask has bits for 64 groups.");
  for (const key of keys) addBits(key, group);
  return group;
}

/** The group of the keys that begin with a prefix and an index: a list that was sent leaf by leaf. */
export function listGroup(prefix: string): KeyGroup {
  const group = keyGroup([]);
  LISTS.push({ start: `${prefix}.`, group });
  return group;
}

function addBits(key: string, { low, high }: KeyGroup): void {
  const mask = MASKS.get(key);
  if (mask === undefined) MASKS.set(key, { low, high });
  else {
    mask.low |= low;
    mask.high |= high;
  }
}

/**
 * The attributes of a span while they are being mapped: what has been understood is taken out, and what is left is kept
 * as it came (contract 6).
 */
export class AttributeSet {
  /** The groups of which a key was there. */
  #low = 0;
  #high = 0;

  /**
   * @param values - undefined marks a taken value: a Map rehashes when many entries are deleted.
   * @param texts - parses the JSON texts of the request.
   */
  constructor(
    private readonly values: Map<string, JsonValue | undefined>,
    readonly texts: JsonTexts,
  ) {
    for (const key of values.keys()) {
      const mask = MASKS.get(key);
      if (mask !== undefined) {
        this.#low |= mask.low;
        this.#high |= mask.high;
      } else if (hasIndex(key)) this.#markLists(key);
    }
  }

  #markLists(key: string): void {
    for (const { start, group } of LISTS) {
      if (!key.startsWith(start)) continue;
      this.#low |= group.low;
      this.#high |= group.high;
    }
  }

  /** False where no key of the group was there. */
  mayHave(group: KeyGroup): boolean {
    return (this.#low & group.low) !== 0 || (this.#high & group.high) !== 0;
  }

  get(key: string): JsonValue | undefined {
    return this.values.get(key);
  }

  has(key: string): boolean {
    return this.values.get(key) !== undefined;
  }

  *keys(): IterableIterator<string> {
    for (const [key, value] of this.values) if (value !== undefined) yield key;
  }

  delete(key: string): void {
    if (this.has(key)) this.values.set(key, undefined);
  }

  /** The text under a key, where there is one that is not empty. */
  text(key: string): string | undefined {
    return asText(this.values.get(key));
  }

  /** The first of the keys whose value can be read, without taking it. */
  peek<T>(group: KeyGroup, read: ReadValue<T>): T | undefined {
    if (!this.mayHave(group)) return undefined;
    for (const key of group.keys) {
      const value = this.values.get(key);
      const result = value === undefined ? undefined : read(value, this.texts);
      if (result !== undefined) return result;
    }
    return undefined;
  }

  /** The first of the keys whose value can be read. All that say the same are taken with it; what differs stays. */
  take<T extends string | number | boolean>(group: KeyGroup, read: ReadValue<T>): T | undefined {
    if (!this.mayHave(group)) return undefined;
    let found: T | undefined;
    for (const key of group.keys) {
      const value = this.values.get(key);
      if (value === undefined) continue;
      const result = read(value, this.texts);
      if (result === undefined) continue;
      found ??= result;
      if (result === found) this.values.set(key, undefined);
    }
    return found;
  }

  /** What came, in its order; undefined where it has been taken. */
  all(): IterableIterator<[string, JsonValue | undefined]> {
    return this.values.entries();
  }
}

/** A key of a list has a digit somewhere behind a dot. */
function hasIndex(key: string): boolean {
  for (let at = key.indexOf("."); at >= 0; at = key.indexOf(".", at + 1)) {
    const next = key.charCodeAt(at + 1);
    if (next >= 0x30 && next <= 0x39) return true;
  }
  return false;
}

/** A text that is not empty. */
export function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A number; some senders write numbers as text. */
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

/** A record, or the record that a text of JSON is. */
export function asRecord(value: unknown, texts: JsonTexts): Readonly<Record<string, unknown>> | undefined {
  const parsed = texts.parsed(value);
  return isRecord(parsed) ? parsed : undefined;
}

/** A list, or the list that a text of JSON is. */
export function asList(value: unknown, texts: JsonTexts): readonly unknown[] | undefined {
  const parsed = texts.parsed(value);
  return Array.isArray(parsed) ? (parsed as unknown[]) : undefined;
}

/** Why a model stopped: one reason, alone, in a list, or in a text of JSON that is one. */
export function onlyReason(value: JsonValue, texts: JsonTexts): string | undefined {
  const reasons = asList(value, texts);
  if (reasons === undefined) return asText(value);
  const [first] = reasons;
  return reasons.every((reason) => reason === first) ? asText(first) : undefined;
}
