/** Where progress is shown. */
export interface ProgressOptions {
  readonly isTerminal: boolean;
  readonly write: (text: string) => void;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
}

/** Shorter work shows nothing. */
const FIRST_AFTER_MS = 1000;
const TERMINAL_INTERVAL_MS = 200;
const LINE_INTERVAL_MS = 10_000;
const ERASE_LINE = "\r\u001b[K";

/** Shows how far a long task is: one line that changes on a terminal, else a line every ten seconds. */
export class Progress {
  readonly #options: ProgressOptions;
  readonly #task: string;
  readonly #startedMs: number;
  #shownMs: number;
  #isShown = false;

  /** @param task - "Verifying". */
  constructor(task: string, options: ProgressOptions) {
    this.#options = options;
    this.#task = task;
    this.#startedMs = options.nowMs();
    this.#shownMs = this.#startedMs + FIRST_AFTER_MS - this.#intervalMs;
  }

  /** @param done - how much is done, such as "12 MiB of 40 MiB". Default: the time that it takes so far. */
  update(done?: string): void {
    const { isTerminal, write, nowMs } = this.#options;
    if (nowMs() - this.#shownMs < this.#intervalMs) return;
    this.#shownMs = nowMs();
    const text = `${this.#task}: ${done ?? `${Math.round((nowMs() - this.#startedMs) / 1000)} s`}`;
    write(isTerminal ? ERASE_LINE + text : `${text}\n`);
    this.#isShown = true;
  }

  /** Removes the line from a terminal. */
  end(): void {
    if (this.#isShown && this.#options.isTerminal) this.#options.write(ERASE_LINE);
  }

  get #intervalMs(): number {
    return this.#options.isTerminal ? TERMINAL_INTERVAL_MS : LINE_INTERVAL_MS;
  }
}
