import { MAX_TEXT_LENGTH, clipText } from "../span/json-value.js";

/** Accumulates the text of a stream. Keeps the first {@link MAX_TEXT_LENGTH} characters. */
export class TextAccumulator {
  #pieces: string[] = [];
  #length = 0;

  /** All characters that were appended, including those that were not kept. */
  get length(): number {
    return this.#length;
  }

  append(text: string): void {
    if (this.#length <= MAX_TEXT_LENGTH) this.#pieces.push(text);
    this.#length += text.length;
    // Joined now and then: many small pieces take more memory than their text.
    if (this.#pieces.length >= 1024) this.#pieces = [this.#pieces.join("")];
  }

  /** The kept text, with a note if it was clipped. */
  toString(): string {
    const text = this.#pieces.join("");
    return text.length <= MAX_TEXT_LENGTH ? text : clipText(text);
  }
}
