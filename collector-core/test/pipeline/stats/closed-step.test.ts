import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ClosedStep } from "../../../src/interfaces.js";
import { deserializeStep } from "../../../src/pipeline/stats/closed-step.js";
import { createSpanStats, type SpanStats } from "../../../src/pipeline/stats/span-stats.js";
import { CELL } from "../../../src/pipeline/stats/stats-cells.js";
import { StatsSums } from "../../../src/pipeline/stats/stats-sums.js";
import { addRow } from "../../../src/pipeline/stats/step-blocks.js";
import { ByteReader, ByteWriter } from "../../../src/pipeline/stats/step-bytes.js";
import { randomRuns } from "../../random-runs.js";

const NOON_MS = Date.UTC(2026, 10, 21, 12);
const LABELS = { service: "shop", model: "größtes-modell", span_type: "llm" };

/** A step of one row, whose cells count up from 1. */
const FORMAT_1 =
  "BARzaG9wAANsbG0QZ3LDtsOfdGVzLW1vZGVsbAEAAQECAwEBAQEx//8fAAECAwQFBgcICQoLDA0ODxAREhMBAqgHAQAAAAAAAAAgRPQDAQDNzEw9zcxMPTicunk=";

function process(startMs = NOON_MS) {
  let nowMs = startMs;
  const stats = createSpanStats({ clock: { now: () => nowMs, monotonic: () => nowMs } });
  return {
    stats,
    setTime: (ms: number) => void (nowMs = ms),
    count(labels: Record<string, string>, durationMs: number) {
      stats.roll();
      const row = stats.touch(stats.rows.resolve(labels));
      row.cells[CELL.spans] = (row.cells[CELL.spans] ?? 0) + 1;
      row.cells[CELL.costUsd] = (row.cells[CELL.costUsd] ?? 0) + 0.125;
      row.cells[CELL.computedCostUsd] = (row.cells[CELL.computedCostUsd] ?? 0) + 0.0625;
      row.addDuration(durationMs);
      row.addTtft(durationMs / 2);
    },
  };
}

function sumsOf(stats: SpanStats, isCoarse: boolean, model?: string): StatsSums {
  const sums = new StatsSums();
  for (const block of stats.blocksFrom(0, isCoarse)) {
    for (const [index, id] of block.rows.entries()) {
      if (model === undefined || stats.rows.all[id]?.labels.model === model) addRow(block, index, sums);
    }
  }
  return sums;
}

function spans(stats: SpanStats, isCoarse: boolean, model?: string): number | undefined {
  return sumsOf(stats, isCoarse, model).cells[CELL.spans];
}

/** A closed step with two label sets. */
function closedStep(): ClosedStep {
  const { stats, count, setTime } = process();
  count(LABELS, 640);
  count({ ...LABELS, model: "" }, 20);
  setTime(NOON_MS + 10_000);
  const [step] = stats.takeClosed();
  if (step === undefined) throw new Error("No step was closed.");
  return step;
}

function withChecksum(bytes: Uint8Array): Uint8Array {
  const writer = new ByteWriter();
  writer.bytes(bytes);
  writer.uint32(crc32(bytes));
  return writer.toBytes();
}

