/** Pause between two looks at something that is not yet so. */
const PAUSE_MS = 10;

/**
 * Looks again and again until there is a value.
 *
 * @param what - what is waited for; it goes into the error.
 * @param look - gives the value, or undefined while there is none. What it throws counts as "not yet".
 * @param withinMs - default: 10,000.
 * @throws where the time is up, with what the last look threw as its cause.
 */
export async function until<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  withinMs = 10_000,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  let failure: unknown;
  for (;;) {
    try {
      failure = undefined;
      const value = await look();
      if (value !== undefined) return value;
    } catch (error) {
      failure = error;
    }
    if (performance.now() >= deadline) {
      throw new Error(`Waited ${withinMs} ms in vain until ${what}.`, { cause: failure });
    }
    await pause(PAUSE_MS);
  }
}

/** Lets time pass. For times that are the matter of a test, never to wait for something that can be looked at. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** What a promise comes to, or an error where it takes longer. */
export async function within<T>(what: string, promise: Promise<T>, withinMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited ${withinMs} ms in vain until ${what}.`)), withinMs);
  });
  try {
    return await Promise.race([promise, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}
