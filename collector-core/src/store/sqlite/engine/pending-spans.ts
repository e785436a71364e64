import type { Clock } from "../../../runtime/clock.js";

/** Spans after which a commit does not wait for the interval. */
const MAX_SPANS = 10_000;
/** The same for the bytes of records, which are in memory until they are committed. */
const MAX_BYTES = 16 * 2 ** 20;

/** Options of {@link PendingSpans}. */
export interface PendingSpansOptions {
  /** `trace_store.commit_interval_ms`. */
  readonly commitIntervalMs: number;
  readonly clock: Pick<Clock, "monotonic">;
}

/** Counts the spans since the last commit, and decides when to commit them. */
export class PendingSpans {
  readonly #options: PendingSpansOptions;
  #spans = 0;
  #bytes = 0;
  #sinceMs = 0;
  #lastCommitMs = 0;

  constructor(options: PendingSpansOptions) {
    this.#options = options;
  }

  get spans(): number {
    return this.#spans;
  }

  /** Bytes of their records. */
  get bytes(): number {
    return this.#bytes;
  }

  add(spans: number, bytes: number): void {
    if (this.#spans === 0) this.#sinceMs = this.#options.clock.monotonic();
    this.#spans += spans;
    this.#bytes += bytes;
  }

  /** Takes back what could not be added. */
  remove(spans: number, bytes: number): void {
    this.#spans -= spans;
    this.#bytes -= bytes;
  }

  /** Nothing is pending any more: it is lost. */
  clear(): void {
    this.#spans = 0;
    this.#bytes = 0;
  }

  /** Everything is committed. @param durationMs - of the commit. */
  commit(durationMs: number): void {
    this.#lastCommitMs = durationMs;
    this.clear();
  }

  /** True if so much is pending that a commit must not wait. */
  get isMuch(): boolean {
    return this.#spans >= MAX_SPANS || this.#bytes >= MAX_BYTES;
  }

  /** A span is committed within the interval, so the commit begins as much earlier as the last one took. */
  get isDue(): boolean {
    const { commitIntervalMs, clock } = this.#options;
    const waitMs = commitIntervalMs - Math.min(this.#lastCommitMs, commitIntervalMs / 2);
    return clock.monotonic() - this.#sinceMs >= waitMs;
  }
}