describe("a closed step", () => {
  it("is read back with the labels, counts and durations that were written", () => {
    const step = closedStep();
    expect(step).toMatchObject({ resolutionSeconds: 10, startSeconds: NOON_MS / 1000, format: 2 });
    const [first, second, ...others] = deserializeStep(step.data);
    expect(others).toEqual([]);
    expect(first?.labels).toMatchObject({ ...LABELS, env: "", evaluation_type: "" });
    expect(second?.labels.model).toBe("");
    const sums = new StatsSums();
    sums.read(new ByteReader(first?.data ?? new Uint8Array()));
    expect(sums.cells[CELL.costUsd]).toBe(0.125);
    expect(sums.cells[CELL.computedCostUsd]).toBe(0.0625);
    expect(sums.duration.quantile(0.95)).toBe(640);
    expect(sums.ttft.quantile(0.95)).toBe(320);
  });

  it("of format 1 that an earlier version wrote is still readable", () => {
    const data = Buffer.from(FORMAT_1, "base64");
    const { stats } = process(NOON_MS + 20_000);
    const written = { resolutionSeconds: 10, startSeconds: NOON_MS / 1000, format: 1, data };
    expect(stats.restore([written])).toMatchObject({ restored: 1, unknownFormat: 0 });
    const [row] = deserializeStep(data);
    expect(row?.labels).toMatchObject({ ...LABELS, agent: "" });
    const sums = new StatsSums();
    sums.read(new ByteReader(row?.data ?? new Uint8Array()));
    expect([...sums.cells]).toEqual([...Array.from({ length: 19 }, (_, cell) => cell + 1), 0]);
    expect([0.5, 0.95].map((quantile) => sums.duration.quantile(quantile)?.toFixed(1))).toEqual([
      "0.0",
      "640.0",
    ]);
    expect(sums.ttft.quantile(0.5)).toBeCloseTo(0.05, 3);
  });

  it("is compact: a label set of one call takes less than 100 bytes", () => {
    const { stats, count, setTime } = process();
    for (let agent = 0; agent < 1000; agent++) count({ ...LABELS, agent: `agent ${agent}` }, 100 + agent);
    setTime(NOON_MS + 10_000);
    expect(stats.takeClosed()[0]?.data.length).toBeLessThan(100_000);
  });

  it("cut at any byte is refused, also with a valid checksum", () => {
    const { data } = closedStep();
    const honestLength = data.length - 4;
    for (let length = 0; length < data.length; length++) {
      const cut = data.subarray(0, length);
      expect(() => deserializeStep(cut)).toThrow("The closed step is damaged");
      if (length === honestLength) continue;
      expect(() => deserializeStep(withChecksum(cut))).toThrow("The closed step is damaged");
    }
  });

  it("with one flipped bit is refused", () => {
    const { data } = closedStep();
    for (let bit = 0; bit < 8 * data.length; bit++) {
      const flipped = data.map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
      expect(() => deserializeStep(flipped)).toThrow("The closed step is damaged");
    }
  });

  it("of hostile bytes with a valid checksum is refused, or gives finite figures", () => {
    const { data } = closedStep();
    const honest = data.subarray(0, data.length - 4);
    const change = fc.record({ at: fc.nat(honest.length - 1), byte: fc.nat(255) });
    const hostile = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.array(change, { minLength: 1, maxLength: 5 }).map((changes) => {
        const bytes = honest.slice();
        for (const { at, byte } of changes) bytes[at] = byte;
        return bytes;
      }),
    );
    fc.assert(
      fc.property(hostile, (bytes) => {
        const { stats } = process(NOON_MS + 60_000);
        const result = stats.restore([
          { resolutionSeconds: 10, startSeconds: NOON_MS / 1000, format: 1, data: withChecksum(bytes) },
        ]);
        expect(result.restored + result.damaged).toBe(1);
        const { cells, duration } = sumsOf(stats, true);
        expect([...cells].every((value) => value >= 0 && Number.isFinite(value))).toBe(true);
        expect(Number.isFinite(duration.quantile(0.5) ?? 0)).toBe(true);
      }),
      { numRuns: randomRuns(120) },
    );
  });

  it("that names more rows or a longer text than a step can have is refused without reading it", () => {
    const rows = new ByteWriter();
    rows.varint(0);
    rows.varint(70_000);
    expect(() => deserializeStep(withChecksum(rows.toBytes()))).toThrow("at most 65535 are allowed");
    const text = new ByteWriter();
    text.varint(1);
    text.text("x".repeat(5000));
    expect(() => deserializeStep(withChecksum(text.toBytes()))).toThrow(
      "a text has 5000 bytes, at most 4096",
    );
  });
});

