import { builtIn, findAll, type TextMatch } from "../pattern.js";
import { SECRET_NAMES } from "../secret-names.js";
import { FEATURE } from "../text-features.js";
import { isPlaceholder, isWord, NO_SECRET_TOKEN } from "./assigned-secret.js";
import { withoutTrailing } from "../without-trailing.js";

/** `--password x`, `--api-key=x`, and as a list of arguments has it: `"--token", "x"`. */
const OPTION = new RegExp(
  String.raw`(?<![\w-])--(?:[a-z\d]{1,30}[-_]){0,3}?(?:${SECRET_NAMES.join("|")}|pass|cookie)` +
    String.raw`(?:["'\\]{1,4}\s?,\s{0,4}(["'\\]{1,4})|(?:\s{1,4}|=)(["'\\]{0,4}))`,
  "gi",
);
const NAME_END = /^--(.*?)(?:["'\\\s=]|$)/s;
const VALUE = /[^\s"'\\]{1,4096}/y;
const QUOTED_VALUE = /[^"'\\\r\n]{1,4096}/y;
const MIN_LENGTH = 4;

/** The value of an option of a command that is called like a secret. */
export const secretOption = builtIn({
  name: "secret",
  needs: FEATURE.option,
  find: (text) =>
    findAll(text, OPTION, ({ 0: whole, 1: listQuote, 2: quote, index }) => {
      const name = NAME_END.exec(whole)?.[1] ?? "";
      if (/token$/i.test(name) && NO_SECRET_TOKEN.test(name.slice(0, -"token".length))) return false;
      return valueAt(text, index + whole.length, (listQuote ?? quote ?? "") !== "");
    }),
});

function valueAt(text: string, start: number, isQuoted: boolean): TextMatch | undefined {
  const expression = isQuoted ? QUOTED_VALUE : VALUE;
  expression.lastIndex = start;
  const found = expression.exec(text)?.[0];
  if (found === undefined || found.startsWith("-") || isPlaceholder(found)) return undefined;
  if (isQuoted) return { start, end: start + found.length };
  // In prose a word follows: `the --password option`.
  const value = withoutTrailing(found, ".,;:!?)]}");
  return value.length < MIN_LENGTH || isWord(value) || isPlaceholder(value)
    ? undefined
    : { start, end: start + value.length };
}

/** `curl -u user:password`. */
const USER = new RegExp(
  String.raw`(?<![\w-])(?:-u\s{0,2}|--(?:proxy-)?user(?:\s{1,2}|=))` +
    String.raw`(?:["'\\]{1,4}([^"'\\\r\n:$<{]{1,256}:[^"'\\\r\n]{1,1024})|([^\s"'\\:$<{]{1,256}:[^\s"'\\]{1,1024}))`,
  "g",
);
/** So far before it the command is looked for. */
const COMMAND_DISTANCE = 300;
const COMMAND = /(?<!\w)(?:curl|wget|httpie|xh)(?![\w-])/i;

/** The user and the password that a request is made with. Other commands have other options `-u`. */
export const requestUser = builtIn({
  name: "credentials",
  needs: FEATURE.option,
  find: (text) =>
    findAll(text, USER, ({ 0: whole, 1: quoted, 2: bare, index }) => {
      const value = quoted ?? bare ?? "";
      if (!COMMAND.test(text.slice(Math.max(0, index - COMMAND_DISTANCE), index))) return false;
      if (isPlaceholder(value.slice(value.indexOf(":") + 1))) return false;
      const end = index + whole.length;
      return { start: end - value.length, end };
    }),
});
