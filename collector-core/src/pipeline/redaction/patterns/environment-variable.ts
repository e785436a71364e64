import { passMeaning } from "../key-meaning.js";
import { builtIn, findAll, type TextMatch } from "../pattern.js";
import { SECRET_NAME_SUFFIXES, SECRET_NAMES } from "../secret-names.js";
import { FEATURE } from "../text-features.js";
import { isIdentifier, isNumber, isReference, looksLikeToken } from "../value-form.js";
import { withoutTrailing } from "../without-trailing.js";
import {
  isExpression,
  isNoSecretToken,
  isPlaceholder,
  isSecretReference,
  isWord,
} from "./assigned-secret.js";

/** A variable in capitals at the beginning of a line, or after a space or a quote: `export DB_PASSWORD=`. */
const VARIABLE = /(?<=^|[\s"'`]|\\[nrt])([A-Z][A-Z\d_]{1,80})=/g;
const NAME = new RegExp(
  String.raw`(?:^|_|[A-Z])(?:${SECRET_NAMES.join("|")})(?:_(?:${SECRET_NAME_SUFFIXES.join("|")}))?$`,
  "i",
);
const BEFORE_VARIABLE = /(?:^|["'`\r\n]|\\[nr])(?:export )?$/;
const PWD_NAME = /PWD$/;
const PASS_NAME = /_PASS$/;
/** Keys of data, and keys that are public. */
const NO_SECRET_KEY =
  /(?:PUBLIC|PUBLISHABLE|PRIMARY|FOREIGN|PARTITION|SORT|CACHE|ROUTING|OBJECT|UNIQUE|IDEMPOTENCY|GROUP|INDEX)_KEY$/;
const MIN_LENGTH = 6;
const PATH = /^(?:[/~.\\]|[A-Za-z]:)/;

/** An unquoted value. A backslash before a letter of an escape is the end of a line within JSON. */
const BARE = /(?:[^\s"'`\\]|\\(?![nrt"'\\])|(?<=[^\s"'`\\=])["'](?=[^\s"'`\\,}\]:)])){1,4096}/y;
/** A value in quotes, or its beginning at the end of a text that was cut. */
const QUOTED = /(\\{0,3}(["']))((?:(?!\1)[^\r\n]){1,4096}?)(?:\1|$)/y;

/**
 * The value of an environment variable with the name of a secret. The value extends to the next space, or to the
 * closing quote: a symbol such as `;` or `&` does not end it.
 */
export const environmentVariable = builtIn({
  name: "secret",
  needs: FEATURE.environment,
  find: (text) =>
    findAll(text, VARIABLE, ({ 0: whole, 1: name = "", index }) => {
      const found = valueAt(text, index, index + whole.length);
      if (found === undefined) return undefined;
      const value = text.slice(found.start, found.end);
      if (isPlaceholder(value) || isExpression(text, found.start, value)) return undefined;
      return isSecretVariable(name, value) ? found : undefined;
    }),
});

function valueAt(text: string, nameStart: number, start: number): TextMatch | undefined {
  QUOTED.lastIndex = start;
  const quoted = QUOTED.exec(text);
  if (quoted !== null) {
    const { 1: quote = "", 3: value = "" } = quoted;
    return { start: start + quote.length, end: start + quote.length + value.length };
  }
  BARE.lastIndex = start;
  const bare = BARE.exec(text)?.[0];
  if (bare === undefined) return undefined;
  if (isPlaceholder(bare)) return undefined;
  // Within a line the variable can be part of a sentence.
  const value = withoutTrailing(bare, isInSentence(text, nameStart) ? ".,;:!?)]}" : ";");
  return { start, end: start + value.length };
}

/** True when neither a line break, nor a quote, nor `export` is before the name. */
function isInSentence(text: string, nameStart: number): boolean {
  return !BEFORE_VARIABLE.test(text.slice(Math.max(0, nameStart - 9), nameStart));
}

/** True if a variable of that name and value is secret. */
export function isSecretVariable(name: string, value: string): boolean {
  if (PASS_NAME.test(name)) return passMeaning(name)?.isSecretText?.(value) === true;
  if (!NAME.test(name)) return isProviderKey(name, value);
  if (PWD_NAME.test(name) && (!name.includes("_") || PATH.test(value))) return false;
  if (/TOKEN$/.test(name) && (isNoSecretToken(name) || isNumber(value))) return false;
  return value.length >= MIN_LENGTH && !isWord(value) && !isSecretReference(name, value);
}

/** True for the key of a provider with any name: `ACME_KEY=…`. */
function isProviderKey(name: string, value: string): boolean {
  if (!name.endsWith("_KEY") || NO_SECRET_KEY.test(name)) return false;
  return looksLikeToken(value) && !isReference(value) && !isIdentifier(value);
}
