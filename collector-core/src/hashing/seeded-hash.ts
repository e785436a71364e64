import { randomFillSync } from "node:crypto";

/** 64 bits in two halves. */
export interface Hash64 {
  readonly lo: number;
  readonly hi: number;
}

/**
 * 64 bits of a text, left in two 32-bit halves so that no hash costs an object. The seed is drawn at random for
 * each, so that nobody can choose ids that fall together. At 64 bits two ids of one trace are taken for the same with
 * a chance of one in 10^14 for a trace of 500 spans.
 */
export class SeededHash implements Hash64 {
  lo = 0;
  hi = 0;
  readonly #seed = randomFillSync(new Int32Array(2));

  /** 52 bits of the last hash as one number, never 0: tables of numbers mark what is free with it. */
  get number(): number {
    return (this.hi >>> 12) * 2 ** 32 + (this.lo >>> 0) + 1;
  }

  /** Hashes `text`, differently for every `salt` (a whole number). */
  of(salt: number, text: string): this {
    const low = salt | 0;
    const high = (salt / 2 ** 32) | 0;
    this.lo = (this.#seed[0] as number) ^ Math.imul(low, 0x9e3779b1) ^ high;
    this.hi = (this.#seed[1] as number) ^ Math.imul(high, 0x85ebca77) ^ low;
    return this.#add(text);
  }

  /** Hashes `text`, differently within every other hash. */
  within({ lo, hi }: Hash64, text: string): this {
    this.lo = (this.#seed[0] as number) ^ Math.imul(lo, 0x9e3779b1) ^ hi;
    this.hi = (this.#seed[1] as number) ^ Math.imul(hi, 0x85ebca77) ^ lo;
    return this.#add(text);
  }

  /** Hashes two texts as a pair: `a`, `bc` and `ab`, `c` differ. */
  ofPair(first: string, second: string): this {
    return this.of(first.length, first).#add(second);
  }

  #add(text: string): this {
    let lo = this.lo;
    let hi = this.hi;
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      lo = Math.imul(lo ^ unit, 0x9e3779b1);
      lo ^= lo >>> 15;
      hi = Math.imul(hi ^ unit, 0x5f356495);
      hi ^= hi >>> 14;
    }
    const mixedLo = Math.imul(lo ^ (lo >>> 16), 0x85ebca6b) ^ Math.imul(hi ^ (hi >>> 13), 0xc2b2ae35);
    const mixedHi = Math.imul(hi ^ (hi >>> 16), 0x85ebca6b) ^ Math.imul(lo ^ (lo >>> 13), 0xc2b2ae35);
    this.lo = mixedLo;
    this.hi = mixedHi;
    return this;
  }
}
