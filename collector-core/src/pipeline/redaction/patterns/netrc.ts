import { builtIn, findAll } from "../pattern.js";
import { FEATURE } from "../text-features.js";
import { isIdentifier } from "../value-form.js";
import { withoutTrailing } from "../without-trailing.js";
import { isPlaceholder, isWord } from "./assigned-secret.js";

const GAP = String.raw`(?:\s|\\[nrt]){1,12}`;
const PASSWORD = new RegExp(
  String.raw`(?<![\w-])login${GAP}[^\s"\\]{1,128}${GAP}(?:account${GAP}[^\s"\\]{1,128}${GAP})?password${GAP}(?=([^\s"\\]{1,256}))`,
  "g",
);
const MIN_LENGTH = 4;

/** The password in a file `.netrc`: `machine example.com login ann password …`. */
export const netrcPassword = builtIn({
  name: "secret",
  needs: FEATURE.exactName,
  find: (text) =>
    findAll(text, PASSWORD, ({ 0: whole, 1: found = "", index }) => {
      const value = withoutTrailing(found, ".,;:!?)");
      if (value.length < MIN_LENGTH || isWord(value) || isIdentifier(value) || isPlaceholder(value))
        return false;
      if (/^[([{<'`-]/.test(value)) return false;
      // The value is not part of the match: it may be the next `login`.
      const start = index + whole.length;
      return { start, end: start + value.length };
    }),
});
