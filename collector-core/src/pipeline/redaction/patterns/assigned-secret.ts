import { builtIn, findAll, hasReplacement, type TextMatch } from "../pattern.js";
import { blockScalarAt } from "../block-scalar.js";
import { SECRET_NAME_SUFFIXES, SECRET_NAMES, STRONG_SECRET_NAMES } from "../secret-names.js";
import { FEATURE } from "../text-features.js";
import { isNumber, isReference } from "../value-form.js";
import { withoutTrailing } from "../without-trailing.js";

/** Prefixes of `token` that denote a text token or a page cursor. */
const NO_SECRET_TOKEN =
  /(?:next|prev|previous|page|pagination|cursor|resume|scroll|sync|continuation|eos|bos|pad|unk|sep|cls|mask|special|stop|start|starting|first|last|cancell?ation)[-_ ]?$/i;

/** True for the name of a text token or a page cursor: `next_page_token`. */
export function isNoSecretToken(name: string): boolean {
  return NO_SECRET_TOKEN.test(name.slice(0, -"token".length));
}

/** The beginning of a path. */
const PATH = /^(?:[/~.\\]|[A-Za-z]:)/;

const PASSWORD_NAME = /pass(?:word|wd|phrase|code)$|pwd$/i;

/**
 * True for a reference to a secret, such as a file: `--credentials ./creds.json`. The value of a
 * password is never a reference, because a password can look like a path.
 */
export function isSecretReference(name: string, value: string): boolean {
  return !PASSWORD_NAME.test(name) && isReference(value);
}

/** A command-line option before the name of a secret; {@link secretOption} handles its value. */
const OPTION = /(?<![\w-])--(?:[a-z\d]{1,30}[-_]){0,3}$/i;
const OPTION_LENGTH = 96;

/** Spaces around an assignment, which can be aligned. */
const GAP = String.raw`(?:[ \t]{0,40}|\s{0,4})`;
/**
 * A name, closing quotes, brackets or Markdown marks, and an assignment: `"password": "`, `config["token"] = '`,
 * `**Password:** `, `pwd is `, `the password is: `.
 */
