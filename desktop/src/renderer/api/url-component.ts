/** Half of a surrogate pair without the other half. UTF-8, and so a URL, has no place for it. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * Encodes any text as one component of a URL. `encodeURIComponent` throws for a lone surrogate, and an id can hold one.
 * It becomes U+FFFD here, as in `URLSearchParams`.
 */
export function encodeComponent(text: string): string {
  return encodeURIComponent(text.replace(LONE_SURROGATE, "\uFFFD"));
}

/** Decodes one component of a URL. A component that is not valid is returned as it is. */
export function decodeComponent(component: string): string {
  try {
    return decodeURIComponent(component);
  } catch {
    return component;
  }
}
