import type { Pattern } from "./pattern.js";
import { isSecretKey, SECRET_NAME } from "./patterns/assigned-secret.js";

/** What the key of an object says about the value that stands under it. */
export interface KeyMeaning {
  /** What texts are: secret whatever they look like, or where they look like a password or a token. */
  readonly texts: "plain" | "secret" | "password" | "token";
  readonly numbers: "plain" | "secret" | "password";
  /** What to read before a text, where a pattern knows the word: `ssn` for `userSSN`. */
  readonly label: string | undefined;
  /** A number of 16 digits or more is the number of a card, though JSON has lost its last digits. */
  readonly isCard: boolean;
}

/** Keys that are remembered; a service has few, and most come again with its next span. */
const MAX_KNOWN_KEYS = 2000;
/** Of a longer key only its end is read, and it is not remembered. */
const MAX_KEY_LENGTH = 64;

export const NO_MEANING: KeyMeaning = { texts: "plain", numbers: "plain", label: undefined, isCard: false };
const SECRET: KeyMeaning = { ...NO_MEANING, texts: "secret", numbers: "secret" };
/** `user_tokens`: a number there is a count. */
const SECRETS_OR_COUNT: KeyMeaning = { ...NO_MEANING, texts: "secret" };
/** `tokens` are keys, pieces of text, or a count. */
const TOKENS: KeyMeaning = { ...NO_MEANING, texts: "token" };
/** `pass` is a password, or the outcome of a test. */
const PASS: KeyMeaning = { ...NO_MEANING, texts: "password", numbers: "password" };

const TOKEN_COUNT_KEY = /tokens$/i;
const TOKENS_KEY = /(?:^|[^a-z])tokens$/i;
/** Not `bypass` or `compass`, nor the passes of a pipeline: `first_pass`. */
const PASS_KEY =
  /(?:^|[^A-Za-z]|[a-z](?=P)|(?:db|smtp|ftp|user|admin|root|sql|http|proxy|redis|mail|ssh))pass$/i;
const PASS_OF_A_PIPELINE =
  /(?:first|second|third|last|final|next|one|two|single|multi|forward|backward|boarding|season|test|tests|quality|review|draft|render|by|\d)[-_. ]?pass$/i;
const CARD_KEY = /(?:^|[^A-Za-z]|[a-z](?=[CP]))(?:card|card[-_ ]?(?:number|num|no)|pan|cc|ccnum)$/i;

/** Reads keys by the words that the patterns know. */
export function createKeyReader(patterns: readonly Pattern[]): (key: string) => KeyMeaning {
  const keywords = [SECRET_NAME, ...patterns.flatMap(({ keyword }) => keyword ?? [])];
  const known = new Map<string, KeyMeaning>();

  function read(key: string): KeyMeaning {
    if (isSecretKey(key)) return TOKEN_COUNT_KEY.test(key) ? SECRETS_OR_COUNT : SECRET;
    if (TOKENS_KEY.test(key)) return TOKENS;
    if (PASS_KEY.test(key) && !PASS_OF_A_PIPELINE.test(key)) return PASS;
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

const MAX_PASSWORD_LENGTH = 256;
/** What a test says, and what stands for a value. */
const VERDICT =
  /^(?:pass(?:ed|es)?|fail(?:ed|s|ure)?|yes|no|true|false|ok|none|null|n\/a|skip(?:ped)?|\W*|\d{1,3}(?:\.\d+)?%?)$/i;

/** A word that is no verdict. */
export function looksLikePassword(text: string): boolean {
  return text.length <= MAX_PASSWORD_LENGTH && !/\s/.test(text) && !VERDICT.test(text);
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
