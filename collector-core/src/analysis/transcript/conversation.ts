import { eachInSteps, mapInSteps, type Steps } from "../in-steps.js";
import { longestIncreasing } from "./longest-increasing.js";
import type { MessageUnit } from "./message-units.js";
import { isSamePiece, pieceIndexOf, type PieceIndex } from "./piece-index.js";

/** A piece of a conversation. */
interface Entry {
  readonly unit: MessageUnit;
  /** Its place, as of the start of the last call. */
  position: number;
  /** The pieces beside it. */
  previous: Entry | undefined;
  next: Entry | undefined;
}

/** A call: its input, then its output. */
interface Call {
  readonly entries: readonly Entry[];
  readonly outputs: readonly Entry[];
}

/** Pieces at the beginning of a call after whose comparison there is a pause. */
const LONG_PREFIX = 4096;
/** Calls that a new one is compared with. */
const RECENT_CALLS = 16;
/** Places that are tried for a piece that a conversation has very often. */
const MAX_PLACES = 64;
/** The same for all pieces of a call. */
const MAX_PLACES_OF_CALL = 64 * 1024;

/**
 * The conversation of an agent, as its calls show it. Every call sends the conversation again, or a part of it, so each call is
 * aligned with what is known: what it has in common is known, and the rest is inserted at its place. Several threads of one agent
 * share the conversation. A piece that was said twice is found twice: what follows the last answer is new.
 */
export class Conversation {
  /** In order, as of the start of the last call. */
  #entries: Entry[] = [];
  #first: Entry | undefined;
  #last: Entry | undefined;
  /** Whether a piece was inserted before others, whose places have changed. */
  #hasMoved = false;
  readonly #byKey = new Map<string, Entry[]>();
  /** The newest first. */
  #recent: readonly Call[] = [];

  /** Adds a call, with pauses. @returns the pieces of its input that are new. */
  *add(input: readonly MessageUnit[], output: readonly MessageUnit[]): Steps<ReadonlySet<MessageUnit>> {
    yield* this.#number();
    const found = yield* this.#align(input);
    const firstKnown = found.find((entry) => entry !== undefined);
    const added = new Set<MessageUnit>();
    const entries: Entry[] = [];
    yield* eachInSteps(input, (unit, index) => {
      const known = found[index];
      if (known === undefined) added.add(unit);
      entries.push(known ?? this.#insert(unit, entries.at(-1), firstKnown));
    });
    const outputs: Entry[] = [];
    yield* eachInSteps(output, (unit) =>
      outputs.push(this.#insert(unit, outputs.at(-1) ?? entries.at(-1), undefined)),
    );
    this.#recent = [{ entries: [...entries, ...outputs], outputs }, ...this.#recent].slice(0, RECENT_CALLS);
    return added;
  }

  /** Adds the known pieces to an index, with pauses. */
  *addPiecesTo(index: PieceIndex): Steps<void> {
    yield* eachInSteps(this.#inOrder(), ({ unit }) => index.add(unit));
  }

  *#inOrder(): Generator<Entry> {
    for (let entry = this.#first; entry !== undefined; entry = entry.next) yield entry;
  }

  /** Whether a call continues this conversation: its input contains the last output. */
  isContinuedBy(input: PieceIndex): boolean {
    const outputs = this.#lastOutput();
    return outputs.length > 0 && outputs.every(({ unit }) => input.has(unit));
  }

  /** The known entry of each piece; undefined or missing for new ones. */
  *#align(units: readonly MessageUnit[]): Steps<readonly (Entry | undefined)[]> {
    // Most calls extend an earlier one.
    const { call, length } = yield* this.#longestPrefix(units);
    const prefix = call?.entries.slice(0, length) ?? [];
    const end = yield* this.#endOfLastOutput(units);
    const isExtended = call !== undefined && call.outputs.length > 0 && length === call.entries.length;
    if (isExtended && end < length) return prefix;
    const rest = units.slice(length, end < length ? units.length : end + 1);
    const from = prefix.at(-1)?.position ?? -1;
    const most = mostPlaces(rest);
    const places = yield* mapInSteps(rest, (unit) =>
      this.#placesOf(unit, most)
        .map(({ position }) => position)
        .filter((position) => position > from),
    );
    const chosen = yield* mapInSteps(yield* longestIncreasing(places), (position) =>
      position === undefined ? undefined : this.#entries[position],
    );
    return yield* this.#withMoved(units, [...prefix, ...chosen]);
  }

  /** The recent call whose beginning is the longest that a call has in common with. */
  *#longestPrefix(units: readonly MessageUnit[]): Steps<{
    readonly call: Call | undefined;
    readonly length: number;
  }> {
    let longest: { call: Call | undefined; length: number } = { call: undefined, length: 0 };
    for (const call of this.#recent) {
      let length = 0;
      while (length < units.length && isEntryOf(units[length], call.entries[length])) length++;
      if (length > longest.length) longest = { call, length };
      if (length > LONG_PREFIX) yield;
    }
    return longest;
  }

  #lastOutput(): readonly Entry[] {
    return this.#recent[0]?.outputs.filter(({ unit }) => !unit.isReasoning) ?? [];
  }

