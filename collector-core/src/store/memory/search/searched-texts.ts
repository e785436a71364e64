import type { TraceIndex } from "../index/trace-index.js";

/** Texts with cached results: one bit of a trace each. */
const MAX_TEXTS = 16;

/**
 * Caches results of the most recently searched texts, in two bits of each trace: a page that shows a list, its facets and its
 * histogram, and repeats these queries as traces arrive, searches each trace once.
 */
export class SearchedTexts {
  readonly #index: Pick<TraceIndex, "blocks">;
  /** By bit; {@link #byUse} orders them, most recently used last. */
  readonly #texts: string[] = [];
  #byUse: number[] = [];

  constructor(index: Pick<TraceIndex, "blocks">) {
    this.#index = index;
  }

  /**
   * The bit of a text in `TraceBlock.hasText`, valid during one search. There are fewer concurrent searches than bits.
   */
  bitOf(text: string): number {
    let index = this.#texts.indexOf(text);
    if (index === -1) {
      index = this.#texts.length < MAX_TEXTS ? this.#texts.length : (this.#byUse[0] ?? 0);
      this.#texts[index] = text;
      for (const block of this.#index.blocks) block.clearText(1 << index);
    }
    this.#byUse = [...this.#byUse.filter((used) => used !== index), index];
    return 1 << index;
  }
}
