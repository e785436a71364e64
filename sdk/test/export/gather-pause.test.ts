import { expect, it } from "vitest";
import { GatherPause } from "../../src/export/gather-pause.js";

const LIMITS = { spans: 10_000, bytes: 1_000_000 };
const BATCH = { spans: 100, bytes: 5000 };

it("the pause grows to 200 ms while full batches follow one another", () => {
  const pause = new GatherPause(LIMITS);
  let nowMs = 1000;
  const pauses = Array.from({ length: 7 }, () => {
    const pauseMs = pause.next(nowMs, BATCH);
    nowMs += pauseMs + 5;
    return pauseMs;
  });
  expect(pauses).toEqual([10, 20, 40, 80, 160, 200, 200]);
});

it("batches that are full later than the pause never wait", () => {
  const pause = new GatherPause(LIMITS);
  const pauses = [0, 300, 600, 900].map((nowMs) => pause.next(nowMs, BATCH));
  expect(pauses).toEqual([10, 10, 10, 10]);
});

it.each([
  ["spans", { spans: 1501, bytes: 5000 }],
  ["bytes", { spans: 100, bytes: 150_001 }],
])("there is no pause while the %s of one take more than 15 % of the buffer", (_, sent) => {
  const pause = new GatherPause(LIMITS);
  pause.next(0, BATCH);
  expect(pause.next(12, sent)).toBe(0);
  expect(pause.next(13, BATCH)).toBe(10);
});

it("a buffer that is hardly larger than a batch never gathers", () => {
  const pause = new GatherPause({ spans: 500, bytes: 1_000_000 });
  expect([0, 1, 2].map((nowMs) => pause.next(nowMs, BATCH))).toEqual([0, 0, 0]);
});
