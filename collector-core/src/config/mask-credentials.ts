import { HIDDEN } from "./show-value.js";

/**
 * Replaces the user info of URLs in a text by `***`. A password that is not encoded may contain `/`, `?` and white
 * space. Therefore everything up to the last `@` counts as user info, even if that hides too much.
 */
export function maskUserInfo(text: string): string {
  return text.replace(/(:\/\/).*(?:@|%40)/is, `$1${HIDDEN}@`);
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
