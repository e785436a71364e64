import { foldCase } from "../../memory/search/case-folding.js";

/** Bits of a signature: a power of two. */
const BITS = 32_768;
const SHIFT = 32 - Math.log2(BITS);
const GRAM = 4;
const SIGNATURE_BYTES = BITS / 8;

/**
 * The signature in a row of `chunk_signature`. Only the length of another BLOB is read: somebody else may have written one that
 * does not fit into memory.
 */
export const SOUND_BITS = `CASE WHEN length(bits) = ${SIGNATURE_BYTES} THEN bits END AS bits`;

/** A longer chunk sets most bits, so that its signature would exclude nothing. */
const MAX_SIGNED_BYTES = 2 ** 20;

const BACKSLASH = 0x5c;
const LOWER_U = 0x75;

/** Stands for a number with an exponent, whose digits are not those of the value. No run of plain characters has it. */
const EXPONENT = 0;
const LETTER_E = 0x65;

/** The lower case of each plain character, and 0 for all other bytes: a text is divided there. */
const PLAIN = plainCharacters();
/** The value of each hexadecimal digit, and 255 for all other bytes. */
const HEX = hexDigits();

/** Printable ASCII, except characters that JSON may write as a short escape. */
function plainCharacters(): Uint8Array {
  const plain = new Uint8Array(256);
  for (let code = 0x20; code < 0x7f; code++) {
    const character = String.fromCharCode(code);
    if (!'"\\/'.includes(character)) plain[code] = character.toLowerCase().charCodeAt(0);
  }
  return plain;
}

function hexDigits(): Uint8Array {
  const values = new Uint8Array(256).fill(255);
  for (let value = 0; value < 16; value++) {
    const digit = value.toString(16);
    values[digit.charCodeAt(0)] = value;
    values[digit.toUpperCase().charCodeAt(0)] = value;
  }
  return values;
}

/**
 * Characters beyond ASCII whose folded form has ASCII characters, with that form in lower case: `ß` is found by `SS`, the
 * Kelvin sign by `k`.
 */
export const FOLDED_INTO_ASCII: ReadonlyMap<number, string> = new Map(
  Array.from(
    "\u00df\u0130\u0131\u0149\u017f\u01f0\u1e96\u1e97\u1e98\u1e99\u1e9a\u1e9e\u212a\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06",
    (character) => [character.charCodeAt(0), foldCase(character).toLowerCase()],
  ),
);

/**
 * The signature of a chunk: a bit for each hash of four consecutive plain characters in lower case, as {@link SignatureQuery}
 * expects them. Texts are read as search reads them: without escapes, with folded case.
 *
 * @returns null if the chunk is so long that a search must always look into it.
 */
export function signatureOf(raw: Buffer): Uint8Array | null {
  if (raw.length > MAX_SIGNED_BYTES) return null;
  const bits = new Uint8Array(SIGNATURE_BYTES);
  if (addWritten(raw, bits)) addRead(raw, bits);
  return bits;
}

/** Adds the characters as they are written. @returns true if some of them are read as others. */
function addWritten(raw: Buffer, bits: Uint8Array): boolean {
  const { length } = raw;
  let differs = false;
  let gram = 0;
  let run = 0;
  for (let at = 0; at < length; at++) {
    const byte = raw[at] as number;
    const character = PLAIN[byte] as number;
    if (character === 0) {
      run = 0;
      if (byte === BACKSLASH || byte >= 0x80) differs ||= readsAsPlain(raw, at, byte);
      continue;
    }
    gram = (gram << 8) | character;
    if (++run >= GRAM) setBit(bits, gram);
    if (character === LETTER_E && isExponent(raw, at)) setBit(bits, EXPONENT);
  }
  return differs;
}

/** True if the letter may be that of a number outside strings, such as `1.2e+5`. */
function isExponent(raw: Buffer, at: number): boolean {
  if (!isDigit(raw[at - 1]) || !(isDigit(raw[at + 1]) || raw[at + 1] === PLUS || raw[at + 1] === MINUS))
    return false;
  let start = at - 1;
  while (isDigit(raw[start]) || raw[start] === DOT) start--;
  if (raw[start] === MINUS) start--;
  return BEFORE_NUMBER.has(raw[start]);
}

const [PLUS, MINUS, DOT] = [0x2b, 0x2d, 0x2e];
/** A colon, a comma, a bracket and white space. */
const BEFORE_NUMBER: ReadonlySet<number | undefined> = new Set([0x3a, 0x2c, 0x5b, 0x20, 0x09, 0x0a, 0x0d]);

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

/** True if an escape, or a character beyond ASCII, is read as plain characters. */
function readsAsPlain(raw: Buffer, at: number, byte: number): boolean {
  const code = byte === BACKSLASH ? escapedCode(raw, at) : utf8Code(raw, at);
  return code < 0x80 ? PLAIN[code] !== 0 : FOLDED_INTO_ASCII.has(code);
}

