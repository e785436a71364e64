import { jsonTextPattern, MAX_MATCH_BYTES } from "./json-text-pattern.js";

/** Bytes that are looked through at once: a fraction of a millisecond, and a few where they are made to be slow. */
export const PIECE_BYTES = 64 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACES: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0d, 0x0a]);

/**
 * Looks for texts in the strings of JSON that are no keys, in time in proportion to its bytes. It may find what is not
 * there, never the opposite.
 */
export class JsonTextSearch {
  readonly #pattern: RegExp;

  /**
   * @param foldedTexts - see `foldCase`; none empty.
   * @param pieceBytes - more than the longest match has.
   */
  constructor(
    foldedTexts: readonly string[],
    private readonly pieceBytes = PIECE_BYTES,
  ) {
    this.#pattern = jsonTextPattern(foldedTexts);
  }

  /**
   * Looks through one piece of JSON.
   *
   * @returns where to go on, which is `end` where all of it has been passed over; undefined where a text was found.
   */
  passOver(json: Buffer, from: number, end: number): number | undefined {
    const pattern = this.#pattern;
    const pieceEnd = Math.min(end, from + this.pieceBytes);
    const piece = json.toString("latin1", from, pieceEnd);
    let passed = from;
    pattern.lastIndex = 0;
    while (pattern.test(piece)) {
      const behind = behindKey(json, from + pattern.lastIndex, end);
      if (behind === undefined) return undefined;
      if (behind >= pieceEnd) return behind;
      passed = behind;
      pattern.lastIndex = behind - from;
    }
    // The next piece begins with what may be the beginning of a match at the end of this one.
    return pieceEnd === end ? end : Math.max(passed, pieceEnd - MAX_MATCH_BYTES);
  }
}

/**
 * Where the key ends that the place is in; undefined where it is in no key, or the rest of the key has an escape, which
 * is rare. Of a place outside of strings, this is no more than where the next string begins.
 */
function behindKey(json: Buffer, place: number, end: number): number | undefined {
  let at = place;
  while (at < end && json[at] !== QUOTE && json[at] !== BACKSLASH) at++;
  if (at === end || json[at] === BACKSLASH) return undefined;
  const behind = ++at;
  while (at < end && SPACES.has(json[at])) at++;
  return at < end && json[at] === COLON ? behind : undefined;
}
