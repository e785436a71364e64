/** Runs tasks in FIFO order with limited concurrency. */
export type ConcurrencyLimit = <T>(task: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/**
 * Limits how many tasks run concurrently. A task whose signal is aborted while it waits does not run; its promise rejects
 * with the signal's reason.
 */
export function createConcurrencyLimit(max: number): ConcurrencyLimit {
  let running = 0;
  /** A set keeps the order of arrival and removes an aborted task in constant time. */
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