const ASSIGNMENT = new RegExp(
  String.raw`(${SECRET_NAMES.join("|")})(?:[-_ ]?(?:${SECRET_NAME_SUFFIXES.join("|")}))?[\\"'\`\]*_]{0,6}${GAP}` +
    String.raw`(?::=|=>|={1,3}|:|\sis(?:\s{1,4}:?|:))(?:[*_]{1,3}(?=\s))?${GAP}` +
    String.raw`(?:(?:str|string)\s{0,4}=\s{0,4})?\\{0,3}(["'\`]?)`,
  "gi",
);
const VALUE = /[^\s"'`,;&<>()[\]{}|\\]{8,4096}/y;
/** A value in a connection string ends only at a semicolon: `Server=db;Password=…;`. */
const FIELD_VALUE = /[^\s"'`;\\]{8,4096}/y;
const BEFORE_FIELD = /;\s?$/;
const QUOTED_VALUE = /[^\s"'`\\]{8,4096}/y;
const MIN_LENGTH = 8;

/** A placeholder for a value: `${KEY}`, `<your-key>`, `%s`, `****`, `[SECRET]`. */
const PLACEHOLDER = /^(?:\$[\w({]|\{\{|%[\w({]|<[^>]*>$|(.)\1*$|\[[A-Z0-9_]+\])/;
/** An expression that reads the value: `process.env.KEY`, `getPassword(`, `settings["key"]`. */
const EXPRESSION =
  /^(?:process|os|env|config|settings|options|self|this|request|req|args|ctx|context|secrets|params|props)(?:\.|$)/i;
const CALL_OR_INDEX = /^[A-Za-z_$][\w$.-]*$/;
/** A call or an index expression: `getpass.getpass()`, `environ["KEY"]`. */
const CALL =
  /[A-Za-z_$][\w$.]{0,128}(?:\[\\{0,3}["']|\(\\{0,3}["')]|(?:\([^\s"'\\]{0,256}\)|\[[^\s"'\\]{0,256}\])[;,]?(?=[\s"'\\]|$))/y;
/** A property path without digits: `token.value`. */
const PROPERTY = /^[A-Za-z_$]+(?:\??\.[A-Za-z_$]+)+$/;

/**
 * A value that is assigned to the name of a secret: `password=…`, `"api_key": "…"`, `client_secret: …`. The match is
 * the value alone: at least eight characters without spaces, including a digit or a symbol.
 */
export const assignedSecret = builtIn({
  name: "secret",
  needs: FEATURE.assignment,
  find: (text) =>
    findAll(text, ASSIGNMENT, ({ 0: whole, 1: name = "", 2: quote = "", index }) => {
      const isToken = /^token$/i.test(name);
      if (isToken && isNoSecretToken(text.slice(Math.max(0, index - 16), index) + name)) return false;
      const start = index + whole.length;
      if (/^pwd$/i.test(name) && PATH.test(text.slice(start, start + 3))) return false;
      const isField =
        quote === "" && whole.endsWith("=") && BEFORE_FIELD.test(text.slice(Math.max(0, index - 2), index));
      const found = valueAt(text, start, quote, isField) ?? blockAt(text, index, start);
      if (found === undefined) return undefined;
      const value = text.slice(found.start, found.end);
      // A price or a time per token: `cost_per_token: 0.0000025`.
      if (isToken && isNumber(withoutTrailing(value, "."))) return false;
      if (isSecretReference(name, value)) return false;
      const isOption =
        whole[name.length] === "=" && OPTION.test(text.slice(Math.max(0, index - OPTION_LENGTH), index));
      return isOption ? false : found;
    }),
});

function valueAt(text: string, start: number, quote: string, isField: boolean): TextMatch | undefined {
  const expression = quote !== "" ? QUOTED_VALUE : isField ? FIELD_VALUE : VALUE;
  expression.lastIndex = start;
  const value = expression.exec(text)?.[0];
  if (value === undefined || PLACEHOLDER.test(value)) return undefined;
  if (isField && isExpression(text, start, value)) return undefined;
  const next = text[start + value.length] ?? "";
  if (quote === "") {
    // In prose the value can end a sentence. In code it can be a call or an index expression.
    const bare = withoutTrailing(value, ".!?:");
    if (
      EXPRESSION.test(bare) ||
      PROPERTY.test(bare) ||
      ("([{<".includes(next) && next !== "" && CALL_OR_INDEX.test(bare))
    )
      return undefined;
    const isPlain = text[start - 1] === "=" ? isWord(value) : isWord(bare);
    if (bare.length < MIN_LENGTH || isPlain) return undefined;
  } else if (isWord(value) || /\s/.test(next)) return undefined;
  return { start, end: start + value.length };
}

/** Returns the lines of a YAML block scalar: `password: >-`. */
function blockAt(text: string, nameStart: number, start: number): TextMatch | undefined {
  const block = blockScalarAt(text, nameStart, start);
  if (block === undefined) return undefined;
  const value = text.slice(block.start, block.end);
  return value.length < MIN_LENGTH || isPlaceholder(value) || isWord(value) ? undefined : block;
}

/** True for a value that code reads or calls: `process.env.KEY`, `getPassword("db")`, `settings["key"]`. */
export function isExpression(text: string, start: number, value: string): boolean {
  const bare = withoutTrailing(value, ";,");
  if (EXPRESSION.test(bare) || PROPERTY.test(bare)) return true;
  CALL.lastIndex = start;
  return CALL.test(text);
}

/** True for a placeholder, and for a value in which another pattern has replaced something. */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || hasReplacement(value);
}

/** True for a text of letters only. */
export function isWord(value: string): boolean {
  return /^\p{L}+$/u.test(value);
}

/** Matches a secret's name within an object key or a replacement. */
export const SECRET_NAME = new RegExp(SECRET_NAMES.join("|"), "i");

const STRONG_KEY = new RegExp(String.raw`(?:${STRONG_SECRET_NAMES.join("|")}|cookie)s?$`, "i");

/** True for an object key whose whole value is secret: `password`, `x-api-key`, `clientSecret`, `secrets`. */
export function isSecretKey(key: string): boolean {
  return STRONG_KEY.test(key);
}
