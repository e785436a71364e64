/** Length of a text in UTF-8. */
export const utf8Length = (text: string): number => Buffer.byteLength(text);

/** A copy of a text: in V8, a slice keeps the whole text in memory. */
export const copyText = (text: string): string => Buffer.from(text).toString();
