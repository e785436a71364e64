import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Hash64Map } from "../../../src/store/traces/hash64-map.js";
import { TablePool } from "../../../src/store/traces/table-pool.js";
import { randomRuns } from "../../random-runs.js";

/** Few distinct halves, some of them at the end of the table: hashes share a home, or differ in one half only. */
const halves = fc.constantFrom(0, 1, 2, 14, 15, 16, 31, -1, -2, 2 ** 31 - 1, -(2 ** 31));
const steps = fc.record({ lo: halves, hi: halves, value: fc.integer({ min: 0, max: 2 ** 31 - 1 }) });

describe("the map of 64-bit hashes", () => {
  it("holds what a Map holds after any sequence of changes", () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 400 }), (sequence) => {
        const map = new Hash64Map(new TablePool());
        const expected = new Map<string, number>();
        for (const { lo, hi, value } of sequence) {
          if (value % 3 === 0) {
            map.delete(lo, hi);
            expected.delete(`${lo} ${hi}`);
          } else {
            map.set(lo, hi, value);
            expected.set(`${lo} ${hi}`, value);
          }
          expect(map.get(lo, hi)).toBe(expected.get(`${lo} ${hi}`) ?? 0);
        }
        for (const { lo, hi } of sequence) expect(map.get(lo, hi)).toBe(expected.get(`${lo} ${hi}`) ?? 0);
      }),
      { seed: 20260101, numRuns: randomRuns(80) },
    );
  });

  it("finds ten thousand hashes while it grows, and none after they are deleted", () => {
    const map = new Hash64Map(new TablePool());
    const hi = (n: number): number => Math.imul(n, 0x9e3779b1);
    for (let n = 0; n < 10_000; n++) map.set(n * 7, hi(n), n + 1);
    for (let n = 0; n < 10_000; n++) expect(map.get(n * 7, hi(n))).toBe(n + 1);
    for (let n = 0; n < 10_000; n += 2) map.delete(n * 7, hi(n));
    for (let n = 0; n < 10_000; n++) expect(map.get(n * 7, hi(n))).toBe(n % 2 === 0 ? 0 : n + 1);
  });
});

describe("the pool of tables", () => {
  it("reuses a table that was given back, cleared", () => {
    const pool = new TablePool();
    const table = pool.take(48);
    table.fill(7);
    pool.giveBack(table);
    const { bytes } = pool;
    expect(pool.take(48)).toBe(table);
    expect(table).toEqual(new Int32Array(48));
    expect(pool.bytes).toBe(bytes);
    expect(pool.take(48)).not.toBe(table);
    expect(pool.bytes).toBeGreaterThan(bytes);
  });

  it("keeps less than 64 KiB of free tables", () => {
    const pool = new TablePool();
    const tables: Int32Array[] = [];
    for (let length = 48; length <= 3 * 2 ** 16; length *= 2) {
      for (let n = 0; n < 20; n++) tables.push(pool.take(length));
    }
    expect(pool.bytes).toBeGreaterThan(20 * 3 * 2 ** 16 * 4);
    for (const table of tables) pool.giveBack(table);
    expect(pool.bytes).toBeLessThan(2 ** 16);
  });
});
