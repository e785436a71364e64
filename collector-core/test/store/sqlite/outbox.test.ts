import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Outbox, type SentRecords } from "../../../src/store/sqlite/outbox.js";
import { readRecords } from "../../../src/store/sqlite/records/batch-record.js";
import { aSpan, FakeClock, pipelineSpans } from "../span-batches.js";

const KIB = 1024;

/** A batch of one span of about that many bytes. */
function batchOf(bytes: number, name = "span"): ReturnType<typeof pipelineSpans> {
  return pipelineSpans([aSpan({ name, attributes: { prompt_text: "x".repeat(bytes) } })]);
}

function namesIn({ bytes, length }: SentRecords): (string | undefined)[] {
  const records = [...readRecords(Buffer.from(bytes, 0, length))];
  return records.flatMap((record) => record.parse().map((span) => span?.name));
}

describe("the outbox", () => {
  let sent: (SentRecords & { readonly names: readonly (string | undefined)[] })[];
  let clock: FakeClock;
  const outboxWith = (maxUnappliedBytes?: number): Outbox =>
    new Outbox({
      send: (records) => void sent.push({ ...records, names: namesIn(records) }),
      maxUnappliedBytes,
      clock,
    });

  beforeEach(() => {
    sent = [];
    clock = new FakeClock();
    vi.useFakeTimers();
  });
  afterEach(() => void vi.useRealTimers());

  it("sends after 20 ms what has not filled a buffer", () => {
    const outbox = outboxWith();
    void outbox.append(batchOf(10, "a"));
    void outbox.append(batchOf(10, "b"));
    expect(outbox.pendingBytes).toBeGreaterThan(0);
    vi.advanceTimersByTime(19);
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(sent.map(({ names }) => names)).toEqual([["a", "b"]]);
    vi.advanceTimersByTime(1000);
    expect(sent).toHaveLength(1);
  });

  it("sends a buffer that has no room for the next record, at once", () => {
    const outbox = outboxWith();
    for (let n = 0; n < 9; n++) void outbox.append(batchOf(30 * KIB, `n${n}`));
    expect(sent.map(({ names }) => names)).toEqual([["n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"]]);
    expect(sent[0]?.bytes.byteLength).toBe(256 * KIB);
  });

  it("sends a record that is larger than a buffer by itself", () => {
    const outbox = outboxWith();
    void outbox.append(batchOf(10, "small"));
    void outbox.append(batchOf(1024 * KIB, "large"));
    void outbox.append(batchOf(10, "last"));
    outbox.flush();
    expect(sent.map(({ names }) => names)).toEqual([["small"], ["large"], ["last"]]);
    expect(sent[1]?.bytes.byteLength).toBe(sent[1]?.length);
  });

  it("uses a returned buffer again", () => {
    const outbox = outboxWith();
    void outbox.append(batchOf(10));
    outbox.flush();
    const [first] = sent;
    if (first === undefined) throw new Error("Nothing was sent.");
    expect(outbox.applied(first.bytes)).toBe(1);
    void outbox.append(batchOf(10));
    outbox.flush();
    expect(sent[1]?.bytes).toBe(first.bytes);
  });

  it("waits for room in order, and lets as many in as there is room", async () => {
    const outbox = outboxWith(100 * KIB);
    expect(outbox.append(batchOf(101 * KIB, "first"))).toBeUndefined();
    outbox.flush();
    const order: string[] = [];
    const waiting = ["a", "b", "c"].map((name) => {
      const taken = outbox.append(batchOf(60 * KIB, name));
      expect(taken).toBeInstanceOf(Promise);
      return Promise.resolve(taken).then(() => void order.push(name));
    });
    await vi.advanceTimersByTimeAsync(1000);
    expect(order).toEqual([]);
    for (let index = 0; index < sent.length || order.length < 3; index++) {
      outbox.applied(sent[index]?.bytes ?? new ArrayBuffer(0));
      await vi.advanceTimersByTimeAsync(20);
    }
    await Promise.all(waiting);
    expect(order).toEqual(["a", "b", "c"]);
    expect(sent.flatMap(({ names }) => names)).toEqual(["first", "a", "b", "c"]);
  });

  /** Appends records of a megabyte until one waits. @returns how many were taken. */
  function fill(outbox: Outbox): number {
    for (let taken = 0; ; taken++) {
      const room = outbox.append(batchOf(1024 * KIB));
      if (room !== undefined) return taken;
      outbox.flush();
    }
  }

  it("lets wait what the thread would not apply within two seconds, as fast as it was", () => {
    const outbox = outboxWith();
    const all = fill(outbox);
    expect(all).toBeGreaterThan(60);
    // A megabyte in 100 ms: 20 in two seconds.
    for (let applied = 0; applied < all; applied++) {
      clock.advance(100);
      outbox.applied(new ArrayBuffer(0));
    }
    outbox.discard();
    expect(fill(outbox)).toBeGreaterThanOrEqual(19);
    expect(outbox.pendingBytes).toBeLessThan(23 * 1024 * KIB);
  });

  it("lets a little be on its way to a thread that does not answer, and much again when it is fast", () => {
    const outbox = outboxWith();
    void outbox.append(batchOf(1024 * KIB));
    outbox.flush();
    clock.advance(10_000);
    expect(fill(outbox)).toBeLessThan(9);
    for (let applied = 0; applied < 200; applied++) {
      outbox.applied(new ArrayBuffer(0));
      void outbox.append(batchOf(1024 * KIB));
      outbox.flush();
      clock.advance(1);
    }
    outbox.discard();
    expect(fill(outbox)).toBeGreaterThan(60);
  });

  it("lets nothing overtake what waits, also where there is room again", async () => {
    const outbox = outboxWith(10);
    void outbox.append(batchOf(10, "a"));
    outbox.flush();
    const waits = outbox.append(batchOf(10, "b"));
    const last = outbox.append([]);
    expect(last).toBeInstanceOf(Promise);
    outbox.applied(new ArrayBuffer(0));
    await Promise.all([waits, last]);
    outbox.flush();
    expect(sent.flatMap(({ names }) => names)).toEqual(["a", "b"]);
  });

  it("counts spans that wait for room among the pending bytes", async () => {
    const outbox = outboxWith(10);
    void outbox.append(batchOf(10 * KIB));
    outbox.flush();
    const sentBytes = outbox.pendingBytes;
    const waits = outbox.append(batchOf(100 * KIB));
    expect(outbox.pendingBytes).toBeGreaterThan(sentBytes + 100 * KIB);
    expect(outbox.pendingBytes).toBeLessThan(sentBytes + 101 * KIB);
    outbox.applied(new ArrayBuffer(0));
    await waits;
    outbox.flush();
    outbox.applied(new ArrayBuffer(0));
    expect(outbox.pendingBytes).toBe(0);
  });

  it("counts what is lost: sent, not sent and waiting", async () => {
    const outbox = outboxWith(10);
    void outbox.append(pipelineSpans([aSpan(), aSpan()]));
    outbox.flush();
    const waits = outbox.append(pipelineSpans([aSpan(), aSpan(), aSpan()]));
    expect(outbox.discard()).toBe(5);
    await waits;
    expect(outbox.pendingBytes).toBe(0);
    void outbox.append(pipelineSpans([aSpan()]));
    expect(outbox.forgetUnapplied()).toBe(0);
    outbox.flush();
    expect(outbox.forgetUnapplied()).toBe(1);
  });
});
