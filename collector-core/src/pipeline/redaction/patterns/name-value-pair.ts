import { passMeaning } from "../key-meaning.js";
import { builtIn, findAll } from "../pattern.js";
import { FEATURE } from "../text-features.js";
import { isState, looksLikeToken } from "../value-form.js";
import {
  isExpression,
  isNoSecretToken,
  isPlaceholder,
  isSecretKey,
  isSecretReference,
  isWord,
} from "./assigned-secret.js";

const NAME_KEY = String.raw`(?<![\w-])(?:name|key|header|field)["'\\]{0,4}\s{0,4}[:=]\s{0,4}["'\\]{0,4}([\w .:-]{1,64})`;
/** `"value": "…"`, `value="…"`, and `value: …` of YAML. */
const VALUE =
  /(?<![\w-])val(?:ue)?["'\\]{0,4}\s{0,4}[:=]\s{0,4}(?:(\\{0,3}["'])([^"'\\\r\n]{4,4096})(?=\\{0,3}["'])|([^\s"'\\,;{}]{8,4096}))/gi;
/** The space between both parts. A `-` begins the next item of a YAML list. */
const BETWEEN = String.raw`["'\\]{0,4}(?:[\s,;]|\\[nrt]){1,40}["'\\]{0,4}`;
const NAME_BEFORE = new RegExp(`${NAME_KEY}${BETWEEN}$`, "i");
const NAME_AFTER = new RegExp(`${BETWEEN}${NAME_KEY}`, "iy");
/** Number of characters before the value that are searched for the name. */
const NAME_DISTANCE = 140;
/** Types of a schema: `varchar(255)`. */
const TYPE = /^\w{3,20}\(\d{1,6}\)$/;

/** The value in a pair of a name and a value: `{"name":"password","value":"…"}`, `<add key="password" value="…" />`. */
export const pairedSecret = builtIn({
  name: "secret",
  needs: FEATURE.pair,
  find: (text) =>
    findAll(text, VALUE, ({ 0: whole, 2: quoted, 3: bare, index }) => {
      const value = quoted ?? bare ?? "";
      const end = index + whole.length;
      const start = end - value.length;
      if (isPlaceholder(value) || isWord(value) || TYPE.test(value)) return false;
      if (quoted === undefined && isExpression(text, start, value)) return false;
      const name = nameBefore(text, index) ?? nameAfter(text, end);
      return name !== undefined && isSecretPair(name.trim(), value) && { start, end };
    }),
});

function nameBefore(text: string, at: number): string | undefined {
  return NAME_BEFORE.exec(text.slice(Math.max(0, at - NAME_DISTANCE), at))?.[1];
}

function nameAfter(text: string, at: number): string | undefined {
  NAME_AFTER.lastIndex = at;
  return NAME_AFTER.exec(text)?.[1];
}

function isSecretPair(name: string, value: string): boolean {
  if (isSecretKey(name)) return !isState(value) && !/\s/.test(value) && !isSecretReference(name, value);
  if (/token$/i.test(name)) return !isNoSecretToken(name) && looksLikeToken(value);
  return passMeaning(name)?.isSecretText?.(value) === true;
}
