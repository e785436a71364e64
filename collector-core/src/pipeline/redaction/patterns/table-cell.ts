import { builtIn, type TextMatch } from "../pattern.js";
import { SECRET_NAME_SUFFIXES, SECRET_NAMES } from "../secret-names.js";
import { FEATURE } from "../text-features.js";
import { hasPasswordForm, isIdentifier, isReference, looksLikeToken } from "../value-form.js";
import { isNoSecretToken, isPlaceholder } from "./assigned-secret.js";

/** A cell with a single word, which can be marked. */
const VALUE_CELL =
  /\|([ \t]{0,40}[*_`"']{0,3})([^\s|"'`]{8,512}?)[*_`"']{0,3}[ \t]{0,80}(?=\||[\r\n]|\\n|$|")/y;
/** The beginning of a row or of a cell up to the name of a secret, but not an expression in code. */
const NAME_CELL = new RegExp(
  String.raw`(^|[\r\n"|]|\\n)[^\r\n"|=(){};]{0,60}?(${SECRET_NAMES.join("|")})` +
    String.raw`(?:[-_ ]?(?:${SECRET_NAME_SUFFIXES.join("|")}))?:?[*_\x60"']{0,3}[ \t]{0,40}$`,
  "i",
);
const CELL_LENGTH = 120;
/** A type or an algorithm: `varchar(255)`, `argon2id`. */
const TYPE =
  /^(?:\w{1,30}\(\d[\d,]{0,9}\)|(?:argon2|bcrypt|scrypt|pbkdf2|sha|hmac|md|aes|rsa|ed|base|utf)[-_]?\w{0,30})$/i;

/** The value in the cell after the name of a secret, in a row of a Markdown table: `| password | … |`. */
export const tableCell = builtIn({ name: "secret", needs: FEATURE.cell, find: findCells });

function findCells(text: string): TextMatch[] {
  const found: TextMatch[] = [];
  for (let at = text.indexOf("|"); at >= 0; at = text.indexOf("|", at + 1)) {
    VALUE_CELL.lastIndex = at;
    const cell = VALUE_CELL.exec(text);
    if (cell === null) continue;
    const [, space = "", value = ""] = cell;
    const start = at + 1 + space.length;
    const isRow = text[at + cell[0].length] === "|";
    if (isSecret(value) && isNamed(text, at, isRow)) found.push({ start, end: start + value.length });
  }
  return found;
}

function isSecret(value: string): boolean {
  if (isPlaceholder(value) || TYPE.test(value) || isReference(value) || isIdentifier(value)) return false;
  return hasPasswordForm(value) || looksLikeToken(value);
}

/** @param isRow - true when the cell of the value is closed, so that the first cell of the row can lack its `|`. */
function isNamed(text: string, end: number, isRow: boolean): boolean {
  const before = text.slice(Math.max(0, end - CELL_LENGTH), end);
  const name = NAME_CELL.exec(before);
  if (name === null || (name[1] !== "|" && !isRow)) return false;
  return (
    !/token$/i.test(name[2] ?? "") ||
    !isNoSecretToken(before.slice(0, name.index + name[0].search(/token[^a-z]*$/i) + 5))
  );
}
