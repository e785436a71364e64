/** Words, white space, and single signs. */
const TOKENS = /[\p{L}\p{M}\p{N}_]+|\s+|[^\p{L}\p{M}\p{N}_\s]/gu;
/** Scripts that put no spaces between words: their characters are compared one by one. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u;

/** The words, signs and white space of a text. Joined, they are the text. */
export function wordTokens(text: string): string[] {
  const tokens: string[] = [];
  for (const [token] of text.matchAll(TOKENS)) {
    if (UNSPACED.test(token)) for (const character of token) tokens.push(character);
    else tokens.push(token);
  }
  return tokens;
}

/** Whether a token is a word or a sign, and not white space. */
export function isWord(token: string): boolean {
  return token.trim() !== "";
}

/** The number of words and signs. */
export function countWords(tokens: readonly string[]): number {
  return tokens.reduce((count, token) => count + (isWord(token) ? 1 : 0), 0);
}

/** Longer texts in other scripts are counted without looking at each character. */
const MAX_EXACT = 200_000;
/** What a character of ASCII is, by its code. */
const [SPACE, WORD, SIGN] = [0, 1, 2];
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/\s/.test(character)) return SPACE;
  return /\w/.test(character) ? WORD : SIGN;
});

/** The number of words and signs of a text, without making tokens of it where it is ASCII or very long. */
export function countWordsOf(text: string): number {
  let count = 0;
  let isInWord = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127 && text.length <= MAX_EXACT) return countWords(wordTokens(text));
    const kind = KINDS[code] ?? WORD;
    if (kind === SIGN || (kind === WORD && !isInWord)) count++;
    isInWord = kind === WORD;
  }
  return count;
}
