import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ApiError } from "../../src/api-schema/errors.js";
import { createBodyPace } from "../../src/ingest/body-pace.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A sender that must send 200 bytes in each 300 ms of waiting. */
function createSender() {
  let bytes = 0;
  const pace = createBodyPace({ windowMs: 300, minBytes: 200 }, () => bytes, {
    monotonic: () => Date.now(),
  });
  /** Waits for a piece that is complete after `afterMs`; its bytes arrive evenly. */
  async function piece(count: number, afterMs: number): Promise<unknown> {
    const steps = afterMs / 50;
    const wait = pace.during(new Promise((resolve) => setTimeout(() => resolve("piece"), afterMs)));
    const outcome = wait.catch((error: unknown) => error);
    for (let step = 0; step < steps; step++) {
      bytes += count / steps;
      await vi.advanceTimersByTimeAsync(50);
    }
    return outcome;
  }
  return { pace, piece };
}

it("accepts a steady sender whose pieces take longer than a window", async () => {
  const { piece } = createSender();
  for (let count = 0; count < 5; count++) expect(await piece(360, 450)).toBe("piece");
});

it("ends a sender below the minimum speed, in one wait and over several", async () => {
  const { piece: long } = createSender();
  expect(await long(90, 450)).toMatchObject({ code: "request_timeout" });
  const { piece: short } = createSender();
  expect(await short(50, 100)).toBe("piece");
  expect(await short(50, 100)).toBe("piece");
  expect(await short(50, 150)).toMatchObject({ code: "request_timeout" });
});

it("counts each wait once, without the time between waits", async () => {
  const { pace, piece } = createSender();
  await piece(360, 450);
  await vi.advanceTimersByTimeAsync(10_000);
  await piece(360, 450);
  expect(pace.progress()).toEqual({ bytes: 720, waitedMs: 900 });
});

it("rejects the current wait and later ones after end()", async () => {
  const { pace } = createSender();
  const reason = new ApiError("overloaded", "Other imports are waiting.");
  const wait = pace.during(new Promise(() => undefined));
  pace.end(reason);
  await expect(wait).rejects.toBe(reason);
  await expect(pace.during(Promise.resolve())).rejects.toBe(reason);
});
