import { MAX_EVENT_LENGTH } from "../model-client/sse-reader.js";

/** Reads the lines of newline-delimited JSON from bytes that arrive in any pieces. A line that is too long is left out. */
export class LineReader {
  readonly #decoder = new TextDecoder();
  readonly #onLine: (line: string) => void;
  #incomplete = "";

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  read(bytes: Uint8Array): void {
    // Only the new text is searched: a line with an image arrives in hundreds of pieces.
    const [first = "", ...lines] = this.#decoder.decode(bytes, { stream: true }).split("\n");
    if (this.#incomplete.length <= MAX_EVENT_LENGTH) this.#incomplete += first;
    for (const line of lines) {
      this.#readLine(this.#incomplete);
      this.#incomplete = line;
    }
  }

  /** Reads a last line that is not followed by a line break. */
  finish(): void {
    this.#readLine(this.#incomplete);
    this.#incomplete = "";
  }

  #readLine(line: string): void {
    const trimmed = line.length > MAX_EVENT_LENGTH ? "" : line.trim();
    if (trimmed !== "") this.#onLine(trimmed);
  }
}
