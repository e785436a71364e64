import { isTruncated, type LongText } from "../values.js";
import { STEP_LENGTH, type Steps } from "../in-steps.js";

/**
 * Estimates the tokens of a text by its characters. Only the proportions of the estimates count: they are scaled to the input
 * tokens that the provider reports. A tokenizer would not give the true numbers either, because providers add tokens of their
 * own, and its vocabulary takes a megabyte for each family of models.
 */
export function estimateTokens(text: LongText): number {
  if (typeof text === "string") return estimateRange(text, 0, text.length);
  const { preview, bytes } = text;
  const previewBytes = utf8Length(preview);
  return previewBytes === 0 ? 0 : (estimateTokens(preview) * bytes) / previewBytes;
}

/** The same in steps. */
export function* estimateInSteps(text: string): Steps<number> {
  let tokens = 0;
  for (let at = 0; at < text.length; at += STEP_LENGTH) {
    tokens += estimateRange(text, at, Math.min(text.length, at + STEP_LENGTH));
    if (text.length > STEP_LENGTH) yield;
  }
  return tokens;
}

/** Tokens of a word of the length, and of each further group of letters. */
const WORD_LETTERS = 7;
const GROUP_LETTERS = 4;
const GROUP_DIGITS = 3;
/** Tokens of a character. */
const SIGN = 0.62;
const LINE_BREAK = 0.7;
const LETTER = 0.4;
const IDEOGRAPH = 0.85;
const SURROGATE = 1;

/** The same for a range of a text. A word that the range cuts counts as two. */
function estimateRange(text: string, from: number, to: number): number {
  let tokens = 0;
  let letters = 0;
  let digits = 0;
  let wasBreak = false;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    const lower = code | 0x20;
    const isLetter = lower >= 0x61 && lower <= 0x7a;
    const isDigit = code >= 0x30 && code <= 0x39;
    if (letters > 0 && !isLetter) {
      tokens += wordTokens(letters);
      letters = 0;
    }
    if (digits > 0 && !isDigit) {
      tokens += Math.ceil(digits / GROUP_DIGITS);
      digits = 0;
    }
    const isBreak = code === 0x0a;
    if (isLetter) letters++;
    else if (isDigit) digits++;
    else if (isBreak) tokens += wasBreak ? 0 : LINE_BREAK;
    else if (code > 0x20) tokens += otherTokens(code);
    if (isBreak || code > 0x20) wasBreak = isBreak;
  }
  return tokens + (letters > 0 ? wordTokens(letters) : 0) + Math.ceil(digits / GROUP_DIGITS);
}

function wordTokens(letters: number): number {
  return letters <= WORD_LETTERS ? 1 : 1 + (letters - WORD_LETTERS) / GROUP_LETTERS;
}

function otherTokens(code: number): number {
  if (code < 0x80) return SIGN;
  if (code < 0x2e80) return LETTER;
  return code >= 0xd800 && code <= 0xdfff ? SURROGATE : IDEOGRAPH;
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** The characters of a text, or the bytes of a truncated one. */
export function sizeOf(text: LongText): number {
  return isTruncated(text) ? text.bytes : text.length;
}
