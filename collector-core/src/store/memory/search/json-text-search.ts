import { jsonTextPattern, MAX_MATCH_BYTES } from "./json-text-pattern.js";

/** Bytes searched at once: takes a fraction of a millisecond, or a few milliseconds for hostile input. */
export const PIECE_BYTES = 64 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACES: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0d, 0x0a]);

/** Searches the strings of JSON, by default except keys, in linear time. May return false positives, never false negatives. */
export class JsonTextSearch {
  readonly #pieceBytes: number;
  readonly #pattern: RegExp;
  readonly #isInKeys: boolean;

  /**
   * @param foldedTexts - see `foldCase`; none empty.
   * @param pieceBytes - must exceed the longest match.
   * @param isInKeys - whether keys are searched too.
   */
  constructor(foldedTexts: readonly string[], pieceBytes = PIECE_BYTES, isInKeys = false) {
    this.#pieceBytes = pieceBytes;
    this.#isInKeys = isInKeys;
    this.#pattern = jsonTextPattern(foldedTexts);
  }

  /**
   * Searches one piece of JSON.
   *
   * @returns where to continue, which is `end` after the last piece; undefined if a text was found.
   */
  passOver(json: Buffer, from: number, end: number): number | undefined {
    const pattern = this.#pattern;
    const pieceEnd = Math.min(end, from + this.#pieceBytes);
    const piece = json.toString("latin1", from, pieceEnd);
    let passed = from;
    pattern.lastIndex = 0;
    while (pattern.test(piece)) {
      if (this.#isInKeys) return undefined;
      const behind = behindKey(json, from + pattern.lastIndex, end);
      if (behind === undefined) return undefined;
      if (behind >= pieceEnd) return behind;
      passed = behind;
      pattern.lastIndex = behind - from;
    }
    // Pieces overlap by the longest match, so that a match across their border is found.
    return pieceEnd === end ? end : Math.max(passed, pieceEnd - MAX_MATCH_BYTES);
  }
}

/**
 * The end of the key at a position; undefined if the position is in no key, or the rest of the key has an escape, which
 * is rare. For a position outside strings, the result is not after the start of the next string.
 */
function behindKey(json: Buffer, place: number, end: number): number | undefined {
  let at = place;
  while (at < end && json[at] !== QUOTE && json[at] !== BACKSLASH) at++;
  if (at === end || json[at] === BACKSLASH) return undefined;
  const behind = ++at;
  while (at < end && SPACES.has(json[at])) at++;
  return at < end && json[at] === COLON ? behind : undefined;
}
