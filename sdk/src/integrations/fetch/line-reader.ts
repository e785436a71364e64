/** Reads the lines of newline-delimited JSON from bytes that arrive in any pieces. */
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
    this.#incomplete += first;
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
    const trimmed = line.trim();
    if (trimmed !== "") this.#onLine(trimmed);
  }
}
