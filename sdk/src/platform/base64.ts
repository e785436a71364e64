/** Bytes as base64. */
export const toBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");

/** The bytes of a base64 text. */
export const fromBase64 = (text: string): Uint8Array => Buffer.from(text, "base64");