describe("statistics restored from closed steps", () => {
  it("answer as the process that took them", () => {
    const first = process();
    for (let second = 0; second < 150; second++) {
      first.setTime(NOON_MS + second * 1000);
      first.count(LABELS, 600 + second);
      first.count({ ...LABELS, model: "small" }, 5);
    }
    const steps = first.stats.takeClosed({ includeCurrent: true });
    const second = process(NOON_MS + 300_000);
    expect(second.stats.restore(steps)).toEqual({
      restored: 17,
      unknownFormat: 0,
      outOfRange: 0,
      damaged: 0,
      problem: undefined,
    });
    for (const isCoarse of [false, true]) {
      expect(spans(second.stats, isCoarse)).toBe(300);
      expect(spans(second.stats, isCoarse, "small")).toBe(150);
      expect(second.stats.completeSinceMs(isCoarse)).toBe(NOON_MS);
      const p95 = sumsOf(second.stats, isCoarse, LABELS.model).duration.quantile(0.95);
      expect(Math.abs((p95 ?? 0) - 742)).toBeLessThan(15);
    }
  });

  it("are listed once, and again only when they have grown", () => {
    const first = process(NOON_MS + 32_000);
    first.count(LABELS, 1);
    expect(first.stats.takeClosed()).toEqual([]);
    const taken = first.stats.takeClosed({ includeCurrent: true });
    expect(taken.map(({ startSeconds }) => startSeconds)).toEqual([NOON_MS / 1000 + 30]);
    expect(first.stats.takeClosed({ includeCurrent: true })).toEqual([]);

    const second = process(NOON_MS + 37_000);
    second.stats.restore(taken);
    second.count(LABELS, 1);
    expect(spans(second.stats, false)).toBe(2);
    second.setTime(NOON_MS + 60_000);
    const closed = second.stats.takeClosed();
    expect(closed.map(({ resolutionSeconds, startSeconds }) => [resolutionSeconds, startSeconds])).toEqual([
      [10, NOON_MS / 1000 + 30],
      [60, NOON_MS / 1000],
    ]);
    const third = process(NOON_MS + 3600_000);
    third.stats.restore(closed);
    expect(spans(third.stats, false)).toBe(2);
    expect(spans(third.stats, true)).toBe(2);
  });

  it("close a minute that the stopped process left open, once", () => {
    const first = process(NOON_MS + 32_000);
    first.count(LABELS, 1);
    const taken = first.stats.takeClosed({ includeCurrent: true });
    const second = process(NOON_MS + 90_000);
    second.stats.restore(taken);
    expect(spans(second.stats, true)).toBe(1);
    expect(second.stats.takeClosed().map(({ resolutionSeconds }) => resolutionSeconds)).toEqual([60]);
    second.stats.restore([]);
    expect(spans(second.stats, true)).toBe(1);
  });

  it("ignore and count unknown formats, damaged steps, and steps that are old or in the future", () => {
    const step = closedStep();
    const { stats } = process(NOON_MS + 60_000);
    const result = stats.restore([
      { ...step, format: 99, data: new Uint8Array([1, 2, 3]) },
      { ...step, data: step.data.subarray(1) },
      { ...step, resolutionSeconds: 30 },
      { ...step, startSeconds: step.startSeconds + 1 },
      { ...step, startSeconds: step.startSeconds - 7200 },
      { ...step, startSeconds: step.startSeconds + 3600 },
      { ...step, resolutionSeconds: 60, startSeconds: step.startSeconds + 60 },
      step,
    ]);
    expect(result).toMatchObject({ restored: 1, unknownFormat: 1, damaged: 3, outOfRange: 3 });
    expect(result.problem).toContain("The closed step is damaged");
    expect(spans(stats, false)).toBe(2);
  });

  it("share the row `__other__` when there are more label sets than rows", () => {
    const first = process();
    for (let agent = 0; agent < 1990; agent++) first.count({ agent: `a${agent}` }, agent);
    first.setTime(NOON_MS + 10_000);
    const steps = first.stats.takeClosed();
    const second = process(NOON_MS + 60_000);
    for (let agent = 0; agent < 1000; agent++) second.count({ agent: `b${agent}` }, agent);
    second.stats.restore(steps);
    expect(second.stats.rows.all).toHaveLength(2000);
    expect(spans(second.stats, false)).toBe(2990);
  });
});
