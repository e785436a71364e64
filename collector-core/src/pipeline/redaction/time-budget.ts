import type { Clock } from "../../runtime/clock.js";

/** Maximum time of one pattern for one text. A typical pattern takes a few milliseconds for 50,000 characters. */
export const MAX_SEARCH_MS = 250;
/** Maximum time while the circuit is open: the pattern is known to be slow. */
const MAX_OPEN_SEARCH_MS = 25;
/** After this time the circuit closes, and a text of any length is searched again. */
const OPEN_MS = 60_000;
/** While the circuit is open, only texts shorter by this factor than the slow text are searched. */
const OPEN_LENGTH_DIVISOR = 10;
/** Texts up to this length are always fast and always searched. */
const SHORT_LENGTH = 64;

/**
 * A circuit breaker for slow patterns. A text that exceeds the time fails and opens the circuit for a minute.
 * Meanwhile similar texts fail without a search, so that the time is lost once a minute. Much shorter texts are still
 * searched, so that one sender of hostile texts does not affect the spans of others.
 */
export class TimeBudget {
  readonly #name: string;
  readonly #clock: Pick<Clock, "monotonic">;
  #openUntilMs = -Infinity;
  /** Maximum length of a text while the circuit is open. */
  #maxLength = Infinity;
  #deadlineMs = Infinity;

  /** @param name - name of the pattern, for messages. */
  constructor(name: string, clock: Pick<Clock, "monotonic">) {
    this.#name = name;
    this.#clock = clock;
  }

  /**
   * Starts the time for a text.
   *
   * @throws when the circuit is open and the text is too long.
   */
  begin(length: number): void {
    const nowMs = this.#clock.monotonic();
    const isOpen = nowMs < this.#openUntilMs;
    if (!isOpen) this.#maxLength = Infinity;
    if (length > this.#maxLength)
      throw new Error(
        `${this.#name} took more than ${MAX_SEARCH_MS} ms for a text; texts of more than ${this.#maxLength} characters fail ` +
          `for ${OPEN_MS / 1000} seconds without a search`,
      );
    this.#deadlineMs = nowMs + (isOpen && length > SHORT_LENGTH ? MAX_OPEN_SEARCH_MS : MAX_SEARCH_MS);
  }

  /** @throws when the time is exceeded. */
  check(length: number): void {
    const nowMs = this.#clock.monotonic();
    if (nowMs <= this.#deadlineMs) return;
    if (nowMs >= this.#openUntilMs) this.#openUntilMs = nowMs + OPEN_MS;
    this.#maxLength = Math.max(SHORT_LENGTH, Math.floor(length / OPEN_LENGTH_DIVISOR));
    throw new Error(`${this.#name} took too long for a text of ${length} characters`);
  }
}
