/**
 * True if a URL leads to the machine that the app runs on. Compression saves no network there, and costs both sides more
 * CPU than the rest of sending a batch (docs/decisions/0006).
 */
export function isLoopback({ hostname }: URL): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
