import { builtIn, findAll, type TextMatch } from "../pattern.js";
import { passMeaning } from "../key-meaning.js";
import { SECRET_NAMES } from "../secret-names.js";
import { FEATURE } from "../text-features.js";
import { isIdentifier, isNumber, isWordPassword } from "../value-form.js";
import { withoutTrailing } from "../without-trailing.js";
import { isNoSecretToken, isPlaceholder, isWord, isSecretReference } from "./assigned-secret.js";

/** `--password x`, `--api-key=x`, and `"--token", "x"` in a list of arguments. */
const OPTION = new RegExp(
  String.raw`(?<![\w-])--(?:[a-z\d]{1,30}[-_]){0,3}?(?:${SECRET_NAMES.join("|")}|pass|cookie)` +
    String.raw`(?:["'\\]{1,4}\s?,\s{0,4}(["'\\]{1,4})|(?:\s{1,4}|=)(["'\\]{0,4}))`,
  "gi",
);
const NAME_END = /^--(.*?)(?:["'\\\s=]|$)/s;
const VALUE = /[^\s"'\\]{1,4096}/y;
const QUOTED_VALUE = /[^"'\\\r\n]{1,4096}/y;
const MIN_LENGTH = 4;

/** The value of a command-line option with the name of a secret. */
export const secretOption = builtIn({
  name: "secret",
  needs: FEATURE.option,
  find: (text) =>
    findAll(text, OPTION, ({ 0: whole, 1: listQuote, 2: quote, index }) => {
      const name = NAME_END.exec(whole)?.[1] ?? "";
      const found = optionValueAt(text, index + whole.length, (listQuote ?? quote ?? "") !== "");
      if (found === undefined) return undefined;
      const before = text.slice(Math.max(0, index - USER_DISTANCE), index);
      return isSecretValue(name, text.slice(found.start, found.end), before) ? found : undefined;
    }),
});

/**
 * Returns the value of an option, but not a plain word.
 *
 * @param trailing - characters at the end of an unquoted value that do not belong to it.
 */
export function optionValueAt(
  text: string,
  start: number,
  isQuoted: boolean,
  trailing = ".,;:!?)]}",
): TextMatch | undefined {
  const expression = isQuoted ? QUOTED_VALUE : VALUE;
  expression.lastIndex = start;
  const found = expression.exec(text)?.[0];
  if (found === undefined || found.startsWith("-") || isPlaceholder(found)) return undefined;
  if (isQuoted) return { start, end: start + found.length };
  // In prose a plain word follows: `the --password option`.
  const value = withoutTrailing(found, trailing);
  return value.length < MIN_LENGTH || isWord(value) || isPlaceholder(value)
    ? undefined
    : { start, end: start + value.length };
}

/** A field of `docker build --secret id=npmrc,src=.npmrc`. */
const FIELD = /^(?:id|type|source|src|target|env|name)=/i;
const TOKEN_NAME = /token$/i;
const SECRET_OR_CREDENTIALS = /^(?:secret|credentials?)$/i;
const USER_OPTION = /(?<![\w-])--?(?:u|user|username|login|host)[\s=]/i;
/** Number of characters before `--pass` that are searched for a user option. */
const USER_DISTANCE = 120;

function isSecretValue(name: string, value: string, before: string): boolean {
  if (TOKEN_NAME.test(name) && (isNoSecretToken(name) || isNumber(value))) return false;
  if (isSecretReference(name, value)) return false;
  // The value can be the name of a stored secret: `--secret db-password`.
  if (SECRET_OR_CREDENTIALS.test(name) && (FIELD.test(value) || isIdentifier(value))) return false;
  if (!/(?:^|[-_])pass$/i.test(name)) return true;
  const meaning = passMeaning(name);
  if (meaning === undefined) return false;
  return USER_OPTION.test(before) ? isWordPassword(value) : meaning.isSecretText?.(value) === true;
}

/** `curl -u user:password`. */
const USER = new RegExp(
  String.raw`(?<![\w-])(?:-u\s{0,2}|--(?:proxy-)?user(?:\s{1,2}|=))` +
    String.raw`(?:["'\\]{1,4}([^"'\\\r\n:$<{]{1,256}:[^"'\\\r\n]{1,1024})|([^\s"'\\:$<{]{1,256}:[^\s"'\\]{1,1024}))`,
  "g",
);
/** Number of characters before the option that are searched for the command. */
export const COMMAND_DISTANCE = 300;
/** The text up to the last command. */
const COMMAND = /^.*(?<!\w)(?:curl|wget|httpie|xh)(?![\w-])/is;
const QUOTED = /"[^"]*"|'[^']*'/g;
/**
 * The end of a command. A line break after a continuation character is part of the command. In JSON and in nested
 * JSON a line break has one or two backslashes; after a continuation backslash it has three times as many.
 */
const END_OF_COMMAND = /[;|&]|(?<![\\^`])\r?\n|(?<!\\)\\{1,2}n|[.!?]\s+\p{Lu}/u;
/** User and group of a container: `1000:1000`. */
const USER_AND_GROUP = /^\d+:\d+$/;

/** User and password of an HTTP request. Other commands use `-u` for other purposes. */
export const requestUser = builtIn({
  name: "credentials",
  needs: FEATURE.option,
  find: (text) =>
    findAll(text, USER, ({ 0: whole, 1: quoted, 2: bare, index }) => {
      const value = quoted ?? bare ?? "";
      if (!isInCommand(text.slice(Math.max(0, index - COMMAND_DISTANCE), index), COMMAND)) return false;
      if (isPlaceholder(value.slice(value.indexOf(":") + 1)) || USER_AND_GROUP.test(value)) return false;
      const end = index + whole.length;
      return { start: end - value.length, end };
    }),
});

/**
 * True when the text ends within a command.
 *
 * @param command - matches the text up to the last such command.
 */
export function isInCommand(before: string, command: RegExp): boolean {
  const match = command.exec(before)?.[0];
  if (match === undefined) return false;
  return !END_OF_COMMAND.test(before.slice(match.length).replace(QUOTED, ""));
}
