/** Attribute keys that different libraries use for the same value, in order of precedence. */
export interface KeyGroup {
  readonly keys: readonly string[];
  /** The group's bit, in one of the two words of a mask. */
  readonly low: number;
  readonly high: number;
}

/** The bits of several groups. */
export interface GroupMask {
  readonly low: number;
  readonly high: number;
}

/** Groups that a mask of two 32-bit words can hold. */
const MAX_GROUPS = 64;
const WORD_BITS = 32;

/**
 * A table of key groups with one bit each. A span has keys of few groups: its mask shows with one operation which groups
 * can be skipped.
 */
export class KeyGroupTable {
  readonly #name: string;
  readonly #masks = new Map<string, { low: number; high: number }>();
  /** Prefixes of keys that continue with an index: `llm.input_messages.0.…`. */
  readonly #lists: { readonly start: string; readonly group: KeyGroup }[] = [];
  #size = 0;

  /** @param name - names the table in errors. */
  constructor(name: string) {
    this.#name = name;
  }

  /** @throws RangeError if the table has a group for every bit. */
  add(keys: readonly string[]): KeyGroup {
    const group = { keys, ...this.#nextBit(keys[0] ?? "") };
    for (const key of keys) {
      const mask = this.#masks.get(key) ?? { low: 0, high: 0 };
      mask.low |= group.low;
      mask.high |= group.high;
      this.#masks.set(key, mask);
    }
    return group;
  }

  /** Adds the group of all keys that start with a prefix and an index, as of a list that is sent leaf by leaf. */
  addList(prefix: string): KeyGroup {
    const group = { keys: [], ...this.#nextBit(prefix) };
    this.#lists.push({ start: `${prefix}.`, group });
    return group;
  }

  /** The groups that list a key. */
  maskOf(key: string): GroupMask | undefined {
    return this.#masks.get(key);
  }

  /** The groups of lists that a key with an index belongs to. */
  *listsOf(key: string): Iterable<GroupMask> {
    for (const { start, group } of this.#lists) if (key.startsWith(start)) yield group;
  }

  #nextBit(key: string): GroupMask {
    const bit = this.#size;
    if (bit === MAX_GROUPS)
      throw new RangeError(
        `The table "${this.#name}" has ${String(MAX_GROUPS)} groups, the most that its masks hold: no bit is left for "${key}". Merge groups, or add a word to the masks.`,
      );
    this.#size++;
    return bit < WORD_BITS ? { low: 1 << bit, high: 0 } : { low: 0, high: 1 << (bit - WORD_BITS) };
  }
}

/** The groups of all attributes that the mapping reads. It is complete when the modules of the mapping are loaded. */
export const ATTRIBUTE_GROUPS = new KeyGroupTable("OTLP attributes");

export function keyGroup(keys: readonly string[]): KeyGroup {
  return ATTRIBUTE_GROUPS.add(keys);
}

export function listGroup(prefix: string): KeyGroup {
  return ATTRIBUTE_GROUPS.addList(prefix);
}
