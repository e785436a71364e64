const POOL_BYTES = 8192;
/** The ids of one span. */
const FALLBACK_BYTES = 24;

/** Random bytes as lower-case hexadecimal digits: at least 16 bytes. */
export function randomHex(): string {
  let bytes = new Uint8Array(POOL_BYTES);
  try {
    crypto.getRandomValues(bytes);
  } catch {
    // Cloudflare Workers has no random source outside a request. Ids need not be secret.
    bytes = Uint8Array.from({ length: FALLBACK_BYTES }, () => Math.random() * 256);
  }
  let hex = "";
  for (const byte of bytes) hex += (byte < 16 ? "0" : "") + byte.toString(16);
  return hex;
}
