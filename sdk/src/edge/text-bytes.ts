const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Length of a text in UTF-8. */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x80) continue;
    // Half of a surrogate pair counts two of its four bytes.
    length += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2;
  }
  return length;
}

/** A copy of a text: in V8, a slice keeps the whole text in memory. */
export function copyText(text: string): string {
  return decoder.decode(encoder.encode(text));
}
