import type { JsonObject } from "./map-object.js";
import type { Pattern } from "./pattern.js";
import { isSecretKey, SECRET_NAME } from "./patterns/assigned-secret.js";
import {
  hasPasswordForm,
  isDate,
  isIdentifier,
  isUserAndPassword,
  isWordPassword,
  looksLikeToken,
  isState,
} from "./value-form.js";

/** What an object key implies about its value. */
export interface KeyMeaning {
  /** Returns true for a text that is secret under this key. Undefined when no text is. */
  readonly isSecretText: ((text: string) => boolean) | undefined;
  /** Returns true for a number that is secret under this key. Undefined when no number is. */
  readonly isSecretNumber: ((value: number) => boolean) | undefined;
  /** Meaning of list elements; undefined when it equals the meaning of the list. */
  readonly elements?: KeyMeaning;
  /** Keyword for the patterns, which precedes the text: `user SSN` for `userSSN`. */
  readonly label: string | undefined;
  /** True when a number of 16 or more digits is a card number, although JSON has lost its last digits. */
  readonly isCard: boolean;
}

/** Cached keys. A service uses few keys and repeats them in every span. */
const MAX_CACHED_KEYS = 2000;
/** Only the end of a longer key is read, and the key is not cached. */
const MAX_KEY_LENGTH = 64;

export const NO_MEANING: KeyMeaning = {
  isSecretText: undefined,
  isSecretNumber: undefined,
  label: undefined,
  isCard: false,
};
const SECRET: KeyMeaning = { ...NO_MEANING, isSecretText: () => true, isSecretNumber: () => true };
/** `leaked_secrets`, `cookies`: a number is a count, also within a text. */
const SECRETS_OR_COUNT: KeyMeaning = { ...NO_MEANING, isSecretText: (text) => !isState(text) };
/** `passwords`: a number is a count, but in a list it is a password. */
const PASSWORDS_OR_COUNT: KeyMeaning = { ...SECRETS_OR_COUNT, elements: SECRET };
/** `tokens`: secrets, pieces of text, or a count. */
const TOKENS: KeyMeaning = { ...NO_MEANING, isSecretText: looksLikeToken };
/** `db_pass`: a password. */
const PASSWORD: KeyMeaning = {
  ...NO_MEANING,
  isSecretText: isWordPassword,
  isSecretNumber: (value) => value >= MIN_PASSWORD_NUMBER,
};
/** `pass`: a password or the outcome of a test. */
const PASSWORD_OR_OUTCOME: KeyMeaning = { ...NO_MEANING, isSecretText: hasPasswordForm };
/** `auth` in a file of Docker: user and password in base64. */
export const USER_AND_PASSWORD: KeyMeaning = {
  ...NO_MEANING,
  isSecretText: (text) => text.length >= 6 && /^[A-Za-z\d+/]+={0,2}$/.test(text) && isUserAndPassword(text),
};
/** `type` within `credentials`: describes the kind of credentials. */
const LABEL_OF_SECRET: KeyMeaning = {
  ...NO_MEANING,
  isSecretText: (text) => looksLikeToken(text) && !isIdentifier(text) && !isDate(text),
};

/** Smallest number that can be a password; smaller numbers are counts. */
const MIN_PASSWORD_NUMBER = 1000;

const PLURAL_KEY = /s$/i;
const PASSWORDS_KEY = /pass(?:words|wds|phrases|codes)$/i;
const TOKENS_KEY = /(?:^|[^a-z])tokens$/i;
const AUTH_KEY = /^_?auth$/i;
/** Excludes `bypass` and `compass`. */
const PASS_KEY =
  /(?:^|[^A-Za-z]|[a-z](?=P)|(?:db|smtp|ftp|user|admin|root|sql|http|proxy|redis|mail|ssh))pass$/i;
/** Passes of a pipeline, such as `first_pass`. */
const PIPELINE_PASS =
  /(?:first|second|third|last|final|next|one|two|single|multi|forward|backward|boarding|season|test|tests|quality|review|draft|render|by|\d)[-_. ]?pass$/i;
/** Passwords of an account, such as `smtp_pass`. */
const ACCOUNT_PASS =
  /(?:db|database|smtp|imap|ftp|user|admin|root|sql|http|proxy|redis|mail|mongo|ssh|sudo|wifi|auth|login)[-_.: ]?pass$/i;
