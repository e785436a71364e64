import { builtIn, findAll, type TextMatch } from "../pattern.js";
import { SECRET_NAME_SUFFIXES, SECRET_NAMES, STRONG_SECRET_NAMES } from "../secret-names.js";
import { FEATURE } from "../text-features.js";
import { withoutTrailing } from "../without-trailing.js";

/** What stands before `token` where it is one of a text or a page. */
export const NO_SECRET_TOKEN =
  /(?:next|page|sync|continuation|eos|bos|pad|unk|sep|cls|mask|special|stop|start|cancell?ation)[-_ ]?$/i;

/** How a path begins. */
const PATH = /^(?:[/~.\\]|[A-Za-z]:)/;

/** A name, what closes its quotes or brackets, and what assigns: `"password": "`, `config["token"] = '`, `pwd is `. */
const ASSIGNMENT = new RegExp(
  String.raw`(${SECRET_NAMES.join("|")})(?:[-_ ]?(?:${SECRET_NAME_SUFFIXES.join("|")}))?[\\"'\`\]]{0,6}\s{0,4}` +
    String.raw`(?::=|=>|={1,3}|:|\sis\s{1,4}:?)\s{0,4}(?:(?:str|string)\s{0,4}=\s{0,4})?\\{0,3}(["'\`]?)`,
  "gi",
);
const VALUE = /[^\s"'`,;&<>()[\]{}|\\]{8,4096}/y;
const QUOTED_VALUE = /[^\s"'`\\]{8,4096}/y;
const MIN_LENGTH = 8;

/** What stands for a value rather than being one: `${KEY}`, `<your-key>`, `%s`, `****`, `[SECRET]`. */
const PLACEHOLDER = /^(?:\$[\w({]|\{\{|%[\w({]|<[^>]*>$|(.)\1*$|\[[A-Z0-9_]+\])/;
/** A value from somewhere else: `process.env.KEY`, `getPassword(`, `settings["key"]`. */
const EXPRESSION =
  /^(?:process|os|env|config|settings|options|self|this|request|req|args|ctx|context|secrets|params|props)(?:\.|$)/i;
const CALL_OR_INDEX = /^[A-Za-z_$][\w$.-]*$/;
/** `token.value`: no digit, and names only. */
const PROPERTY = /^[A-Za-z_$]+(?:\??\.[A-Za-z_$]+)+$/;

/**
 * A value that is assigned to the name of a secret: `password=…`, `"api_key": "…"`, `client_secret: …`. Only the value
 * is a match: at least eight characters without spaces, with a digit or a symbol among them.
 */
export const assignedSecret = builtIn({
  name: "secret",
  needs: FEATURE.assignment,
  find: (text) =>
    findAll(text, ASSIGNMENT, (match) => {
      const name = match[1]?.toLowerCase();
      const before = text.slice(Math.max(0, match.index - 16), match.index);
      if (name === "token" && NO_SECRET_TOKEN.test(before)) return false;
      const behind = text.slice(match.index + match[0].length, match.index + match[0].length + 3);
      if (name === "pwd" && PATH.test(behind)) return false;
      return valueAt(text, match.index + match[0].length, match[2] ?? "");
    }),
});

function valueAt(text: string, start: number, quote: string): TextMatch | undefined {
  const expression = quote === "" ? VALUE : QUOTED_VALUE;
  expression.lastIndex = start;
  const value = expression.exec(text)?.[0];
  if (value === undefined || PLACEHOLDER.test(value)) return undefined;
  const next = text[start + value.length] ?? "";
  if (quote === "") {
    // In prose a value may end a sentence; in code it may be a call, or an element of something.
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

/** True for what stands for a value rather than being one. */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value);
}

/** Letters alone are a word. */
export function isWord(value: string): boolean {
  return /^\p{L}+$/u.test(value);
}

/** The names, for the keys of objects. */
export const SECRET_NAME = new RegExp(SECRET_NAMES.join("|"), "i");

const STRONG_KEY = new RegExp(String.raw`(?:${STRONG_SECRET_NAMES.join("|")}|cookie)s?$`, "i");

/** True for the key of an object whose value is secret as a whole: `password`, `x-api-key`, `clientSecret`, `secrets`. */
export function isSecretKey(key: string): boolean {
  return STRONG_KEY.test(key);
}
