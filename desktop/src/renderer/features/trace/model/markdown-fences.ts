const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)/;
/** Characters of a line to inspect; a fence is at its beginning. */
const LOOKED_AT = 200;

/** Tracks fenced code through the lines of a Markdown text. */
export class MarkdownFences {
  #open = "";

  /** True while a fence is open. */
  get isOpen(): boolean {
    return this.#open !== "";
  }

  /** Takes the next line. True if it is a fence, or inside one. */
  isCode(line: string): boolean {
    const [, fence = "", info = ""] = FENCE.exec(line.slice(0, LOOKED_AT)) ?? [];
    if (this.isOpen) {
      if (fence.startsWith(this.#open) && info.trim() === "") this.#open = "";
      return true;
    }
    // Backticks on the same line make it a code span.
    if (fence.startsWith("`") && info.includes("`")) return false;
    this.#open = fence;
    return this.isOpen;
  }
}
