/** Characters of a token at most, as they are usually estimated. */
export const CHARACTERS = 4;
/** Tokens of a word of the length, and of each further group of letters. */
const WORD_LETTERS = 7;
const GROUP_LETTERS = 4;
const GROUP_DIGITS = 3;
/** Tokens of a character of random data, such as base64. */
const RANDOM = 0.8;
/** Tokens of other characters, by UTF-16 unit. */
const SCRIPT_LETTER = 0.6;
const IDEOGRAPH = 1.4;
/** What estimates of single pieces may be too low together. */
const MARGIN = 1.06;

/** Long runs without a sign of a text, words, numbers, white space, signs, and everything else. */
const PIECES = /([A-Za-z0-9+/_=]{24,})|([A-Za-z]+)|(\d+)|(\s+)|([!-/:-@[-`{-~]+)|[^\s!-~]+/g;
/** Parts of such a run. */
const RUN_PIECES = /([A-Za-z]+)|(\d+)|[^A-Za-z\d]+/g;

/**
 * An upper estimate of the tokens of a text: four characters a token, or more tokens by what the characters are. For tables, JSON,
 * code, prose, other scripts and base64 it was above the counts of o200k, and at most 1 % below those of cl100k. A tokenizer would take a megabyte for each family of models.
 */
export function tokenBound(text: string): number {
  let tokens = 0;
  for (const [piece, run, letters, digits, space, signs] of text.matchAll(PIECES)) {
    if (run !== undefined) tokens += runTokens(run);
    else if (letters !== undefined) tokens += wordTokens(letters);
    else if (digits !== undefined) tokens += numberTokens(digits);
    else if (space !== undefined) tokens += space === " " ? 0 : 1;
    else if (signs !== undefined) tokens += signTokens(signs);
    else tokens += otherTokens(piece);
  }
  return Math.max(MARGIN * tokens, text.length / CHARACTERS);
}

function runTokens(run: string): number {
  if (isRandom(run)) return run.length * RANDOM;
  let tokens = 0;
  for (const [piece, letters, digits] of run.matchAll(RUN_PIECES)) {
    if (letters !== undefined) tokens += wordTokens(letters);
    else tokens += digits === undefined ? signTokens(piece) : numberTokens(digits);
  }
  return tokens;
}

/** Whether a run has capitals, other letters and digits. */
function isRandom(run: string): boolean {
  return /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run);
}

function numberTokens(digits: string): number {
  return Math.ceil(digits.length / GROUP_DIGITS);
}

function signTokens(signs: string): number {
  return (signs.length + 1) / 2;
}

function wordTokens(letters: string): number {
  const parts = letters.length === 1 ? 1 : letters.split(/(?<=[a-z])(?=[A-Z])/).length;
  return parts + Math.max(0, letters.length - WORD_LETTERS * parts) / GROUP_LETTERS;
}

function otherTokens(piece: string): number {
  let tokens = 0;
  for (let at = 0; at < piece.length; at++)
    tokens += piece.charCodeAt(at) < 0x2000 ? SCRIPT_LETTER : IDEOGRAPH;
  return Math.ceil(tokens);
}

/** Characters that are estimated at once. */
const CHUNK = 1000;

/** A beginning of a text that has no more tokens, and is about as long as it may be. Does not cut a character in two. */
export function beginningWithin(text: string, maxTokens: number, bound = tokenBound): string {
  let left = maxTokens;
  let end = 0;
  while (end < text.length) {
    const tokens = bound(text.slice(end, end + CHUNK));
    if (tokens > left) break;
    left -= tokens;
    end += CHUNK;
  }
  let length = Math.min(CHUNK, text.length - end);
  while (length > 0) {
    const tokens = bound(text.slice(end, end + length));
    if (tokens <= left) break;
    length = Math.min(length - 1, Math.floor((length * Math.max(0, left)) / tokens));
  }
  const cut = Math.min(text.length, end + Math.max(0, length));
  return text.slice(0, isPairAt(text, cut) ? cut - 1 : cut);
}

function isPairAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff;
}
