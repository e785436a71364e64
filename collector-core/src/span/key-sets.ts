import { BACKSLASH } from "./json-bytes.js";

/** Objects with more keys are not checked: sorting them would take too long. */
const MAX_KEYS = 200_000;
/** Up to this number, keys are compared pairwise. */
const FEW_KEYS = 12;
const TWO_21 = 2 ** 21;

/**
 * Detects repeated keys of objects by hashes of 53 bits. Different keys may collide: with 150,000 keys per object, once in
 * a million objects.
 */
export class KeySets {
  #hashes = new Float64Array(256);
  #count = 0;
  /** Index of the first key of each open object. */
  readonly #starts: number[] = [];
  /** Random, so that a sender cannot choose keys whose hashes collide. */
  readonly #seed = Math.trunc(Math.random() * 2 ** 32);

  /** Starts an object. */
  open(): void {
    this.#starts.push(this.#count);
  }

  /** Adds a key of the innermost object: a JSON text with its quotes. */
  add(json: Uint8Array, start: number, end: number): void {
    if (this.#addPlain(json, start + 1, end - 1, true)) return;
    // With escapes, the same key has several notations.
    const key = Buffer.from(JSON.parse(Buffer.from(json.subarray(start, end)).toString()) as string);
    this.#addPlain(key, 0, key.length, false);
  }

  #addPlain(json: Uint8Array, start: number, end: number, hasEscapes: boolean): boolean {
    let one = this.#seed;
    let two = ~this.#seed;
    for (let at = start; at < end; at++) {
      const byte = json[at] ?? 0;
      if (hasEscapes && byte === BACKSLASH) return false;
      one = Math.imul(one ^ byte, 0x9e3779b1);
      one ^= one >>> 15;
      two = Math.imul(two ^ byte, 0x85ebca6b);
      two ^= two >>> 13;
    }
    if (this.#count === this.#hashes.length) {
      const larger = new Float64Array(this.#count * 2);
      larger.set(this.#hashes);
      this.#hashes = larger;
    }
    this.#hashes[this.#count++] = (one >>> 0) * TWO_21 + (two & (TWO_21 - 1));
    return true;
  }

  /** Ends the innermost object. @returns false if a key is, or may be, repeated. */
  closeDistinct(): boolean {
    const start = this.#starts.pop() ?? 0;
    const end = this.#count;
    this.#count = start;
    if (end - start > MAX_KEYS) return false;
    const hashes = this.#hashes;
    if (end - start <= FEW_KEYS) {
      for (let a = start; a < end; a++)
        for (let b = a + 1; b < end; b++) if (hashes[a] === hashes[b]) return false;
      return true;
    }
    const sorted = hashes.subarray(start, end).sort();
    for (let at = 1; at < sorted.length; at++) if (sorted[at] === sorted[at - 1]) return false;
    return true;
  }
}
