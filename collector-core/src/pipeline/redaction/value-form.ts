/** Checks of the form of a value whose name is ambiguous: it can be a secret or something harmless. */

const MAX_PASSWORD_LENGTH = 256;
const MIN_PASSWORD_LENGTH = 6;

/** Verdicts of tests and judges, and placeholders. */
const VERDICT =
  /^(?:pass(?:ed|es)?|fail(?:ed|s|ure)?|yes|no|true|false|ok|none|null|n\/a|unknown|partial(?:ly)?|mostly|warn(?:ing)?|skip(?:ped)?|\W*|\d{1,3}(?:\.\d+)?%?)$/i;
/** `2nd-round`, `round2`, `v1.2`, `pass@10`. */
const NUMBERED =
  /^(?:\d{1,4}(?:st|nd|rd|th)(?![A-Za-z\d])|(?:round|step|phase|stage|level|attempt|try|run|iteration|test|case|part|grade|tier|rank|group|batch|task|question|item|v|version|pass@)[-_ ]?\d{1,6}(?![A-Za-z\d]))/i;
/** `12/15`, `80%`, `3of5`. */
const SHARE = /^\d+(?:\.\d+)?(?:\/|%|of\d)/;
const DATE = /^\d{4}-\d\d-\d\d(?!\d)/;
const NUMBER = /^[-+]?\d[\d,_]*(?:\.\d+)?(?:e[-+]?\d+)?[kmb]?$/i;
/** Words and numbers joined by symbols: `needs_review`, `TC-1042`, `claude-sonnet-4-5`. */
const IDENTIFIER = /^(?:\p{L}+|\d+)(?:[-_./:](?:\p{L}+|\d+))+$/u;

/** Words for a state: `valid`, `missing`. */
const STATE = /^(?:valid|invalid|missing|expired|present|absent|enabled|disabled|required|optional|found)$/i;

/** True for a single word that is not a verdict. */
export function isWordPassword(text: string): boolean {
  return (
    text.length <= MAX_PASSWORD_LENGTH && !/\s/.test(text) && !VERDICT.test(text) && !NUMBERED.test(text)
  );
}

/** True for letters mixed with digits or symbols, except for grades, ratios, dates, step names and identifiers. */
export function hasPasswordForm(text: string): boolean {
  return (
    text.length >= MIN_PASSWORD_LENGTH &&
    isWordPassword(text) &&
    /\p{L}/u.test(text) &&
    /[\d#$%&*?@^~+=!]./.test(`${text.replace(/[!?.]{1,8}$/, "")} `) &&
    !SHARE.test(text) &&
    !isDate(text) &&
    !isIdentifier(text)
  );
}

/** True for a count, a verdict or a state. */
export function isState(text: string): boolean {
  return text.length <= MAX_PASSWORD_LENGTH && (VERDICT.test(text) || STATE.test(text));
}

/** True for a number with optional separators, exponent and unit: `4096`, `0.000002`, `128k`. */
export function isNumber(text: string): boolean {
  return text.length <= MAX_PASSWORD_LENGTH && NUMBER.test(text);
}

/** True for a text that begins with an ISO date. */
export function isDate(text: string): boolean {
  return DATE.test(text);
}

/** True for words and numbers joined by dashes, dots and similar symbols. */
export function isIdentifier(text: string): boolean {
  return text.length <= MAX_PASSWORD_LENGTH && IDENTIFIER.test(text);
}

const MIN_TOKEN_LENGTH = 16;
const TOKEN = /^[\w+/=.~:-]*$/;

/** True for a long text without spaces that has letters and digits, unlike the text tokens of a model. */
export function looksLikeToken(text: string): boolean {
  return (
    text.length >= MIN_TOKEN_LENGTH &&
    text.length <= 4096 &&
    /\d/.test(text) &&
    /[A-Za-z]/.test(text) &&
    TOKEN.test(text)
  );
}

/**
 * Prefixes of a path or of a reference to a secret: `./`, `~/`, `C:\`, `file://`, `arn:`. A base64 key can begin with
 * a slash, but rarely has a second slash after a word.
 */
const PATH_PREFIX =
  /^@?(?:\.{1,2}\/|\/(?:[a-z]{2,20}|Users|Volumes)\/|~[\w-]{0,32}\/|[A-Za-z]:[\\/]|\\\\|(?:file|fileb|env|op|arn|vault|ssm):)/;
const FILE_NAME =
  /^@?[\w./\\-]{1,200}\.(?:txt|json|jsonl|ya?ml|toml|env|pem|key|crt|cer|p12|pfx|jks|ini|cfg|conf|csv|enc|gpg|age|jar|sqlite)$/i;

/** True for a file name, a path or another reference to a secret. */
export function isReference(text: string): boolean {
  return PATH_PREFIX.test(text) || FILE_NAME.test(text);
}

const PRINTABLE_PAIR = /^[\x20-\x39\x3b-\x7e]*:[\x20-\x7e]*$/;

/** True for a base64 text that decodes to `user:password`. */
export function isUserAndPassword(text: string): boolean {
  return PRINTABLE_PAIR.test(Buffer.from(text, "base64").toString("latin1"));
}