  /** Where the last output ends in the input of a call; -1 if it is not there. */
  *#endOfLastOutput(units: readonly MessageUnit[]): Steps<number> {
    const last = this.#lastOutput().at(-1);
    if (last === undefined || !this.isContinuedBy(yield* pieceIndexOf(units))) return -1;
    return units.findLastIndex((unit) => isEntryOf(unit, last));
  }

  /**
   * Also finds pieces in another order, but only instructions after all known pieces: what follows them was said later.
   */
  *#withMoved(
    units: readonly MessageUnit[],
    found: readonly (Entry | undefined)[],
  ): Steps<readonly (Entry | undefined)[]> {
    const most = mostPlaces(units);
    const used = new Set(found);
    const end = found.findLastIndex((entry) => entry !== undefined);
    return yield* mapInSteps(units, (unit, index) => {
      const entry = found[index];
      const isInstruction = unit.role === "system";
      if (entry !== undefined || (index > end && !isInstruction)) return entry;
      const moved = this.#placesOf(unit, most).find((place) => isInstruction || !used.has(place));
      used.add(moved);
      return moved;
    });
  }

  /** Where a piece is known, in order: at most the places that were added last. */
  #placesOf(unit: MessageUnit, most: number): readonly Entry[] {
    const known = this.#byKey.get(unit.key) ?? [];
    // Most pieces are said once.
    if (known.length < 2 && unit.callKey === undefined) return known;
    const equal = known.slice(-most);
    const ofCall = unit.callKey === undefined ? [] : (this.#byKey.get(unit.callKey)?.slice(-most) ?? []);
    const places = new Set([...equal, ...ofCall.filter((entry) => isEntryOf(unit, entry))]);
    return [...places].toSorted((a, b) => a.position - b.position).slice(-most);
  }

  /** Adds a piece after one or, without one, before one; otherwise at the end. */
  #insert(unit: MessageUnit, before: Entry | undefined, after: Entry | undefined): Entry {
    const previous = before ?? (after === undefined ? this.#last : after.previous);
    const next = previous === undefined ? this.#first : previous.next;
    const entry: Entry = { unit, position: this.#entries.length, previous, next };
    if (previous === undefined) this.#first = entry;
    else previous.next = entry;
    if (next === undefined) this.#last = entry;
    else next.previous = entry;
    if (next !== undefined) this.#hasMoved = true;
    else if (!this.#hasMoved) this.#entries.push(entry);
    this.#note(unit.key, entry);
    if (unit.callKey !== undefined) this.#note(unit.callKey, entry);
    return entry;
  }

  /** Numbers the places again, once for all pieces that a call has inserted. */
  *#number(): Steps<void> {
    if (!this.#hasMoved) return;
    this.#hasMoved = false;
    this.#entries = [];
    yield* eachInSteps(this.#inOrder(), (entry) => (entry.position = this.#entries.push(entry) - 1));
  }

  #note(key: string, entry: Entry): void {
    const list = this.#byKey.get(key);
    if (list === undefined) this.#byKey.set(key, [entry]);
    else list.push(entry);
  }
}

function isEntryOf(unit: MessageUnit | undefined, entry: Entry | undefined): boolean {
  return unit !== undefined && entry !== undefined && isSamePiece(unit, entry.unit);
}

function mostPlaces(units: readonly MessageUnit[]): number {
  return Math.max(1, Math.min(MAX_PLACES, Math.floor(MAX_PLACES_OF_CALL / units.length)));
}