const CARD_KEY = /(?:^|[^A-Za-z]|[a-z](?=[CP]))(?:card|card[-_ ]?(?:number|num|no)|pan|cc|ccnum)$/i;

/** Keys within a secret's object that describe its kind, validity or scope. */
const LABEL_KEY =
  /^(?:type|kind|name|scheme|method|format|algorithm|alg|provider|issuer|status|state|scopes?|region|env|environment|version|description|title|label|in|path|domain|same_?site|(?:token|grant|auth|credential|secret|key|subject_token)_?type|(?:expires?|created|updated|issued|rotated|valid)(?:_?(?:at|in|on|until|from))?|expir(?:y|ation)(?:_?(?:date|time))?)$/i;

/** Returns the meaning of a key that ends in `pass`; undefined for other keys and for passes of a pipeline. */
export function passMeaning(key: string): KeyMeaning | undefined {
  if (!PASS_KEY.test(key) || PIPELINE_PASS.test(key)) return undefined;
  return ACCOUNT_PASS.test(key) ? PASSWORD : PASSWORD_OR_OUTCOME;
}

/** Sibling keys of a password. */
const ACCOUNT_KEY =
  /^(?:user|user_?name|user_?id|login|account|e?mail|host|hostname|port|server|smtp\w{0,20})$/i;
/** Sibling keys of a test outcome. */
const OUTCOME_KEY =
  /^(?:fail(?:ed|ure|ures|s)?|pass(?:ed|es|_?rate)|scores?|total|count|errors?|skip(?:ped)?|warn(?:ings?)?|verdict|grade|reason(?:ing)?|rationale|explanation|criteri(?:a|on)|rubric|feedback|results?|tests?)$/i;

/** Decides by the sibling properties whether `pass` is a password or an outcome. */
export function refineBySiblings(meaning: KeyMeaning, object: JsonObject): KeyMeaning {
  if (meaning !== PASSWORD_OR_OUTCOME) return meaning;
  for (const key in object) {
    if (OUTCOME_KEY.test(key)) return NO_MEANING;
    if (ACCOUNT_KEY.test(key)) return PASSWORD;
  }
  return meaning;
}

/** Returns the meaning of a key within a secret's object. Keys such as `type` only describe the secret. */
export function refineInherited(secret: KeyMeaning, key: string): KeyMeaning {
  return LABEL_KEY.test(key) ? LABEL_OF_SECRET : secret;
}

/** Creates a function that returns the meaning of a key, based on secret names and the keywords of the patterns. */
export function createKeyReader(patterns: readonly Pattern[]): (key: string) => KeyMeaning {
  const keywords = [SECRET_NAME, ...patterns.flatMap(({ keyword }) => keyword ?? [])];
  const cache = new Map<string, KeyMeaning>();

  function read(key: string): KeyMeaning {
    if (isSecretKey(key)) {
      if (!PLURAL_KEY.test(key)) return SECRET;
      return PASSWORDS_KEY.test(key) ? PASSWORDS_OR_COUNT : SECRETS_OR_COUNT;
    }
    if (AUTH_KEY.test(key)) return USER_AND_PASSWORD;
    if (TOKENS_KEY.test(key)) return TOKENS;
    const pass = passMeaning(key);
    if (pass !== undefined) return pass;
    const words = wordsOf(key);
    const label = keywords.some((keyword) => keyword.test(words)) ? words : undefined;
    const isCard = CARD_KEY.test(key);
    return label === undefined && !isCard ? NO_MEANING : { ...NO_MEANING, label, isCard };
  }

  return (key) => {
    if (key === "") return NO_MEANING;
    if (key.length > MAX_KEY_LENGTH) return read(key.slice(-MAX_KEY_LENGTH));
    let meaning = cache.get(key);
    if (meaning === undefined) {
      if (cache.size >= MAX_CACHED_KEYS) cache.clear();
      meaning = read(key);
      cache.set(key, meaning);
    }
    return meaning;
  };
}

/**
 * Splits a key into words: `user_SSN2` becomes `user SSN`. Keeps only letters, so that no pattern matches the words.
 */
function wordsOf(key: string): string {
  return key
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replace(/[^\p{L}\p{M}]+/gu, " ")
    .trim();
}
