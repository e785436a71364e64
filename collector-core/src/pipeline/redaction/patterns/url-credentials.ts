import { builtIn, type TextMatch } from "../pattern.js";
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
    const end = userInfoEnd(text, start);
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

function isSecret(userInfo: string): boolean {
  if (/^\[[A-Z_]+\]$/.test(userInfo)) return false;
  const colon = userInfo.indexOf(":");
  // A user name alone, as in ssh://git@host, is not a secret.
  if (colon < 0) return userInfo.length >= 16 && /\d/.test(userInfo) && !userInfo.includes("@");
  return (
    userInfo.length > colon + 1 && !/^(?:\$\{?\w+\}?|\{+\w+\}+|<[\w-]+>|\*+)$/.test(userInfo.slice(colon + 1))
  );
}
