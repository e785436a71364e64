import { passMeaning } from "../key-meaning.js";
import { builtIn, findAll } from "../pattern.js";
import { FEATURE } from "../text-features.js";
import { isReference, isWordPassword, looksLikeToken, isState } from "../value-form.js";
import { isNoSecretToken, isPlaceholder, isSecretKey, SECRET_NAME } from "./assigned-secret.js";

const ELEMENT = /<([\w:.-]{1,60})(?:\s[^<>]{0,200})?>([^<>]{1,4096})<\\{0,2}\/\1\s{0,4}>/g;
const TOKEN_NAME = /(?:^|[:._-])token$/i;
const PWD_NAME = /(?:^|[:._-])pwd$/i;
const PLURAL_NAME = /s$/i;
/** Elements that precede the password of an account. */
const END_OF_USER = /<\/(?:[\w-]{1,40}:)?(?:user|user_?name|login|email|host)>\s{0,20}$/i;
const END_OF_USER_LENGTH = 80;

/** The text of an element with the name of a secret: `<password>…</password>`. */
export const secretElement = builtIn({
  name: "secret",
  needs: FEATURE.element,
  find: (text) =>
    findAll(text, ELEMENT, ({ 1: name = "", 2: content = "", index, 0: whole }) => {
      const value = content.trim();
      if (value === "" || isPlaceholder(value)) return false;
      const before = text.slice(Math.max(0, index - END_OF_USER_LENGTH), index);
      if (!isSecretContent(name, value, before)) return false;
      const start = index + whole.indexOf(">") + 1 + content.indexOf(value);
      return { start, end: start + value.length };
    }),
});

function isSecretContent(name: string, value: string, before: string): boolean {
  if (isSecretKey(name)) {
    if (PLURAL_NAME.test(name) && isState(value)) return false;
    // The text can be a label of a form: `<Password>Enter your password</Password>`.
    return !/^(?:true|false|null)$/i.test(value) && !(/\s/.test(value) && SECRET_NAME.test(value));
  }
  if (TOKEN_NAME.test(name)) return !isNoSecretToken(name) && looksLikeToken(value);
  if (PWD_NAME.test(name)) return isWordPassword(value) && !isReference(value);
  // `<pass>` can also contain the verdict of a judge.
  const meaning = passMeaning(name);
  if (meaning === undefined) return false;
  return END_OF_USER.test(before) ? isWordPassword(value) : meaning.isSecretText?.(value) === true;
}
