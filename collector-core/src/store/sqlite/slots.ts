import { ApiError } from "../../api-schema/errors.js";

/** Work that finds no slot within this time is refused. */
const MAX_WAIT_MS = 5000;
const RETRY_LATER = { "Retry-After": "2" } as const;

/** Options of {@link Slots}. */
export interface SlotsOptions {
  readonly max: number;
  /** What takes a slot, in the message of the error. */
  readonly what: string;
}

/** A limited number of things that may be open at a time. Others wait, first come, first served. */
export class Slots {
  readonly #options: SlotsOptions;
  #used = 0;
  readonly #waiting = new Set<() => void>();

  constructor(options: SlotsOptions) {
    this.#options = options;
  }

  /**
   * Takes a slot.
   *
   * @returns releases it (safe twice).
   * @throws `ApiError` overloaded after 5 seconds; the signal's reason when it is aborted.
   */
  async take(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#used < this.#options.max) this.#used++;
    else await this.#wait(signal);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#release();
    };
  }

  /** The slot passes to the one that waits longest. */
  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#used--;
    else next();
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (error: Error): void => {
        settle();
        reject(error);
      };
      const abort = (): void => leave(signal?.reason as Error);
      const timer = setTimeout(() => leave(this.#overloaded()), MAX_WAIT_MS);
      const begin = (): void => {
        settle();
        resolve();
      };
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        this.#waiting.delete(begin);
      };
      this.#waiting.add(begin);
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  #overloaded(): ApiError {
    const { max, what } = this.#options;
    return new ApiError(
      "overloaded",
      `${max} ${what} are open, which is the limit. Try again later.`,
      { limit: max },
      RETRY_LATER,
    );
  }
}
