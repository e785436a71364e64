import { describe, expect, it } from "vitest";
import { BlockRing } from "../../../src/pipeline/stats/block-ring.js";
import { createSpanStats } from "../../../src/pipeline/stats/span-stats.js";
import { CELL } from "../../../src/pipeline/stats/stats-cells.js";
import { StatsSums } from "../../../src/pipeline/stats/stats-sums.js";
import { addRow, mergeBlocks, packBlock, type BlockRow } from "../../../src/pipeline/stats/step-blocks.js";

function row(id: number, ...cells: number[]): BlockRow {
  const sums = new StatsSums();
  sums.cells.set(cells);
  return { id, write: (writer) => sums.write(writer) };
}

describe("step blocks", () => {
  it("merge row by row, with every number as it was", () => {
    const huge = Number.MAX_VALUE;
    const blocks = [
      packBlock(0, [row(7, 1, 0, 2, 2 ** 40), row(3, 0, 5, 0)]),
      packBlock(10, [row(7, 0, 0.25, 1, 2 ** 40 + 1, 1e-300, huge), row(9)]),
    ];
    const merged = mergeBlocks(0, blocks);
    expect([...merged.rows]).toEqual([7, 3, 9]);
    const sums = new StatsSums();
    addRow(merged, 0, sums);
    expect([...sums.cells.slice(0, 7)]).toEqual([1, 0.25, 3, 2 ** 41 + 1, 1e-300, huge, 0]);
    addRow(merged, 1, sums);
    expect(sums.cells[1]).toBe(5.25);
  });

  it("store only values other than zero", () => {
    expect(packBlock(0, [row(1)]).data.length).toBe(4);
    expect(packBlock(0, [row(1, 1, 0, 0, 0, 100)]).data.length).toBe(6);
  });

  it("are evicted oldest first when the ring is full, and the ring reports the newest evicted step", () => {
    const block = (ms: number) => packBlock(ms, [row(0, 1, 1, 1)]);
    const ring = new BlockRing({ maxBytes: 3 * block(0).bytes });
    for (let ms = 0; ms < 5; ms++) ring.add(block(ms));
    expect(ring.from(0).map(({ startMs }) => startMs)).toEqual([2, 3, 4]);
    expect(ring.evictedMs).toBe(1);
    expect(ring.bytes).toBe(3 * block(0).bytes);
  });

  it("of the same step are merged, and the ring returns each changed block once", () => {
    const ring = new BlockRing({ maxBytes: 1e6 });
    ring.add(packBlock(10, [row(0, 1)]));
    ring.restore(packBlock(0, [row(0, 1)]));
    expect(ring.takeChanged(100).map(({ startMs }) => startMs)).toEqual([10]);
    expect(ring.takeChanged(100)).toEqual([]);
    ring.add(packBlock(0, [row(0, 2)]));
    ring.add(packBlock(100, [row(0, 2)]));
    const [changed, ...others] = ring.takeChanged(100);
    expect(others).toEqual([]);
    const sums = new StatsSums();
    if (changed !== undefined) addRow(changed, 0, sums);
    expect(sums.cells[0]).toBe(3);
    expect(ring.from(0).map(({ startMs }) => startMs)).toEqual([0, 10, 100]);
  });
});

describe("span statistics", () => {
  function createStats() {
    let nowMs = 0;
    const stats = createSpanStats({ clock: { now: () => nowMs, monotonic: () => nowMs } });
    return {
      stats,
      now: () => nowMs,
      advance: (ms: number) => {
        nowMs += ms;
        stats.roll();
      },
    };
  }

  it("contract 3: hold at most 2,000 label sets and 64 MiB", () => {
    const { stats, advance, now } = createStats();
    // Ten more agents than there may be label sets.
    const labels = Array.from({ length: 2010 }, (_, agent) => ({ agent: String(agent) }));
    // Twenty minutes, which the ring of an hour has no room for: its first steps are evicted for their size.
    for (let step = 0; step < 120; step++) {
      for (const [agent, each] of labels.entries()) {
        const touched = stats.touch(stats.rows.resolve(each));
        touched.cells.fill(agent % 2 === 0 ? 1 : 0.5);
        for (let count = 0; count < 8; count++) touched.addDuration((agent + count) % 100);
      }
      advance(10_000);
    }
    expect(stats.rows.all).toHaveLength(2000);
    expect(stats.rows.all.at(-1)?.labels.agent).toBe("__other__");
    // The ring of the last hour may take 24 MiB of the 64.
    expect(stats.bytes).toBeGreaterThan(24 * 1024 * 1024);
    expect(stats.bytes).toBeLessThan(63 * 1024 * 1024);
    expect(stats.completeSinceMs(false)).toBeGreaterThan(0);
    expect(stats.blocksFrom(0, false).at(-2)?.startMs).toBe(now() - 10_000);
  });

  it("lose no duration when the sketches of a step are full, and keep their memory", () => {
    const { stats, advance } = createStats();
    const bytes = stats.rows.sketches.bytes;
    for (let octave = -19; octave < 44; octave++) {
      for (let agent = 0; agent < 500; agent++) {
        const touched = stats.touch(stats.rows.resolve({ agent: String(agent) }));
        touched.cells[CELL.spans] = (touched.cells[CELL.spans] ?? 0) + 1;
        touched.addDuration(1.5 * 2 ** octave);
      }
    }
    const median = (blocks: ReturnType<typeof stats.blocksFrom>) => {
      const sums = new StatsSums();
      for (const block of blocks) for (const index of block.rows.keys()) addRow(block, index, sums);
      expect(sums.cells[CELL.spans]).toBe(63 * 500);
      return sums.duration.quantile(0.5) ?? NaN;
    };
    const blocks = stats.blocksFrom(0, false);
    expect(blocks).toHaveLength(2);
    expect(Math.abs(median(blocks) - 6144)).toBeLessThan(0.02 * 6144);
    expect(stats.rows.sketches.bytes).toBe(bytes);
    advance(60_000);
    expect(stats.blocksFrom(0, false)).toHaveLength(2);
    expect(Math.abs(median(stats.blocksFrom(0, false)) - 6144)).toBeLessThan(0.02 * 6144);
    expect(Math.abs(median(stats.blocksFrom(0, true)) - 6144)).toBeLessThan(0.02 * 6144);
  });
});
