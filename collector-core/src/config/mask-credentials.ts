import { HIDDEN } from "./show-value.js";

/**
 * Replaces the user info of URLs in a text by `***`. A password that is not encoded may contain `/`, `?` and white
 * space. Therefore everything up to the last `@` counts as user info, even if that hides too much.
 */
export function maskUserInfo(text: string): string {
  const scheme = text.indexOf(SCHEME_END);
  if (scheme < 0) return text;
  // Two searches take linear time. A regular expression would search the rest again after each `://`.
  const end = Math.max(endOfLast(text, "@"), endOfLast(text, "%40"));
  const start = scheme + SCHEME_END.length;
  return end <= start ? text : `${text.slice(0, start)}${HIDDEN}@${text.slice(end)}`;
}

const SCHEME_END = "://";

/** The end of the last occurrence of a part; -1 if there is none. */
function endOfLast(text: string, part: string): number {
  const at = text.lastIndexOf(part);
  return at < 0 ? -1 : at + part.length;
}

/** Replaces the user info of all URLs in a valid value by `***`. */
export function maskUrls(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/(:\/\/)[^\s/?#]*@/g, `$1${HIDDEN}@`);
  if (Array.isArray(value)) return value.map(maskUrls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskUrls(item)]));
}

/** True if {@link maskUserInfo} has masked the text. Writing it back replaces the hidden credential. */
export function isMasked(text: string): boolean {
  return text.includes(`://${HIDDEN}@`);
}
