import { copyText } from "../../../span/kept-text.js";

/** A character that is assigned to nothing. It marks a text that is stored as JSON. */
const MARK = "\uFFFF";
const MARK_CODE = 0xffff;

/**
 * The form in which SQLite keeps a text. SQLite ends a text at a NUL, and UTF-8 has no lone surrogates: such texts are kept as
 * JSON, after a mark. Equal texts have equal forms, so that comparisons in SQL hold.
 */
export function toStoredText(text: string): string {
  const isKept = text.isWellFormed() && !text.includes("\0") && text.charCodeAt(0) !== MARK_CODE;
  return isKept ? text : MARK + JSON.stringify(text);
}

/** The text of a form. */
export function fromStoredText(stored: string): string {
  if (stored.charCodeAt(0) !== MARK_CODE) return stored;
  return JSON.parse(copyText(stored.slice(MARK.length))) as string;
}
