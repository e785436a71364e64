/** Pauses between polls: soon again at first, later less often, because polls take time from what they wait for. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 50;

/**
 * Polls until `look` returns a value.
 *
 * @param what - the expected condition, which the error message names.
 * @param look - returns the value, or undefined to continue polling. An exception counts as undefined.
 * @param withinMs - default: 30,000, which only tells a hang from a busy machine.
 * @throws at the timeout, with the last exception as its cause.
 */
export async function until<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  withinMs = 30_000,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  let failure: unknown;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(1.5 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      failure = undefined;
      const value = await look();
      if (value !== undefined) return value;
    } catch (error) {
      failure = error;
    }
    if (performance.now() >= deadline) {
      throw new Error(`Timed out after ${withinMs} ms, waiting until ${what}.`, { cause: failure });
    }
    await pause(pauseMs);
  }
}

/** Waits for a fixed time. Only for tests about time: use {@link until} to wait for a condition. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The result of a promise, or an error at the timeout. */
export async function within<T>(what: string, promise: Promise<T>, withinMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`Timed out after ${withinMs} ms, waiting until ${what}.`)),
      withinMs,
    );
  });
  try {
    return await Promise.race([promise, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}
