/** The text of bytes that arrived in pieces. */
export function decodePieces(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join("") + decoder.decode();
}

/** Longest event that is read. A server may send one without an end, which must not fill the memory. */
export const MAX_EVENT_LENGTH = 16 * 1024 * 1024;

/** Reads the `data` of server-sent events from bytes that arrive in any pieces, up to an event that is too long. */
export class SseReader {
  readonly #decoder = new TextDecoder();
  readonly #onData: (data: string) => void;
  #incompleteLine = "";
  /** A carriage return at the end of what arrived: a line feed that follows belongs to it. */
  #carriageReturn = "";
  #dataLines: string[] = [];
  /** Bytes since the last empty line. */
  #size = 0;

  /** @param onData - called with the data of each event, except the `[DONE]` at the end of a stream. */
  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  read(bytes: Uint8Array): void {
    if (this.#size > MAX_EVENT_LENGTH) return;
    this.#size += bytes.length;
    const text = this.#carriageReturn + this.#decoder.decode(bytes, { stream: true });
    // Only the new text is searched: a line with an image arrives in hundreds of pieces.
    const [first = "", ...lines] = text.split(/\r\n|\n|\r(?!$)/);
    this.#carriageReturn = text.endsWith("\r") ? "\r" : "";
    this.#incompleteLine += first;
    for (const line of lines) {
      this.#readLine(this.#incompleteLine);
      this.#incompleteLine = line;
    }
    if (this.#carriageReturn !== "") this.#incompleteLine = this.#incompleteLine.slice(0, -1);
  }

  /** Reads a last event that is not followed by an empty line. */
  finish(): void {
    this.#readLine(this.#incompleteLine);
    this.#readLine("");
    this.#incompleteLine = "";
  }

  #readLine(line: string): void {
    if (line.startsWith("data:")) {
      this.#dataLines.push(line.slice(line.startsWith("data: ") ? 6 : 5));
    } else if (line === "") {
      this.#size = 0;
      const data = this.#dataLines.join("\n");
      const isEvent = this.#dataLines.length > 0 && data !== "[DONE]";
      this.#dataLines = [];
      if (isEvent) this.#onData(data);
    }
  }
}
