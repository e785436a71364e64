import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NoAnswer, within } from "../../src/runtime/within.js";

describe("within", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("has the result of work that ends in time, and leaves no timer", async () => {
    await expect(within(1000, Promise.resolve(7))).resolves.toBe(7);
    await expect(within(1000, Promise.reject(new Error("full")))).rejects.toThrow("full");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("gives up on work that takes longer", async () => {
    const late = expect(within(1000, new Promise(() => undefined))).rejects.toThrow(NoAnswer);
    await vi.advanceTimersByTimeAsync(1001);
    await late;
  });

  it("takes an answer that arrived while the event loop was busy", async () => {
    let answer: (value: string) => void = () => undefined;
    const result = within(1000, new Promise<string>((resolve) => (answer = resolve)));
    vi.advanceTimersByTime(1000);
    answer("here");
    await vi.runAllTimersAsync();
    await expect(result).resolves.toBe("here");
  });
});
