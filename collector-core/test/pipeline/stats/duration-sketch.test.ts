import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DurationSketch } from "../../../src/pipeline/stats/duration-sketch.js";
import { LiveSketches } from "../../../src/pipeline/stats/live-sketches.js";
import { ByteReader, ByteWriter } from "../../../src/pipeline/stats/step-bytes.js";

const QUANTILES = [0.5, 0.75, 0.9, 0.95, 0.99, 0.999];
const MAX_ERROR = 0.02;

/** Counts durations as the current step does, and writes them. */
function written(durations: readonly number[]): Uint8Array {
  const live = new LiveSketches(1);
  for (const ms of durations) live.add(0, ms);
  const writer = new ByteWriter();
  live.write(0, writer);
  return writer.toBytes();
}

function sketchOf(...steps: readonly (readonly number[])[]): DurationSketch {
  const sketch = new DurationSketch();
  for (const durations of steps) sketch.read(new ByteReader(written(durations)));
  return sketch;
}

function exactQuantile(durations: readonly number[], quantile: number): number {
  const sorted = [...durations].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(quantile * sorted.length - 1e-9) - 1)] ?? NaN;
}

function expectExact(sketch: DurationSketch, durations: readonly number[]): void {
  for (const quantile of QUANTILES) {
    const exact = exactQuantile(durations, quantile);
    const error = Math.abs((sketch.quantile(quantile) ?? NaN) - exact);
    expect(error, `p${100 * quantile} of ${durations.length} is ${exact}`).toBeLessThanOrEqual(
      MAX_ERROR * exact,
    );
  }
}

/** Pseudo-random numbers from 0 to 1. */
function randomNumbers(seed: number, count: number): number[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  });
}

const DISTRIBUTIONS: Readonly<Record<string, (random: number) => number>> = {
  uniform: (random) => random * 10_000,
  exponential: (random) => -2000 * Math.log(1 - random),
  "log-uniform from 1 µs to 1e9 ms": (random) => 10 ** (random * 12 - 3),
  "Pareto, with a heavy tail": (random) => 50 / (1 - random) ** 1.2,
  "two far apart": (random) => (random < 0.7 ? 0.02 + random : 60_000 + random),
  "half of them zero": (random) => (random < 0.5 ? 0 : random),
  identical: () => 640,
};

describe("a duration sketch", () => {
  it.each(Object.keys(DISTRIBUTIONS))("is within 2 %% from p50 to p99.9: %s", (name) => {
    const durationOf = DISTRIBUTIONS[name] ?? (() => NaN);
    for (const count of [1, 2, 19, 1000, 20_000]) {
      const durations = randomNumbers(count, count).map(durationOf);
      expectExact(sketchOf(durations), durations);
    }
  });

  it("is within 2 % for any durations, counted in any number of steps", () => {
    const duration = fc.oneof(
      fc.double({ min: 2e-6, max: 1e9, noNaN: true }),
      fc.double({ min: 1e-5, max: 1, noNaN: true }),
      fc.integer({ min: 0, max: 100_000 }),
      fc.constantFrom(0, 0.001, 0.5, 1, 32, 640, 1e9, 2 ** 31, 655.9999999999999),
    );
    fc.assert(
      fc.property(
        fc.array(fc.array(duration, { maxLength: 50 }), { minLength: 1, maxLength: 5 }),
        (steps) => {
          const durations = steps.flat();
          fc.pre(durations.length > 0);
          expectExact(sketchOf(...steps), durations);
        },
      ),
    );
  });

  it.each([0, 0.0001, 0.3, 1, 640, 86_400_000, 1e9])("returns a single duration of %s ms", (ms) => {
    for (const quantile of QUANTILES) expect(sketchOf([ms]).quantile(quantile)).toBeCloseTo(ms, 6);
  });

  it("has no quantile without durations, and none after it is cleared", () => {
    const sketch = sketchOf([5]);
    expect(new DurationSketch().quantile(0.5)).toBeUndefined();
    sketch.clear();
    expect(sketch.quantile(0.5)).toBeUndefined();
    sketch.add(sketchOf([7]));
    expect(sketch.quantile(0.5)).toBe(7);
  });

  it("counts durations below 2 ns as zero, and those above 557 years as the longest", () => {
    expect(sketchOf([1e-9]).quantile(0.5)).toBeCloseTo(0, 8);
    expect(sketchOf([1e300, 1e300]).quantile(0.5)).toBeGreaterThan(1e13);
  });

  it("remains readable with the largest counts", () => {
    const writer = new ByteWriter();
    for (const value of [1, Number.MAX_SAFE_INTEGER, 0]) writer.varint(value);
    for (const ms of [0, 0]) writer.float32(ms);
    const sum = new DurationSketch();
    for (let step = 0; step < 3; step++) sum.read(new ByteReader(writer.toBytes()));
    const merged = new ByteWriter();
    sum.write(merged);
    const read = new DurationSketch();
    read.read(new ByteReader(merged.toBytes()));
    expect(read.quantile(0.99)).toBe(0);
  });

  it("takes two bytes for most bins", () => {
    const durations = randomNumbers(7, 1000).map((random) => 800 * Math.exp(2 * random - 1));
    expect(written(durations).length).toBeLessThan(250);
    expect(written([]).length).toBe(1);
  });
});
