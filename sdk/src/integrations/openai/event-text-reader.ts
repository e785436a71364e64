/** Reads the `data` of server-sent events out of bytes that come in any pieces. */
export class EventTextReader {
  readonly #decoder = new TextDecoder();
  readonly #onData: (data: string) => void;
  #rest = "";
  #data: string[] = [];

  /** @param onData - called with the text of each event; not with the `[DONE]` at the end of a stream. */
  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  read(bytes: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#readLine(line);
  }

  /** Takes what stands at the end without a line break behind it. */
  finish(): void {
    this.#readLine(this.#rest);
    this.#readLine("");
    this.#rest = "";
  }

  #readLine(line: string): void {
    if (line.startsWith("data:")) {
      this.#data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
    } else if (line === "" && this.#data.length > 0) {
      const data = this.#data.join("\n");
      this.#data = [];
      if (data !== "[DONE]") this.#onData(data);
    }
  }
}
