import { describe, expect, it } from "vitest";
import { SeededHash } from "../../src/hashing/seeded-hash.js";

const halves = (hash: SeededHash): number[] => {
  const { lo, hi } = hash.ofPair("tenant", "trace");
  return [lo, hi];
};

describe("a seeded hash", () => {
  it("is the same for the same seed", () => {
    const seed = new Int32Array([42, -7]);
    expect(halves(new SeededHash(seed))).toEqual(halves(new SeededHash(Int32Array.from(seed))));
  });

  it("differs between seeds, which are random by default", () => {
    const seeded = halves(new SeededHash(new Int32Array([1, 2])));
    expect(halves(new SeededHash(new Int32Array([1, 3])))).not.toEqual(seeded);
    expect(halves(new SeededHash())).not.toEqual(halves(new SeededHash()));
  });
});
