import { binOf, BINS_PER_OCTAVE, OCTAVES } from "./duration-bins.js";
import { BinWriter } from "./duration-sketch.js";
import type { ByteWriter } from "./step-bytes.js";

/** Pages of all sketches: 2 MiB. A sketch needs a page for each octave of its durations, mostly three or four. */
const PAGES = 16 * 1024;
/** Pages that one span can take: one for its duration and one for its time to first token. */
const PAGES_PER_SPAN = 2;
const NO_PAGE = 0;

/**
 * The durations of the current step, a sketch for each index. All sketches share a fixed number of pages, so that memory
 * does not depend on the durations. Empty the sketches when {@link isFull} says so: further durations would be lost.
 */
export class LiveSketches {
  /** The page of each octave of each sketch. */
  readonly #pages: Uint16Array;
  readonly #counts = new Uint32Array(PAGES * BINS_PER_OCTAVE);
  readonly #minMs: Float64Array;
  readonly #maxMs: Float64Array;
  #usedPages = 1;

  constructor(sketches: number) {
    this.#pages = new Uint16Array(sketches * OCTAVES);
    this.#minMs = new Float64Array(sketches).fill(Infinity);
    this.#maxMs = new Float64Array(sketches);
  }

  /** True when the pages may not suffice for another span. */
  get isFull(): boolean {
    return this.#usedPages > PAGES - PAGES_PER_SPAN;
  }

  /** Memory of all sketches. */
  get bytes(): number {
    return this.#pages.byteLength + this.#counts.byteLength + this.#minMs.byteLength + this.#maxMs.byteLength;
  }

  add(sketch: number, ms: number): void {
    const bin = binOf(ms);
    const slot = sketch * OCTAVES + (bin >>> 5);
    let page = this.#pages[slot] ?? NO_PAGE;
    if (page === NO_PAGE) {
      if (this.#usedPages === PAGES) return;
      page = this.#usedPages++;
      this.#pages[slot] = page;
    }
    const at = page * BINS_PER_OCTAVE + (bin & 31);
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    if (ms < (this.#minMs[sketch] ?? 0)) this.#minMs[sketch] = ms;
    if (ms > (this.#maxMs[sketch] ?? 0)) this.#maxMs[sketch] = ms;
  }

  /** Writes a sketch as `DurationSketch` reads it. */
  write(sketch: number, writer: ByteWriter): void {
    const bins = new BinWriter(writer);
    for (let octave = 0; octave < OCTAVES; octave++) {
      const page = this.#pages[sketch * OCTAVES + octave] ?? NO_PAGE;
      if (page === NO_PAGE) continue;
      for (let part = 0; part < BINS_PER_OCTAVE; part++) {
        bins.write(octave * BINS_PER_OCTAVE + part, this.#counts[page * BINS_PER_OCTAVE + part] ?? 0);
      }
    }
    bins.end(this.#minMs[sketch] ?? 0, this.#maxMs[sketch] ?? 0);
  }

  /** Empties all sketches. */
  clear(): void {
    this.#pages.fill(NO_PAGE);
    this.#counts.fill(0, 0, this.#usedPages * BINS_PER_OCTAVE);
    this.#minMs.fill(Infinity);
    this.#maxMs.fill(0);
    this.#usedPages = 1;
  }
}
