import { builtIn, findAll } from "../pattern.js";
import { FEATURE } from "../text-features.js";
import { isPlaceholder, isSecretKey, SECRET_NAME } from "./assigned-secret.js";

const ELEMENT = /<([\w:.-]{1,60})(?:\s[^<>]{0,200})?>([^<>]{1,4096})<\\{0,2}\/\1\s{0,4}>/g;
const SHORT_NAME = /(?:^|[:._-])(?:token|pwd|pass)$/i;

/** The text of an element that is called like a secret: `<password>…</password>`. */
export const secretElement = builtIn({
  name: "secret",
  needs: FEATURE.element,
  find: (text) =>
    findAll(text, ELEMENT, ({ 1: name = "", 2: content = "", index, 0: whole }) => {
      if (!isSecretKey(name) && !SHORT_NAME.test(name)) return false;
      const value = content.trim();
      // A label says what is asked for: `<Password>Enter your password</Password>`.
      if (value === "" || isPlaceholder(value) || (/\s/.test(value) && SECRET_NAME.test(value))) return false;
      const start = index + whole.indexOf(">") + 1 + content.indexOf(value);
      return { start, end: start + value.length };
    }),
});
