/**
 * Does nothing: runtimes that tie timers and connections to a request send no text while it streams. Nothing is kept for it.
 *
 * @returns undefined, as for a call whose text is not followed.
 */
export function followLiveText(): (() => void) | undefined {
  return undefined;
}
