import { describe, expect, it } from "vitest";
import type { QueuedSpan } from "../../src/export/queued-span.js";
import { createSpanBuffer } from "../../src/export/span-buffer.js";
import type { RecordedSpan } from "../../src/span/recorded-span.js";

/** An entry whose span has ended, or is running. */
function entry(bytes: number, isRunning = false): QueuedSpan {
  const span: unknown = { durationMs: isRunning ? -1 : 1 };
  return { span: span as RecordedSpan, bytes, pricer: undefined };
}

describe("a span buffer", () => {
  it("refuses an entry that exceeds its bounds, and accepts it once there is room", () => {
    const buffer = createSpanBuffer(2, 100);
    const [first, second, third] = [entry(40), entry(40), entry(40)];
    expect([buffer.push(first), buffer.push(entry(61)), buffer.push(second), buffer.push(third)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(buffer.take(1, Infinity)).toEqual([first]);
    expect([buffer.push(third), buffer.size]).toEqual([true, 2]);
  });

  it("takes the oldest entries within a number of bytes, and at least one", () => {
    const buffer = createSpanBuffer(10, 1000);
    const entries = [entry(300), entry(50), entry(60)];
    for (const queued of entries) buffer.push(queued);
    expect(buffer.take(10, 100)).toEqual([entries[0]]);
    expect(buffer.take(10, 100)).toEqual([entries[1]]);
    expect(buffer.take(10, 100)).toEqual([entries[2]]);
    expect(buffer.take(10, 100)).toEqual([]);
  });

  it("finds a running span until it is taken or resized", () => {
    const buffer = createSpanBuffer(10, 1000);
    const [running, taken, ended] = [entry(100, true), entry(100, true), entry(100)];
    for (const queued of [taken, running, ended]) buffer.push(queued);
    expect([buffer.find(running.span), buffer.find(ended.span)]).toEqual([running, undefined]);
    buffer.take(1, Infinity);
    expect(buffer.find(taken.span)).toBeUndefined();
    expect(buffer.resize(running, 900)).toBe(true);
    expect(buffer.find(running.span)).toBeUndefined();
    expect(buffer.push(entry(1))).toBe(false);
  });

  it("removes an entry that has grown beyond the room, and frees its bytes", () => {
    const buffer = createSpanBuffer(10, 1000);
    const running = entry(100, true);
    const other = entry(500);
    buffer.push(running);
    buffer.push(other);
    expect([buffer.resize(running, 600), buffer.size]).toEqual([false, 1]);
    expect([buffer.push(entry(500)), buffer.push(entry(1))]).toEqual([true, false]);
    expect(buffer.take(1, Infinity)).toEqual([other]);
  });
});
