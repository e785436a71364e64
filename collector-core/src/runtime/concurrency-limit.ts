/** Runs tasks, at most so many at a time, in the order in which they came. */
export type ConcurrencyLimit = <T>(task: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/**
 * Limits how many tasks run at a time. A task whose signal is aborted while it waits never runs: its promise rejects with
 * the signal's reason.
 */
export function createConcurrencyLimit(max: number): ConcurrencyLimit {
  let running = 0;
  /** A set keeps the order of arrival, and who leaves is found at once. */
  const waiting = new Set<() => void>();

  async function turn(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (running < max) {
      running++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        waiting.delete(begin);
        reject(signal?.reason as Error);
      };
      waiting.add(begin);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  return async (task, signal) => {
    await turn(signal);
    try {
      return await task();
    } finally {
      const [next] = waiting;
      if (next === undefined) running--;
      else {
        waiting.delete(next);
        next();
      }
    }
  };
}