/** Adds the characters as they are read. Takes longer, and most chunks do not need it. */
function addRead(raw: Buffer, bits: Uint8Array): void {
  const { length } = raw;
  let gram = 0;
  let run = 0;
  for (let at = 0; at < length; at++) {
    const byte = raw[at] as number;
    let character = PLAIN[byte] as number;
    if (character === 0) {
      // The rest of a character, which was read at its first byte.
      if (byte >= 0x80 && byte < 0xc0) continue;
      const isEscape = byte === BACKSLASH;
      const code = isEscape ? escapedCode(raw, at) : byte >= 0xc0 ? utf8Code(raw, at) : NO_CODE;
      if (isEscape) at += code === NO_CODE ? 1 : 5;
      const folded = FOLDED_INTO_ASCII.get(code);
      if (folded !== undefined) {
        ({ gram, run } = addFolded(folded, gram, run, bits));
        continue;
      }
      character = code < 0x80 ? (PLAIN[code] as number) : 0;
    }
    gram = (gram << 8) | character;
    run = character === 0 ? 0 : run + 1;
    if (run >= GRAM) setBit(bits, gram);
  }
}

function addFolded(
  folded: string,
  gramBefore: number,
  runBefore: number,
  bits: Uint8Array,
): { gram: number; run: number } {
  let gram = gramBefore;
  let run = runBefore;
  for (let index = 0; index < folded.length; index++) {
    const code = folded.charCodeAt(index);
    const character = code < 0x80 ? (PLAIN[code] as number) : 0;
    gram = (gram << 8) | character;
    run = character === 0 ? 0 : run + 1;
    if (run >= GRAM) setBit(bits, gram);
  }
  return { gram, run };
}

/** Neither plain nor folded into plain characters. */
const NO_CODE = 0;

/** The code unit of a long escape at a backslash; {@link NO_CODE} for another escape. */
function escapedCode(raw: Buffer, at: number): number {
  if (raw[at + 1] !== LOWER_U) return NO_CODE;
  let code = 0;
  for (let index = at + 2; index < at + 6; index++) {
    const digit = HEX[raw[index] ?? 0] as number;
    if (digit === 255) return NO_CODE;
    code = code * 16 + digit;
  }
  return code;
}

/** The code of a character of two or three bytes; {@link NO_CODE} for other bytes. */
function utf8Code(raw: Buffer, at: number): number {
  const lead = raw[at] as number;
  const second = (raw[at + 1] ?? 0) & 0x3f;
  if ((lead & 0xe0) === 0xc0) return ((lead & 0x1f) << 6) | second;
  if ((lead & 0xf0) === 0xe0) return ((lead & 0x0f) << 12) | (second << 6) | ((raw[at + 2] ?? 0) & 0x3f);
  return NO_CODE;
}

function hashOf(gram: number): number {
  return Math.imul(gram, 0x9e3779b1) >>> SHIFT;
}

function setBit(bits: Uint8Array, gram: number): void {
  const hash = hashOf(gram);
  bits[hash >>> 3] = (bits[hash >>> 3] as number) | (1 << (hash & 7));
}

/** Tells by a signature whether a chunk may have one of several texts. Never says no about a chunk that has one. */
export class SignatureQuery {
  /** The distinct hashes of each text. Undefined if a text has no four plain characters in a row: it may be anywhere. */
  readonly #hashes: readonly Int32Array[] | undefined;
  readonly #isNumber: boolean;

  /**
   * @param foldedTexts - see `foldCase`; none empty.
   * @param isNumber - true if one of the texts is a number, which may be written with an exponent.
   */
  constructor(foldedTexts: readonly string[], isNumber = false) {
    this.#isNumber = isNumber;
    const hashes = foldedTexts.map(hashesOfText);
    this.#hashes = hashes.some(({ length }) => length === 0) ? undefined : hashes;
  }

  /** False if a signature cannot exclude any chunk. */
  get isSelective(): boolean {
    return this.#hashes !== undefined;
  }

  /** @param bits - the signature of the chunk; null for a chunk without one. */
  mayContain(bits: Uint8Array | null): boolean {
    if (bits === null || this.#hashes === undefined) return true;
    if (this.#isNumber && hasBit(bits, hashOf(EXPONENT))) return true;
    return this.#hashes.some((hashes) => hashes.every((hash) => hasBit(bits, hash)));
  }
}

function hasBit(bits: Uint8Array, hash: number): boolean {
  return ((bits[hash >>> 3] as number) & (1 << (hash & 7))) !== 0;
}

function hashesOfText(foldedText: string): Int32Array {
  const hashes = new Set<number>();
  let gram = 0;
  let run = 0;
  for (let index = 0; index < foldedText.length; index++) {
    const code = foldedText.charCodeAt(index);
    const character = code < 0x80 ? (PLAIN[code] as number) : 0;
    gram = (gram << 8) | character;
    run = character === 0 ? 0 : run + 1;
    if (run >= GRAM) hashes.add(hashOf(gram));
  }
  return Int32Array.from(hashes);
}
