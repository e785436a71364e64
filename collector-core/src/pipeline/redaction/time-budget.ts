import type { Clock } from "../../runtime/clock.js";

/** The longest that one pattern may take for one text. Ordinary ones take a few milliseconds for 50,000 characters. */
export const MAX_SEARCH_MS = 250;
/** The same while texts are refused: it is known that the pattern can take long. */
const MAX_CAREFUL_SEARCH_MS = 25;
/** After this long a text of any length is tried again. */
const REFUSES_FOR_MS = 60_000;
/** While texts are refused, those are searched that are so much shorter than one that took too long. */
const SHORTER = 10;
/** Texts that are no longer than this cannot take long, and are always searched. */
const SHORT_LENGTH = 64;

/**
 * Bounds the time that a pattern takes. A text that uses the budget up fails, and so do texts like it for a minute, before
 * they are searched: the time is lost once a minute, not with every text. Much shorter texts are searched meanwhile,
 * so that one sender of hostile texts does not make the spans of all others fail.
 */
export class TimeBudget {
  #refusesUntilMs = -Infinity;
  /** While texts are refused: the longest that is searched. */
  #maxLength = Infinity;
  #deadlineMs = Infinity;

  /** @param name - of the pattern, as messages have it. */
  constructor(
    private readonly name: string,
    private readonly clock: Pick<Clock, "monotonic">,
  ) {}

  /**
   * Begins with a text.
   *
   * @throws where it is as long as one that took too long within the last minute.
   */
  begin(length: number): void {
    const nowMs = this.clock.monotonic();
    const isRefusing = nowMs < this.#refusesUntilMs;
    if (!isRefusing) this.#maxLength = Infinity;
    if (length > this.#maxLength)
      throw new Error(
        `${this.name} took more than ${MAX_SEARCH_MS} ms for a text: texts of more than ${this.#maxLength} characters fail for ` +
          `${REFUSES_FOR_MS / 1000} seconds, before they are searched`,
      );
    this.#deadlineMs = nowMs + (isRefusing && length > SHORT_LENGTH ? MAX_CAREFUL_SEARCH_MS : MAX_SEARCH_MS);
  }

  /** @throws where the time is up. */
  check(length: number): void {
    const nowMs = this.clock.monotonic();
    if (nowMs <= this.#deadlineMs) return;
    if (nowMs >= this.#refusesUntilMs) this.#refusesUntilMs = nowMs + REFUSES_FOR_MS;
    this.#maxLength = Math.max(SHORT_LENGTH, Math.floor(length / SHORTER));
    throw new Error(`${this.name} took too long for a text of ${length} characters`);
  }
}
