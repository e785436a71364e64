/** What a value looks like, where its name may be that of a secret or of something harmless. */

const MAX_PASSWORD_LENGTH = 256;
const MIN_PASSWORD_LENGTH = 6;

/** What a test or a judge says, and what stands for a value. */
const VERDICT =
  /^(?:pass(?:ed|es)?|fail(?:ed|s|ure)?|yes|no|true|false|ok|none|null|n\/a|unknown|partial(?:ly)?|mostly|warn(?:ing)?|skip(?:ped)?|\W*|\d{1,3}(?:\.\d+)?%?)$/i;
/** `2nd-round`, `round2`, `v1.2`, `pass@10`. */
const NUMBERED =
  /^(?:\d{1,4}(?:st|nd|rd|th)(?![A-Za-z\d])|(?:round|step|phase|stage|level|attempt|try|run|iteration|test|case|part|grade|tier|rank|group|batch|task|question|item|v|version|pass@)[-_ ]?\d{1,6}(?![A-Za-z\d]))/i;
/** `12/15`, `80%`, `3of5`. */
const SHARE = /^\d+(?:\.\d+)?(?:\/|%|of\d)/;
const DATE = /^\d{4}-\d\d-\d\d(?!\d)/;
const NUMBER = /^[-+]?\d[\d,_]*(?:\.\d+)?(?:e[-+]?\d+)?[kmb]?$/i;
/** Words and numbers that something joins: `needs_review`, `TC-1042`, `claude-sonnet-4-5`. */
const IDENTIFIER = /^(?:\p{L}+|\d+)(?:[-_./:](?:\p{L}+|\d+))+$/u;

/** What is said of how many or whether there are any: `0`, `none`, `valid`. */
const STATE = /^(?:valid|invalid|missing|expired|present|absent|enabled|disabled|required|optional|found)$/i;

/** A word that is no verdict. */
export function isWordPassword(text: string): boolean {
  return (
    text.length <= MAX_PASSWORD_LENGTH && !/\s/.test(text) && !VERDICT.test(text) && !NUMBERED.test(text)
  );
}

/** Letters with a digit or a symbol among them, and no grade, no share, no name of a step. */
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

/** A count, or a word that says whether there is something. */
export function saysState(text: string): boolean {
  return text.length <= MAX_PASSWORD_LENGTH && (VERDICT.test(text) || STATE.test(text));
}

/** Digits alone, with what divides and shortens them: `4096`, `0.000002`, `128k`. */
export function isNumber(text: string): boolean {
  return text.length <= MAX_PASSWORD_LENGTH && NUMBER.test(text);
}

/** How a date or a time begins. */
export function isDate(text: string): boolean {
  return DATE.test(text);
}

/** Words and numbers alone, with dashes and the like between them. */
export function isIdentifier(text: string): boolean {
  return text.length <= MAX_PASSWORD_LENGTH && IDENTIFIER.test(text);
}

const MIN_TOKEN_LENGTH = 16;
const TOKEN = /^[\w+/=.~:-]*$/;

/** Long, without spaces, and with letters and digits: the pieces into which a model divides text are none of it. */
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
 * How a path begins, or what says that a secret is found elsewhere: `./`, `~/`, `C:\`, `file://`, `arn:`. A key in base64
 * may begin with a slash, but hardly with one more behind a word.
 */
const BEGINNING_OF_PATH =
  /^@?(?:\.{1,2}\/|\/(?:[a-z]{2,20}|Users|Volumes)\/|~[\w-]{0,32}\/|[A-Za-z]:[\\/]|\\\\|(?:file|fileb|env|op|arn|vault|ssm):)/;
const FILE_NAME =
  /^@?[\w./\\-]{1,200}\.(?:txt|json|jsonl|ya?ml|toml|env|pem|key|crt|cer|p12|pfx|jks|ini|cfg|conf|csv|enc|gpg|age|jar|sqlite)$/i;

/** A file, or another place where a secret stands. */
export function isPlace(text: string): boolean {
  return BEGINNING_OF_PATH.test(text) || FILE_NAME.test(text);
}
