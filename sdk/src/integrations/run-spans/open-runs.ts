/** Most runs that are open at one time. When one more starts, the oldest is closed. */
const MAX_OPEN_RUNS = 10_000;

/** The runs of a framework that have started and not ended, by their ids. */
export class OpenRuns<Run> {
  readonly #runs = new Map<string, Run>();
  readonly #close: (run: Run) => void;

  /** @param close - closes a run whose end was never reported. */
  constructor(close: (run: Run) => void) {
    this.#close = close;
  }

  get(id: string | undefined | null): Run | undefined {
    return id === undefined || id === null ? undefined : this.#runs.get(id);
  }

  add(id: string, run: Run): void {
    this.#runs.set(id, run);
    if (this.#runs.size <= MAX_OPEN_RUNS) return;
    const [oldest] = this.#runs.keys();
    const evicted = this.take(oldest ?? "");
    if (evicted !== undefined) this.#close(evicted);
  }

  /** Removes a run, and returns it. */
  take(id: string): Run | undefined {
    const run = this.#runs.get(id);
    this.#runs.delete(id);
    return run;
  }
}
