import { longestIncreasing } from "./longest-increasing.js";
import type { MessageUnit } from "./message-units.js";

/** A piece of a conversation, at its place. */
interface Entry {
  readonly unit: MessageUnit;
  position: number;
}

/** A call: its input, then its output. */
interface Call {
  readonly entries: readonly Entry[];
  readonly outputs: readonly Entry[];
}

/** Calls that a new one is compared with. */
const RECENT_CALLS = 16;
/** Places that are tried for a piece that a conversation has very often. */
const MAX_PLACES = 64;

/**
 * The conversation of an agent, as its calls show it. Every call sends the conversation again, or a part of it, so each call is
 * aligned with what is known: what it has in common is known, and the rest is inserted at its place. Several threads of one agent
 * share the conversation. A piece that was said twice is found twice: what follows the last answer is new.
 */
export class Conversation {
  readonly #entries: Entry[] = [];
  readonly #byKey = new Map<string, Entry[]>();
  /** The newest first. */
  #recent: readonly Call[] = [];

  /** Adds a call. @returns the pieces of its input that are new. */
  add(input: readonly MessageUnit[], output: readonly MessageUnit[]): ReadonlySet<MessageUnit> {
    const found = this.#align(input);
    const added = new Set<MessageUnit>();
    const entries: Entry[] = [];
    for (const [index, unit] of input.entries()) {
      const known = found[index];
      if (known === undefined) added.add(unit);
      entries.push(known ?? this.#insert(unit, entries.at(-1), firstOf(found, index)));
    }
    const outputs: Entry[] = [];
    for (const unit of output) outputs.push(this.#insert(unit, outputs.at(-1) ?? entries.at(-1), undefined));
    this.#recent = [{ entries: [...entries, ...outputs], outputs }, ...this.#recent].slice(0, RECENT_CALLS);
    return added;
  }

  /** Whether a piece is known. */
  has(unit: MessageUnit): boolean {
    return this.#placesOf(unit).length > 0;
  }

  /** Whether a call continues this conversation: its input contains the last output. */
  isContinuedBy(input: readonly MessageUnit[]): boolean {
    return this.#endOfLastOutput(input) >= 0;
  }

  /** The known entry of each piece; undefined or missing for new ones. */
  #align(units: readonly MessageUnit[]): readonly (Entry | undefined)[] {
    // Most calls extend an earlier one.
    const { call, length } = this.#longestPrefix(units);
    const prefix = call?.entries.slice(0, length) ?? [];
    const end = this.#endOfLastOutput(units);
    const isExtended = call !== undefined && call.outputs.length > 0 && length === call.entries.length;
    if (isExtended && end < length) return prefix;
    const rest = units.slice(length, end < length ? units.length : end + 1);
    const from = prefix.at(-1)?.position ?? -1;
    const places = rest.map((unit) =>
      this.#placesOf(unit)
        .map(({ position }) => position)
        .filter((position) => position > from),
    );
    const chosen = longestIncreasing(places).map((position) =>
      position === undefined ? undefined : this.#entries[position],
    );
    return this.#withMoved(units, [...prefix, ...chosen]);
  }

  /** The recent call whose beginning is the longest that a call has in common with. */
  #longestPrefix(units: readonly MessageUnit[]): {
    readonly call: Call | undefined;
    readonly length: number;
  } {
    let longest: { call: Call | undefined; length: number } = { call: undefined, length: 0 };
    for (const call of this.#recent) {
      let length = 0;
      while (length < units.length && isEntryOf(units[length], call.entries[length])) length++;
      if (length > longest.length) longest = { call, length };
    }
    return longest;
  }

  /** Where the last output ends in the input of a call; -1 if it is not there. */
  #endOfLastOutput(units: readonly MessageUnit[]): number {
    const outputs = this.#recent[0]?.outputs.filter(({ unit }) => !unit.isReasoning) ?? [];
    const last = outputs.at(-1);
    if (last === undefined || !outputs.every((entry) => units.some((unit) => isEntryOf(unit, entry))))
      return -1;
    return units.findLastIndex((unit) => isEntryOf(unit, last));
  }

  /**
   * Also finds pieces in another order, but only instructions after all known pieces: what follows them was said later.
   */
  #withMoved(
    units: readonly MessageUnit[],
    found: readonly (Entry | undefined)[],
  ): readonly (Entry | undefined)[] {
    const used = new Set(found);
    const end = found.findLastIndex((entry) => entry !== undefined);
    return units.map((unit, index) => {
      const entry = found[index];
      const isInstruction = unit.role === "system";
      if (entry !== undefined || (index > end && !isInstruction)) return entry;
      const moved = this.#placesOf(unit).find((place) => isInstruction || !used.has(place));
      used.add(moved);
      return moved;
    });
  }

  /** Where a piece is known, in order. */
  #placesOf(unit: MessageUnit): Entry[] {
    const equal = this.#byKey.get(unit.key) ?? [];
    const ofCall = unit.callKey === undefined ? [] : (this.#byKey.get(unit.callKey) ?? []);
    const places = new Set([...equal, ...ofCall.filter((entry) => isEntryOf(unit, entry))]);
    return [...places].toSorted((a, b) => a.position - b.position).slice(-MAX_PLACES);
  }

  #insert(unit: MessageUnit, before: Entry | undefined, after: Entry | undefined): Entry {
    const entries = this.#entries;
    const position = before === undefined ? (after?.position ?? entries.length) : before.position + 1;
    const entry: Entry = { unit, position };
    entries.splice(position, 0, entry);
    for (const moved of entries.slice(position + 1)) moved.position++;
    this.#note(unit.key, entry);
    if (unit.callKey !== undefined) this.#note(unit.callKey, entry);
    return entry;
  }

  #note(key: string, entry: Entry): void {
    const list = this.#byKey.get(key);
    if (list === undefined) this.#byKey.set(key, [entry]);
    else list.push(entry);
  }
}

/** Pieces with previews of long texts are compared by the id of their call. */
function isEntryOf(unit: MessageUnit | undefined, entry: Entry | undefined): boolean {
  if (unit === undefined || entry === undefined) return false;
  const { key, callKey, isCut } = entry.unit;
  return unit.key === key || (callKey !== undefined && unit.callKey === callKey && (isCut || unit.isCut));
}

function firstOf(found: readonly (Entry | undefined)[], from: number): Entry | undefined {
  for (let index = from; index < found.length; index++) if (found[index] !== undefined) return found[index];
  return undefined;
}
