import { MAX_TEXT_LENGTH, clipText } from "./json-value.js";

/** Gathers the text of a stream as it goes by; keeps the first {@link MAX_TEXT_LENGTH} characters. */
export class TextCollector {
  #pieces: string[] = [];
  #length = 0;

  /** Characters seen, kept or not. */
  get length(): number {
    return this.#length;
  }

  append(text: string): void {
    if (this.#length <= MAX_TEXT_LENGTH) this.#pieces.push(text);
    this.#length += text.length;
    // Many small pieces cost more than their text: they are joined now and then.
    if (this.#pieces.length >= 1024) this.#pieces = [this.#pieces.join("")];
  }

  /** What was kept, with a note where that is not all. */
  toString(): string {
    const text = this.#pieces.join("");
    return text.length <= MAX_TEXT_LENGTH ? text : clipText(text);
  }
}
