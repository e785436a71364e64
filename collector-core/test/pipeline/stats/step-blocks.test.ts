import { describe, expect, it } from "vitest";
import { createSpanStats } from "../../../src/pipeline/stats/span-stats.js";
import { bucketQuantile } from "../../../src/pipeline/stats/stats-cells.js";
import { BlockRing, mergeBlocks, packBlock, type BlockRow } from "../../../src/pipeline/stats/step-blocks.js";

function row(id: number, ...cells: number[]): BlockRow {
  return { id, cells: Float64Array.from(cells) };
}

describe("step blocks", () => {
  it("store only values other than zero, and merge row by row", () => {
    const blocks = [packBlock(0, [row(7, 1, 0, 2), row(3, 0, 5, 0)]), packBlock(10, [row(7, 0, 0, 1)])];
    const merged = mergeBlocks(0, blocks, 3);
    expect([...merged.rows]).toEqual([7, 3]);
    expect([...merged.values]).toEqual([1, 3, 5]);
  });

  it("are evicted oldest first when the ring is full, and the ring reports the newest evicted step", () => {
    const block = (ms: number) => packBlock(ms, [row(0, 1, 1, 1)]);
    const ring = new BlockRing({ maxBytes: 3 * block(0).bytes });
    for (let ms = 0; ms < 5; ms++) ring.push(block(ms));
    expect(ring.from(0).map(({ startMs }) => startMs)).toEqual([2, 3, 4]);
    expect(ring.evictedMs).toBe(1);
    expect(ring.bytes).toBe(3 * block(0).bytes);
  });

  it("contract 3: hold at most 2,000 label sets and 64 MiB", () => {
    let nowMs = 0;
    const stats = createSpanStats({
      clock: { now: () => nowMs, monotonic: () => nowMs },
      durationBuckets: Array.from({ length: 20 }, (_, index) => index + 1),
    });
    for (let step = 0; step < 400; step++) {
      stats.roll();
      for (let agent = 0; agent < 2500; agent++) {
        stats.touch(stats.rows.resolve({ agent: String(agent) })).fill(1);
      }
      nowMs += 10_000;
    }
    stats.roll();
    expect(stats.rows.all).toHaveLength(2000);
    expect(stats.rows.all.at(-1)?.labels.agent).toBe("__other__");
    expect(stats.bytes).toBeLessThan(60 * 1024 * 1024);
    expect(stats.completeSinceMs(false)).toBeGreaterThan(nowMs - 3600_000);
    expect(stats.blocksFrom(0, false).at(-2)?.startMs).toBe(nowMs - 10_000);
  });
});

describe("a quantile of histogram buckets", () => {
  const quantile = (counts: number[], q: number) =>
    bucketQuantile(Float64Array.from(counts), 0, [1, 2, 4], q);

  it("equals the result of histogram_quantile", () => {
    expect(quantile([2, 2, 0, 0], 0.5)).toBe(1);
    expect(quantile([2, 2, 0, 0], 0.75)).toBe(1.5);
    expect(quantile([0, 0, 4, 0], 0.5)).toBe(3);
    expect(quantile([0, 0, 0, 3], 0.5)).toBe(4);
    expect(quantile([0, 0, 0, 0], 0.5)).toBeUndefined();
  });
});
