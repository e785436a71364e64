import { DamagedStepError } from "./damaged-step.js";
import { BINS, binValue } from "./duration-bins.js";
import type { ByteReader, ByteWriter } from "./step-bytes.js";

const MAX_FLOAT32 = 3.4028234663852886e38;
/** Absorbs the rounding error of `quantile * count`. */
const RANK_TOLERANCE = 1e-9;

/**
 * Durations of any number of spans, counted in bins of at most 1.54 % relative error. Sketches add up: the sum of two
 * sketches is the sketch of all their durations. Every sketch takes 16 KiB; only reads and merges use it, the current
 * step is counted in `LiveSketches`.
 */
export class DurationSketch {
  readonly #counts = new Float64Array(BINS);
  #count = 0;
  #firstBin = BINS;
  #lastBin = -1;
  #minMs = Infinity;
  #maxMs = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /**
   * Returns the smallest duration that at least `quantile` of all durations do not exceed (nearest rank), with a relative
   * error of at most 1.54 %. The result never leaves the range of the durations, so equal durations are exact.
   *
   * @returns milliseconds; undefined without durations.
   */
  quantile(quantile: number): number | undefined {
    if (this.#count === 0) return undefined;
    const rank = quantile * this.#count - RANK_TOLERANCE;
    let below = 0;
    let bin = this.#firstBin;
    for (; bin < this.#lastBin; bin++) {
      below += this.#counts[bin] ?? 0;
      if (below >= rank) break;
    }
    return Math.min(Math.max(binValue(bin), this.#minMs), this.#maxMs);
  }

  add(other: DurationSketch): void {
    for (let bin = other.#firstBin; bin <= other.#lastBin; bin++) this.#addBin(bin, other.#counts[bin] ?? 0);
    this.#addRange(other.#minMs, other.#maxMs);
  }

  clear(): void {
    this.#counts.fill(0, this.#firstBin, this.#lastBin + 1);
    this.#count = 0;
    this.#firstBin = BINS;
    this.#lastBin = -1;
    this.#minMs = Infinity;
    this.#maxMs = 0;
  }

  write(writer: ByteWriter): void {
    const bins = new BinWriter(writer);
    for (let bin = this.#firstBin; bin <= this.#lastBin; bin++) bins.write(bin, this.#counts[bin] ?? 0);
    bins.end(this.#minMs, this.#maxMs);
  }

  /** Adds a sketch that was written. */
  read(reader: ByteReader): void {
    let bin = -1;
    for (let delta = reader.varint(); delta > 0; delta = reader.varint()) {
      bin += delta;
      if (bin >= BINS) throw new DamagedStepError(`a sketch has bin ${bin}, the last is ${BINS - 1}`);
      this.#addBin(bin, reader.varint());
    }
    if (bin < 0) return;
    const minMs = reader.float32();
    const maxMs = reader.float32();
    if (!(minMs >= 0 && minMs <= maxMs && maxMs <= MAX_FLOAT32)) {
      throw new DamagedStepError(`a sketch ranges from ${minMs} to ${maxMs} ms`);
    }
    this.#addRange(minMs, maxMs);
  }

  #addBin(bin: number, count: number): void {
    this.#counts[bin] = Math.min((this.#counts[bin] ?? 0) + count, Number.MAX_SAFE_INTEGER);
    this.#count += count;
    if (bin < this.#firstBin) this.#firstBin = bin;
    if (bin > this.#lastBin) this.#lastBin = bin;
  }

  #addRange(minMs: number, maxMs: number): void {
    if (minMs < this.#minMs) this.#minMs = minMs;
    if (maxMs > this.#maxMs) this.#maxMs = maxMs;
  }
}

/**
 * Writes the bins of a sketch in ascending order: the distance to the bin before and the count, 0, then the range in
 * single precision. An empty sketch is one byte, a bin mostly two.
 */
export class BinWriter {
  readonly #writer: ByteWriter;
  #lastBin = -1;

  constructor(writer: ByteWriter) {
    this.#writer = writer;
  }

  write(bin: number, count: number): void {
    if (count === 0) return;
    this.#writer.varint(bin - this.#lastBin);
    this.#writer.varint(count);
    this.#lastBin = bin;
  }

  end(minMs: number, maxMs: number): void {
    this.#writer.varint(0);
    if (this.#lastBin < 0) return;
    this.#writer.float32(Math.min(minMs, MAX_FLOAT32));
    this.#writer.float32(Math.min(maxMs, MAX_FLOAT32));
  }
}
