/** Reads the lines of newline-delimited JSON from bytes that arrive in any pieces. */
export class LineReader {
  readonly #decoder = new TextDecoder();
  readonly #onLine: (line: string) => void;
  #incomplete = "";

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  read(bytes: Uint8Array): void {
    const lines = (this.#incomplete + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#incomplete = lines.pop() ?? "";
    for (const line of lines) this.#readLine(line);
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
