import { HIDDEN_CHARACTERS } from "../../runtime/hidden-characters.js";

/** A letter has few marks. More of them would be drawn over the lines around. */
const MARKS = /([\p{M}\u200c\u200d]{8})[\p{M}\u200c\u200d]+/gu;

/** A text of a sender without effect on the terminal. Line breaks and tabs stay. */
export function safeText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(HIDDEN_CHARACTERS, escaped).replace(MARKS, "$1");
}

/** The same in one line. */
export function safeLine(text: string): string {
  return safeText(text.trim().replace(/\s+/g, " "));
}

/** A value as JSON in one line, in which such characters are escaped too. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(HIDDEN_CHARACTERS, (character) =>
    Array.from({ length: character.length }, (_, index) => unitEscape(character.charCodeAt(index))).join(""),
  );
}

function unitEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}

/** `\x1b`, `\u202e`, `\u{e0041}`. */
function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x1_00) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x1_00_00 ? unitEscape(code) : `\\u{${hex}}`;
}
