/** How late a timer fires at most while its request runs, in milliseconds. */
const GRACE_MS = 1000;

type TimerId = ReturnType<typeof globalThis.setTimeout>;

/** A running timer. */
export class Timer {
  readonly #id: TimerId | undefined;
  readonly #latestMs: number;

  constructor(fn: () => void, delayMs: number) {
    this.#latestMs = Date.now() + delayMs + GRACE_MS;
    try {
      this.#id = globalThis.setTimeout(fn, delayMs);
    } catch {
      // Cloudflare Workers starts no timer outside a request. It counts as overdue.
      this.#latestMs = 0;
    }
  }

  get isOverdue(): boolean {
    return Date.now() > this.#latestMs;
  }

  clear(): void {
    if (this.#id === undefined) return;
    try {
      globalThis.clearTimeout(this.#id);
    } catch {
      // A timer of another request.
    }
  }

  /** Lets the runtime end before, where a timer would keep it alive. */
  unref(): this {
    (this.#id as { unref?(): void } | undefined)?.unref?.();
    return this;
  }
}

/** `setTimeout()`; the timer is lost if its request ends first. */
export function setTimeout<Args extends unknown[]>(
  fn: (...args: Args) => void,
  delayMs: number,
  ...args: Args
): Timer {
  return new Timer(() => fn(...args), delayMs);
}

export function clearTimeout(timer: Timer | undefined): void {
  timer?.clear();
}

/** False if a timer was not started, or will not fire because its request has ended. */
export function isPending(timer: Timer | undefined): boolean {
  return timer !== undefined && !timer.isOverdue;
}
