import { estimateTokens } from "../../../analysis/context/estimate-tokens.js";

/** Characters of a token at most. */
const CHARACTERS = 4;

/** An upper estimate of the tokens of a text: four characters a token, or more tokens by the kinds of its characters. */
export function tokenBound(text: string): number {
  return Math.max(text.length / CHARACTERS, estimateTokens(text));
}

/** The longest beginning of a text that has no more tokens. Does not cut a character in two. */
export function beginningWithin(text: string, maxTokens: number, bound = tokenBound): string {
  let length = Math.min(text.length, Math.max(0, Math.floor(maxTokens * CHARACTERS)));
  for (;;) {
    const cut = isPairAt(text, length) ? length - 1 : length;
    const beginning = text.slice(0, cut);
    const tokens = bound(beginning);
    if (tokens <= maxTokens || cut <= 0) return cut <= 0 ? "" : beginning;
    length = Math.min(cut - 1, Math.floor((cut * maxTokens) / tokens));
  }
}

function isPairAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff;
}
