import { describe, expect, it } from "vitest";
import { RecentHashes } from "../../src/hashing/recent-hashes.js";

const GROUP = 5;

describe("RecentHashes", () => {
  it("returns the time of the last insertion, and undefined for an absent hash", () => {
    const hashes = new RecentHashes(10);
    hashes.add(GROUP, { lo: 1, hi: 7 }, 100);
    hashes.add(GROUP, { lo: 1, hi: 9 }, 200);
    hashes.add(GROUP, { lo: 1, hi: 7 }, 300);
    expect(hashes.addedAt(GROUP, { lo: 1, hi: 7 })).toBe(300);
    expect(hashes.addedAt(GROUP, { lo: 1, hi: 9 })).toBe(200);
    expect(hashes.addedAt(GROUP, { lo: 2, hi: 13 })).toBeUndefined();
    expect(hashes.addedAt(GROUP, { lo: 1, hi: 11 })).toBeUndefined();
    expect(hashes.addedAt(GROUP + 16, { lo: 1, hi: 7 })).toBeUndefined();
  });

  it("keeps at least its capacity and at most twice its capacity", () => {
    const hashes = new RecentHashes(100);
    const count = 1000;
    for (let index = 0; index < count; index++) hashes.add(GROUP, { lo: index, hi: index * 2 + 1 }, index);
    const kept = Array.from({ length: count }, (_, index) => index).filter(
      (index) => hashes.addedAt(GROUP, { lo: index, hi: index * 2 + 1 }) === index,
    );
    expect(kept.length).toBeGreaterThanOrEqual(100);
    expect(kept.length).toBeLessThanOrEqual(200);
    expect(kept.slice(-100)).toEqual(Array.from({ length: 100 }, (_, index) => count - 100 + index));
  });

  it("finds the hashes of a group that is larger than a line", () => {
    const hashes = new RecentHashes(1000);
    for (let group = 0; group < 10; group++) {
      for (let index = 0; index < 40; index++)
        hashes.add(group, { lo: index * 31, hi: (group * 40 + index) * 2 }, index);
    }
    for (let group = 0; group < 10; group++) {
      for (let index = 0; index < 40; index++) {
        expect(hashes.addedAt(group, { lo: index * 31, hi: (group * 40 + index) * 2 })).toBe(index);
      }
    }
    expect(hashes.addedAt(3, { lo: 31, hi: 1000 })).toBeUndefined();
  });

  it("handles many hashes of one slot, and hashes with a half of 0", () => {
    const hashes = new RecentHashes(100);
    for (let hi = 0; hi < 200; hi += 2) hashes.add(GROUP, { lo: 0, hi: hi }, hi);
    expect(hashes.addedAt(GROUP, { lo: 0, hi: 0 })).toBe(0);
    expect(hashes.addedAt(GROUP, { lo: 0, hi: 198 })).toBe(198);
    expect(hashes.addedAt(GROUP, { lo: 0, hi: 400 })).toBeUndefined();
  });
});
