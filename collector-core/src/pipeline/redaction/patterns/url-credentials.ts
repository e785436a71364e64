import { builtIn, hasReplacement, type TextMatch } from "../pattern.js";
import { FEATURE } from "../text-features.js";

/** Maximum length of the part before the `@`. */
const MAX_USER_INFO = 1024;

/** `user:password` or a token before the host of a URL: `postgres://[CREDENTIALS]@db/shop`. */
export const urlCredentials = builtIn({
  name: "credentials",
  needs: FEATURE.scheme | FEATURE.at,
  find: findCredentials,
});

function findCredentials(text: string): TextMatch[] {
  const found: TextMatch[] = [];
  for (let at = text.indexOf("://"); at >= 0; at = text.indexOf("://", at + 3)) {
    const start = at + 3;
    let end = userInfoEnd(text, start);
    if (end < 0) end = unescapedEnd(text, at);
    if (end > start && isSecret(text.slice(start, end))) found.push({ start, end });
  }
  return found;
}

/**
 * Returns the position of the last `@` in the authority of the URL, because a password can contain an unescaped `@`.
 */
function userInfoEnd(text: string, start: number): number {
  let end = -1;
  const limit = Math.min(text.length, start + MAX_USER_INFO);
  for (let at = start; at < limit; at++) {
    const character = text[at] as string;
    if (character === "@") end = at;
    else if (/[\s/?#"'`<>\\]/.test(character)) break;
  }
  return end;
}

/** A scheme of a server whose URL has no path with an `@`. */
const SERVER_SCHEME =
  /(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|clickhouse|cockroachdb|ldaps?|s?ftps?|smtps?|imaps?|nats|mqtts?)(?:\+\w{1,20})?$/i;
const SCHEME_LENGTH = 32;
/**
 * A user, and a password with an unescaped `/`, `?` or `#`. A port (`host:8080/@scope`) or a placeholder for one is no
 * password.
 */
const UNESCAPED = /[^\s/?#"'`<>\\:@[\]]{0,64}:(?!\d{1,5}[/?#]|[$%<{:/*[])[^\s"'`<>\\]{1,256}(?=@)/y;
const HOST = /@[A-Za-z\d][\w.-]{0,252}(?::\d{1,5})?(?![\w@:])/y;
/** A host that is none of the words after an `@`: it has a domain, an address or a port. */
const FULL_HOST =
  /@(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|[A-Za-z\d][\w-]{0,62}(?:\.[\w-]{1,63}){0,8}(?:\.[A-Za-z]{2,24}|:\d{2,5}))(?![\w@:.-])/y;

/** Returns the end of the password in a URL whose password has an unescaped `/`, `?` or `#`; -1 without one. */
function unescapedEnd(text: string, scheme: number): number {
  UNESCAPED.lastIndex = scheme + 3;
  if (!UNESCAPED.test(text)) return -1;
  const end = UNESCAPED.lastIndex;
  const host = SERVER_SCHEME.test(text.slice(Math.max(0, scheme - SCHEME_LENGTH), scheme)) ? HOST : FULL_HOST;
  host.lastIndex = end;
  return host.test(text) ? end : -1;
}

function isSecret(userInfo: string): boolean {
  if (/^\[[A-Z_]+\]$/.test(userInfo)) return false;
  const colon = userInfo.indexOf(":");
  // A user name alone, as in ssh://git@host, is not a secret.
  if (colon < 0) return userInfo.length >= 16 && /\d/.test(userInfo) && !userInfo.includes("@");
  const password = userInfo.slice(colon + 1);
  if (password === "" || hasReplacement(password)) return false;
  return !/^(?:\$\{?\w+\}?|\{+\w+\}+|<[\w-]+>|\*+)$/.test(password);
}
