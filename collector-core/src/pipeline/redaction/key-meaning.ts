import type { JsonObject } from "./map-object.js";
import type { Pattern } from "./pattern.js";
import { isSecretKey, SECRET_NAME } from "./patterns/assigned-secret.js";
import {
  hasPasswordForm,
  isDate,
  isIdentifier,
  isWordPassword,
  looksLikeToken,
  saysState,
} from "./value-form.js";

/** What the key of an object says about the value that stands under it. */
export interface KeyMeaning {
  /** True for the texts that are secret under this key. Undefined: none is. */
  readonly isSecretText: ((text: string) => boolean) | undefined;
  /** True for the numbers that are secret under this key. Undefined: none is. */
  readonly isSecretNumber: ((value: number) => boolean) | undefined;
  /** What the elements of a list are; undefined where they are what the list is. */
  readonly elements?: KeyMeaning;
  /** What to read before a text, where a pattern knows the word: `ssn` for `userSSN`. */
  readonly label: string | undefined;
  /** A number of 16 digits or more is the number of a card, though JSON has lost its last digits. */
  readonly isCard: boolean;
}

/** Keys that are remembered; a service has few, and most come again with its next span. */
const MAX_KNOWN_KEYS = 2000;
/** Of a longer key only its end is read, and it is not remembered. */
const MAX_KEY_LENGTH = 64;

export const NO_MEANING: KeyMeaning = {
  isSecretText: undefined,
  isSecretNumber: undefined,
  label: undefined,
  isCard: false,
};
const SECRET: KeyMeaning = { ...NO_MEANING, isSecretText: () => true, isSecretNumber: () => true };
/** `leaked_secrets`, `cookies`: a number there is a count, and so is one in a text. */
const SECRETS_OR_COUNT: KeyMeaning = { ...NO_MEANING, isSecretText: (text) => !saysState(text) };
/** `passwords`: a list may have numbers that are some. */
const PASSWORDS_OR_COUNT: KeyMeaning = { ...SECRETS_OR_COUNT, elements: SECRET };
/** `tokens` are keys, pieces of text, or a count. */
const TOKENS: KeyMeaning = { ...NO_MEANING, isSecretText: looksLikeToken };
/** `db_pass` is a password. */
const PASSWORD: KeyMeaning = {
  ...NO_MEANING,
  isSecretText: isWordPassword,
  isSecretNumber: (value) => value >= MIN_PASSWORD_NUMBER,
};
/** `pass` is a password, or the outcome of a test. */
const PASSWORD_OR_OUTCOME: KeyMeaning = { ...NO_MEANING, isSecretText: hasPasswordForm };
/** `type` beneath `credentials` says of what kind they are. */
const LABEL_OF_SECRET: KeyMeaning = {
  ...NO_MEANING,
  isSecretText: (text) => looksLikeToken(text) && !isIdentifier(text) && !isDate(text),
};

/** The least number that is a password: fewer digits are a count. */
const MIN_PASSWORD_NUMBER = 1000;

const PLURAL_KEY = /s$/i;
const PASSWORDS_KEY = /pass(?:words|wds|phrases|codes)$/i;
const TOKENS_KEY = /(?:^|[^a-z])tokens$/i;
/** Not `bypass` or `compass`, nor the passes of a pipeline: `first_pass`. */
const PASS_KEY =
  /(?:^|[^A-Za-z]|[a-z](?=P)|(?:db|smtp|ftp|user|admin|root|sql|http|proxy|redis|mail|ssh))pass$/i;
const PASS_OF_A_PIPELINE =
  /(?:first|second|third|last|final|next|one|two|single|multi|forward|backward|boarding|season|test|tests|quality|review|draft|render|by|\d)[-_. ]?pass$/i;
const PASS_OF_AN_ACCOUNT =
  /(?:db|database|smtp|imap|ftp|user|admin|root|sql|http|proxy|redis|mail|mongo|ssh|sudo|wifi|auth|login)[-_.: ]?pass$/i;
const CARD_KEY = /(?:^|[^A-Za-z]|[a-z](?=[CP]))(?:card|card[-_ ]?(?:number|num|no)|pan|cc|ccnum)$/i;

/** Keys beneath a secret's whose texts say of what kind it is, how long it is good and where. */
const LABEL_KEY =
  /^(?:type|kind|name|scheme|method|format|algorithm|alg|provider|issuer|status|state|scopes?|region|env|environment|version|description|title|label|in|path|domain|same_?site|(?:token|grant|auth|credential|secret|key|subject_token)_?type|(?:expires?|created|updated|issued|rotated|valid)(?:_?(?:at|in|on|until|from))?|expir(?:y|ation)(?:_?(?:date|time))?)$/i;

/** What a key that ends in `pass` names; undefined for all other keys, and for the passes of a pipeline. */
export function passMeaning(key: string): KeyMeaning | undefined {
  if (!PASS_KEY.test(key) || PASS_OF_A_PIPELINE.test(key)) return undefined;
  return PASS_OF_AN_ACCOUNT.test(key) ? PASSWORD : PASSWORD_OR_OUTCOME;
}

/** Who has a password stands beside it. */
const ACCOUNT_KEY =
  /^(?:user|user_?name|user_?id|login|account|e?mail|host|hostname|port|server|smtp\w{0,20})$/i;
/** What else is said of an outcome. */
const OUTCOME_KEY =
  /^(?:fail(?:ed|ure|ures|s)?|pass(?:ed|es|_?rate)|scores?|total|count|errors?|skip(?:ped)?|warn(?:ings?)?|verdict|grade|reason(?:ing)?|rationale|explanation|criteri(?:a|on)|rubric|feedback|results?|tests?)$/i;

/** What the properties beside `pass` say about it. */
export function meaningBeside(meaning: KeyMeaning, object: JsonObject): KeyMeaning {
  if (meaning !== PASSWORD_OR_OUTCOME) return meaning;
  for (const key in object) {
    if (OUTCOME_KEY.test(key)) return NO_MEANING;
    if (ACCOUNT_KEY.test(key)) return PASSWORD;
  }
  return meaning;
}

/** What the key of an object says of a value that stands under it beneath the key of a secret. */
export function meaningBeneath(secret: KeyMeaning, key: string): KeyMeaning {
  return LABEL_KEY.test(key) ? LABEL_OF_SECRET : secret;
}

/** Reads keys by the words that the patterns know. */
export function createKeyReader(patterns: readonly Pattern[]): (key: string) => KeyMeaning {
  const keywords = [SECRET_NAME, ...patterns.flatMap(({ keyword }) => keyword ?? [])];
  const known = new Map<string, KeyMeaning>();

  function read(key: string): KeyMeaning {
    if (isSecretKey(key)) {
      if (!PLURAL_KEY.test(key)) return SECRET;
      return PASSWORDS_KEY.test(key) ? PASSWORDS_OR_COUNT : SECRETS_OR_COUNT;
    }
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
    let meaning = known.get(key);
    if (meaning === undefined) {
      if (known.size >= MAX_KNOWN_KEYS) known.clear();
      meaning = read(key);
      known.set(key, meaning);
    }
    return meaning;
  };
}

/** Only letters, so that no pattern finds anything in the words themselves: `user_SSN2` is `user SSN`. */
function wordsOf(key: string): string {
  return key
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replace(/[^\p{L}\p{M}]+/gu, " ")
    .trim();
}
