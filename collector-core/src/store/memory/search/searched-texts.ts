import type { TraceIndex } from "../index/trace-index.js";

/** Texts of which the answers are remembered: one bit of a trace each. */
const MAX_TEXTS = 16;

/**
 * Remembers in two bits of each trace what was found, for the texts that were searched for last: a page that shows a
 * list, its facets and its histogram, and asks for them again as traces come, has each trace looked through once.
 */
export class SearchedTexts {
  /** By bit; the text that was asked for last stands last in {@link #byUse}. */
  readonly #texts: string[] = [];
  #byUse: number[] = [];

  constructor(private readonly index: Pick<TraceIndex, "blocks">) {}

  /**
   * The bit of a text in `TraceBlock.hasText`. It must not outlive the search that asks, of which there are fewer
   * at once than texts.
   */
  bitOf(text: string): number {
    let index = this.#texts.indexOf(text);
    if (index === -1) {
      index = this.#texts.length < MAX_TEXTS ? this.#texts.length : (this.#byUse[0] ?? 0);
      this.#texts[index] = text;
      for (const block of this.index.blocks) block.forgetText(1 << index);
    }
    this.#byUse = [...this.#byUse.filter((used) => used !== index), index];
    return 1 << index;
  }
}
