import { isDigit, isLetter } from "./boundaries.js";

/**
 * A filter for keywords by their first three characters. Most texts contain no keyword, and the expression of two
 * hundred keywords is the most expensive one to search with.
 */

/** Number of characters to compare. */
const LENGTH = 3;
const BITS = 5;
const LOW_BITS = (1 << BITS) - 1;
const FIRST_NOT_ASCII = 0x80;

/** Parses the regular expression of keywords: groups, alternatives, classes and optional elements. */
class BeginningsParser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Returns the beginnings of all alternatives up to a closing parenthesis. */
  alternatives(): Set<string> {
    const all = new Set<string>();
    do {
      for (const beginning of this.#sequence()) all.add(beginning);
    } while (this.#consume("|"));
    return all;
  }

  #sequence(): Set<string> {
    let beginnings = new Set([""]);
    while (this.#at < this.#source.length && !"|)".includes(this.#source[this.#at] ?? "")) {
      const next = this.#element();
      if (this.#consume("?")) next.add("");
      beginnings = new Set(
        [...beginnings].flatMap((beginning) => [...next].map((more) => (beginning + more).slice(0, LENGTH))),
      );
    }
    return beginnings;
  }

  #element(): Set<string> {
    if (this.#consume("(?:")) {
      const inside = this.alternatives();
      this.#consume(")");
      return inside;
    }
    if (this.#consume("[")) {
      const end = this.#source.indexOf("]", this.#at);
      const characters = new Set(this.#source.slice(this.#at, end));
      this.#at = end + 1;
      return characters;
    }
    this.#consume("\\");
    return new Set(this.#source[this.#at++] ?? "");
  }

  #consume(text: string): boolean {
    const isNext = this.#source.startsWith(text, this.#at);
    if (isNext) this.#at += text.length;
    return isNext;
  }
}

/** The set of the first characters of keywords. */
export class KeywordBeginnings {
  readonly #beginnings = new Uint8Array(1 << (BITS * LENGTH));

  /** @param words - lower-case alternatives of a regular expression. */
  constructor(words: string) {
    for (const beginning of new BeginningsParser(words).alternatives()) this.#add(beginning);
  }

  /** A shorter keyword can be followed by any character. */
  #add(beginning: string): void {
    if (beginning.length === LENGTH) {
      this.#beginnings[indexOf(beginning.charCodeAt(0), beginning.charCodeAt(1), beginning.charCodeAt(2))] =
        1;
      return;
    }
    for (let code = 0; code <= LOW_BITS; code++) this.#add(beginning + String.fromCharCode(code));
  }

  /**
   * @param codes - the UTF-16 codes of a text, with a margin on both sides.
   * @returns false when no word in the range can be a keyword.
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
        if (this.#beginnings[indexOf(code, second, third)] === 1) return true;
      }
      isInWord = isWord;
    }
    return false;
  }
}

/** Upper-case and lower-case letters have the same low five bits. */
function indexOf(first: number, second: number, third: number): number {
  return ((first & LOW_BITS) << (2 * BITS)) | ((second & LOW_BITS) << BITS) | (third & LOW_BITS);
}
