import { endianness } from "node:os";

/** Bins of an octave, the range from a power of two to the next. */
export const BINS_PER_OCTAVE = 32;
export const OCTAVES = 64;
export const BINS = OCTAVES * BINS_PER_OCTAVE;

/** Exponent of the first octave, in milliseconds. Its bins are empty, except the first: values below 2 ns count as 0. */
const FIRST_EXPONENT = -20;
const MIN_MS = 2 ** (FIRST_EXPONENT + 1);
/** 557 years. Longer durations count in the last bin. */
const MAX_MS = 2 ** (FIRST_EXPONENT + OCTAVES);

const FLOAT64_BIAS = 1023;
/** Bits below the exponent and the first five bits of the mantissa, in the upper half of a double. */
const SHIFT = 15;
const OFFSET = (FLOAT64_BIAS + FIRST_EXPONENT) * BINS_PER_OCTAVE;
const double = new Float64Array(1);
const halves = new Uint32Array(double.buffer);
const UPPER_HALF = endianness() === "LE" ? 1 : 0;

/**
 * Returns the bin of a duration. Bins divide each octave into 32 equal parts, as in an HDR histogram, so the bin is read
 * from the bits of the double: {@link Math.log}, which DDSketch uses, takes several times as long.
 */
export function binOf(ms: number): number {
  if (!(ms >= MIN_MS)) return 0;
  if (ms >= MAX_MS) return BINS - 1;
  double[0] = ms;
  return ((halves[UPPER_HALF] ?? 0) >>> SHIFT) - OFFSET;
}

const VALUES = Float64Array.from({ length: BINS }, (_, bin) => {
  if (bin === 0) return 0;
  const octave = Math.floor(bin / BINS_PER_OCTAVE);
  const width = 2 ** (FIRST_EXPONENT + octave) / BINS_PER_OCTAVE;
  const lower = width * (BINS_PER_OCTAVE + (bin % BINS_PER_OCTAVE));
  const upper = lower + width;
  return (2 * lower * upper) / (lower + upper);
});

/** Returns the value that represents a bin. It differs from each value of the bin by at most 1/65, or 1.54 %. */
export function binValue(bin: number): number {
  return VALUES[bin] ?? 0;
}
