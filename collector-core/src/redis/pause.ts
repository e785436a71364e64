/** Connections that do not answer for this long are replaced: a network may drop packets without a word. */
export const RESET_AFTER_MS = 10_000;
/** Wait before a failed command is sent again. */
export const RETRY_MS = 200;

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
