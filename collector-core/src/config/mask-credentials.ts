import { HIDDEN } from "./show-value.js";

/**
 * A text with the user info of its URLs replaced by `***`. A password that was not encoded may hold `/`, `?` and white space,
 * so that everything up to the last `@` counts as user info: more is hidden rather than less.
 */
export function maskUserInfo(text: string): string {
  return text.replace(/(:\/\/).*(?:@|%40)/is, `$1${HIDDEN}@`);
}

/** A value that keeps to its rule, as it may be shown: without the user info of any URL in it. */
export function maskUrls(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/(:\/\/)[^\s/?#]*@/g, `$1${HIDDEN}@`);
  if (Array.isArray(value)) return value.map(maskUrls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskUrls(item)]));
}

/** True for a text that {@link maskUserInfo} has masked: written back, it would replace what it hides. */
export function isMasked(text: string): boolean {
  return text.includes(`://${HIDDEN}@`);
}
