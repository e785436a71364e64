import { isDigit, isLetter } from "./boundaries.js";

/**
 * How the words of a set of keywords can begin, so that a text is asked with three characters of each of its words
 * whether it may have one. Most texts have none, and the expression of two hundred words is the dearest to search with.
 */

/** So many characters of a keyword are looked at. */
const LENGTH = 3;
const BITS = 5;
const LOW_BITS = (1 << BITS) - 1;
const FIRST_NOT_ASCII = 0x80;

/** Of the regular expression of a keyword: groups, alternatives, classes, and what may be left out. */
class Beginnings {
  #at = 0;

  constructor(private readonly source: string) {}

  /** All that the alternatives up to a closing bracket can begin with. */
  alternatives(): Set<string> {
    const all = new Set<string>();
    do {
      for (const beginning of this.#sequence()) all.add(beginning);
    } while (this.#takes("|"));
    return all;
  }

  #sequence(): Set<string> {
    let beginnings = new Set([""]);
    while (this.#at < this.source.length && !"|)".includes(this.source[this.#at] ?? "")) {
      const next = this.#element();
      if (this.#takes("?")) next.add("");
      beginnings = new Set(
        [...beginnings].flatMap((beginning) => [...next].map((more) => (beginning + more).slice(0, LENGTH))),
      );
    }
    return beginnings;
  }

  #element(): Set<string> {
    if (this.#takes("(?:")) {
      const inside = this.alternatives();
      this.#takes(")");
      return inside;
    }
    if (this.#takes("[")) {
      const end = this.source.indexOf("]", this.#at);
      const characters = new Set(this.source.slice(this.#at, end));
      this.#at = end + 1;
      return characters;
    }
    this.#takes("\\");
    return new Set(this.source[this.#at++] ?? "");
  }

  #takes(text: string): boolean {
    const isNext = this.source.startsWith(text, this.#at);
    if (isNext) this.#at += text.length;
    return isNext;
  }
}

/** Which keywords a text may have. */
export class KeywordBeginnings {
  readonly #known = new Uint8Array(1 << (BITS * LENGTH));

  /** @param words - alternatives of a regular expression, in lower case. */
  constructor(words: string) {
    for (const beginning of new Beginnings(words).alternatives()) this.#add(beginning);
  }

  /** A keyword that is shorter may be followed by anything. */
  #add(beginning: string): void {
    if (beginning.length === LENGTH) {
      this.#known[indexOf(beginning.charCodeAt(0), beginning.charCodeAt(1), beginning.charCodeAt(2))] = 1;
      return;
    }
    for (let code = 0; code <= LOW_BITS; code++) this.#add(beginning + String.fromCharCode(code));
  }

  /**
   * @param codes - the characters of a text, with something before and behind it.
   * @returns false where no word between the two places is a keyword.
   */
  mayBeIn(codes: Uint16Array, start: number, end: number): boolean {
    let isInWord = false;
    for (let at = start; at < end; at++) {
      const code = codes[at] as number;
      if (code >= FIRST_NOT_ASCII) return true;
      const isWord = isLetter(code) || isDigit(code);
      if (isWord && !isInWord) {
        const second = codes[at + 1] as number;
        const third = codes[at + 2] as number;
        if (this.#known[indexOf(code, second, third)] === 1) return true;
      }
      isInWord = isWord;
    }
    return false;
  }
}

/** Capital and small letters have the same last five bits. */
function indexOf(first: number, second: number, third: number): number {
  return ((first & LOW_BITS) << (2 * BITS)) | ((second & LOW_BITS) << BITS) | (third & LOW_BITS);
}
