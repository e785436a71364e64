const bytes = Buffer.allocUnsafe(8192);

/** Random bytes as lower-case hexadecimal digits: at least 16 bytes. */
export function randomHex(): string {
  try {
    // The global `crypto` loads in half the time of `node:crypto`. Test environments may not have it, or replace it.
    crypto.getRandomValues(bytes);
  } catch {
    process.getBuiltinModule("node:crypto").randomFillSync(bytes);
  }
  return bytes.toString("hex");
}
