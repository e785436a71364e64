import { describe, expect, it } from "vitest";
import { RecentHashes } from "../src/recent-hashes.js";

describe("hashes that are remembered for a while", () => {
  it("tells when each was added last, and nothing of one that was not", () => {
    const hashes = new RecentHashes(10);
    hashes.add(1, 7, 100);
    hashes.add(1, 9, 200);
    hashes.add(1, 7, 300);
    expect(hashes.addedAt(1, 7)).toBe(300);
    expect(hashes.addedAt(1, 9)).toBe(200);
    expect(hashes.addedAt(2, 7)).toBeUndefined();
    expect(hashes.addedAt(1, 11)).toBeUndefined();
  });

  it("remembers at least as many as it is made for, and at most twice as many, however many come", () => {
    const hashes = new RecentHashes(100);
    const count = 1000;
    for (let index = 0; index < count; index++) hashes.add(index, index * 2 + 1, index);
    const remembered = Array.from({ length: count }, (_, index) => index).filter(
      (index) => hashes.addedAt(index, index * 2 + 1) === index,
    );
    expect(remembered.length).toBeGreaterThanOrEqual(100);
    expect(remembered.length).toBeLessThanOrEqual(200);
    expect(remembered.slice(-100)).toEqual(Array.from({ length: 100 }, (_, index) => count - 100 + index));
  });

  it("finds its way where many belong in one place, and where a half of the hash is 0", () => {
    const hashes = new RecentHashes(100);
    for (let hi = 0; hi < 200; hi += 2) hashes.add(0, hi, hi);
    expect(hashes.addedAt(0, 0)).toBe(0);
    expect(hashes.addedAt(0, 198)).toBe(198);
    expect(hashes.addedAt(0, 400)).toBeUndefined();
  });
});
