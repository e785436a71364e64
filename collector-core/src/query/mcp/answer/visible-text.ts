/** Tab and line feed are shown; other control characters could move what a terminal or a model reads. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]|[\udb40-\udb43][\udc00-\udfff]/g;

/** The text with characters that nobody sees written out, such as `\u{202e}`: hidden words would reach a model alone. */
export function visibleText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(HIDDEN, (hidden) => `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`);
}
