/** Random numbers from a seed, the same in every run. */
export interface RandomSource {
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number;
  /** True in `percent` of 100 cases. */
  inPercent(percent: number): boolean;
  pick<T>(values: readonly [T, ...T[]]): T;
  bytes(count: number): Buffer;
}

/** The Mulberry32 generator. */
export function createRandomSource(seed: number): RandomSource {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    inPercent: (percent) => below(100) < percent,
    pick: (values) => values[below(values.length)] ?? values[0],
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => below(256))),
  };
}
