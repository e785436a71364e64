import { HIDDEN_CHARACTERS } from "../../../runtime/hidden-characters.js";

/** Each chooses a variant of the character before it. Any text can be written in them. */
const VARIANT_SELECTORS = /[\u{e0000}-\u{e0fff}]/gu;

/** The text with characters that nobody sees written out, such as `\u{202e}`: hidden words would reach a model alone. */
export function visibleText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(HIDDEN_CHARACTERS, writtenOut)
    .replace(VARIANT_SELECTORS, writtenOut);
}

function writtenOut(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
