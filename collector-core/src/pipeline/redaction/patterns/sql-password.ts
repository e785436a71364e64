import { builtIn, findAll } from "../pattern.js";
import { FEATURE } from "../text-features.js";
import { isIdentifier } from "../value-form.js";
import { isPlaceholder, isWord } from "./assigned-secret.js";

/** `IDENTIFIED BY '…'`, `WITH PASSWORD '…'`. */
const PASSWORD =
  /(?<![\w-])(?:identified by|password)\s{1,4}(?:(?:by|as|password)\s{1,4})?'([^'\\\r\n]{4,1024})'/gi;

/** The password of a user in a statement of SQL. */
export const sqlPassword = builtIn({
  name: "secret",
  needs: FEATURE.exactName,
  find: (text) =>
    findAll(text, PASSWORD, ({ 0: whole, 1: value = "", index }) => {
      if (/\s/.test(value) || isWord(value) || isIdentifier(value) || isPlaceholder(value)) return false;
      const end = index + whole.length - 1;
      return { start: end - value.length, end };
    }),
});
