import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createByteBudget, type ByteAccount, type ByteBudget } from "../../src/in-flight/byte-budget.js";

const MIB = 2 ** 20;
/** So much of 8 MiB may each kind have. */
const HALF = 4 * MIB;

describe("limits.max_in_flight_bytes", () => {
  let nowMs = 0;
  let budget: ByteBudget;
  let bodies: ByteAccount;
  let answers: ByteAccount;

  beforeEach(() => {
    vi.useFakeTimers();
    nowMs = 0;
    budget = createByteBudget({ limitBytes: 2 * HALF, clock: { monotonic: () => nowMs } });
    bodies = budget.account("request_bodies");
    answers = budget.account("answers");
  });
  afterEach(() => void vi.useRealTimers());

  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 250) {
      nowMs += 250;
      await vi.advanceTimersByTimeAsync(250);
    }
  }
  const never = new AbortController().signal;

  it("lets no kind take more than its share, however much is free", () => {
    expect(answers.tryTake(3 * MIB)).toBe(true);
    expect(answers.tryTake(2 * MIB)).toBe(false);
    expect(bodies.tryTake(3 * MIB)).toBe(true);
    expect(budget.usage()).toMatchObject({
      bytes: { answers: 3 * MIB, request_bodies: 3 * MIB },
      refused: { answers: 1, request_bodies: 0 },
    });
  });

  it("has room for the only work of its kind, however large", () => {
    expect(answers.tryTake(100 * MIB)).toBe(true);
    expect(answers.tryTake(1)).toBe(false);
  });

  it("leaves a queue its share where others have the rest, for it cannot ask its senders to come again", () => {
    answers.take(8 * MIB);
    const queue = budget.account("export_queue");
    queue.take(MIB);
    expect(queue.hasRoom(MIB)).toBe(true);
    expect(queue.hasRoom(MIB + 1)).toBe(false);
    bodies.take(1);
    expect(bodies.hasRoom(1)).toBe(false);
  });

  it("lets work wait until there is room, first come, first served", async () => {
    const order: string[] = [];
    bodies.take(HALF);
    const first = bodies.takeWhenAvailable(3 * MIB, never).then(() => order.push("first"));
    const second = bodies.takeWhenAvailable(MIB, never).then(() => order.push("second"));
    bodies.release(MIB);
    await pass(250);
    expect(order).toEqual([]);
    bodies.release(3 * MIB);
    await Promise.all([first, second]);
    expect(order).toEqual(["first", "second"]);
    expect(bodies.bytes).toBe(HALF);
  });

  it("answers overloaded to what waited for five seconds, and holds nothing of it", async () => {
    bodies.take(HALF);
    const waiting = bodies.takeWhenAvailable(MIB, never);
    const refusal = expect(waiting).rejects.toMatchObject({
      code: "overloaded",
      status: 503,
      headers: { "Retry-After": "2" },
      details: { max_in_flight_bytes: 2 * HALF },
    });
    await pass(5000);
    await refusal;
    bodies.release(HALF);
    expect(budget.usage()).toMatchObject({ bytes: { request_bodies: 0 }, refused: { request_bodies: 1 } });
  });

  it("forgets work whose client went away while it waited", async () => {
    const gone = new AbortController();
    bodies.take(HALF);
    const waiting = bodies.takeWhenAvailable(MIB, gone.signal);
    gone.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    bodies.release(HALF);
    expect(bodies.bytes).toBe(0);
    await expect(bodies.takeWhenAvailable(MIB, gone.signal)).rejects.toThrow("gone");
  });

  it("cuts off a stalled transfer once its memory is needed, not before, and never one that moves", async () => {
    const cutOff: string[] = [];
    bodies.take(HALF);
    const stalled = bodies.watch(() => cutOff.push("stalled"));
    const moving = bodies.watch(() => cutOff.push("moving"));
    stalled.moved(10);
    await pass(3000);
    expect(cutOff).toEqual([]);
    bodies.takeWhenAvailable(MIB, never).catch(() => undefined);
    for (let second = 0; second < 3; second++) {
      moving.moved(MIB);
      await pass(1000);
    }
    expect(cutOff).toEqual(["stalled"]);
    expect(budget.usage().cutOff).toMatchObject({ request_bodies: 1 });
  });

  it("leaves stalled transfers of other kinds alone while the whole has room", async () => {
    const cutOff: string[] = [];
    answers.watch(() => cutOff.push("answer"));
    bodies.watch(() => cutOff.push("body"));
    const lines = budget.account("import_lines");
    lines.take(HALF);
    expect(() => lines.require(MIB)).toThrow(expect.objectContaining({ code: "overloaded" }));
    await pass(3000);
    expect(cutOff).toEqual([]);
    answers.take(HALF);
    expect(answers.tryTake(MIB)).toBe(false);
    await pass(3000);
    expect(cutOff).toEqual(["answer", "body"]);
  });

  it("counts what a queue refuses, for which no transfer gives way", async () => {
    let isCutOff = false;
    bodies.watch(() => (isCutOff = true));
    const queue = budget.account("export_queue");
    queue.take(2 * MIB);
    expect(queue.tryTake(1)).toBe(false);
    await pass(3000);
    expect(budget.usage().refused.export_queue).toBe(1);
    expect(isCutOff).toBe(false);
  });

  it("does not take a transfer for stalled that waits for the collector itself", async () => {
    let isCutOff = false;
    answers.take(HALF);
    const answer = answers.watch(() => (isCutOff = true));
    answer.pause();
    expect(answers.tryTake(MIB)).toBe(false);
    await pass(1500);
    answer.resume();
    answer.moved(10);
    expect(answers.tryTake(MIB)).toBe(false);
    await pass(500);
    expect(isCutOff).toBe(false);
    await pass(1000);
    expect(isCutOff).toBe(true);
  });

  it("cuts off no transfer that moves where the only work of its kind is larger than the whole", async () => {
    let isCutOff = false;
    expect(answers.tryTake(100 * MIB)).toBe(true);
    const answer = answers.watch(() => (isCutOff = true));
    for (let second = 0; second < 5; second++) {
      answer.moved(MIB);
      await pass(1000);
    }
    expect(isCutOff).toBe(false);
  });

  it("looks for stalled transfers after a refusal too", async () => {
    let isCutOff = false;
    answers.take(HALF);
    answers.watch(() => (isCutOff = true));
    expect(answers.tryTake(MIB)).toBe(false);
    await pass(1500);
    expect(isCutOff).toBe(true);
  });

  it("disconnects the slowest reader while evicted traces hold more than their share", async () => {
    const cutOff: string[] = [];
    const evicted = budget.account("evicted_traces");
    const slow = answers.watch(() => {
      cutOff.push("slow");
      evicted.release(2 * MIB);
    });
    const quick = answers.watch(() => cutOff.push("quick"));
    evicted.take(3 * MIB);
    slow.moved(MIB);
    quick.moved(2 * MIB);
    await pass(250);
    expect(cutOff).toEqual(["slow"]);
    await pass(5000);
    expect(cutOff).toEqual(["slow"]);
  });
});
