/**
 * Encodes any text as one component of a URL. `encodeURIComponent` throws for a lone surrogate, and an id can contain one.
 * A lone surrogate becomes U+FFFD, as in `URLSearchParams`.
 */
export function encodeComponent(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Decodes one component of a URL. A component that is not valid is returned as it is. */
export function decodeComponent(component: string): string {
  try {
    return decodeURIComponent(component);
  } catch {
    return component;
  }
}
