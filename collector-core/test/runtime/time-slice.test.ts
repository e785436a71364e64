import { describe, expect, it } from "vitest";
import { TimeSlice } from "../../src/runtime/time-slice.js";
import { countTurns, everLater } from "./loop-turns.js";

/** Works for a number of slices and records each of them. */
async function work(name: string, slices: number, timeSlice: TimeSlice, recorded: string[]): Promise<void> {
  for (let slice = 0; slice < slices; slice++) {
    recorded.push(name);
    await timeSlice.next();
  }
}

describe("time slices", () => {
  it("take one turn of the event loop each, also for concurrent work", async () => {
    const clock = everLater();
    const turns = countTurns();
    await Promise.all(Array.from({ length: 20 }, () => work("", 10, new TimeSlice(clock), [])));
    expect(turns.end()).toBeGreaterThanOrEqual(200);
  });

  it("resume waiting work in the order in which it stopped", async () => {
    const clock = everLater();
    const recorded: string[] = [];
    await Promise.all(["a", "b", "c"].map((name) => work(name, 3, new TimeSlice(clock), recorded)));
    expect(recorded.join("")).toBe("abcabcabc");
  });

  it("alternate between urgent and ordinary work", async () => {
    const clock = everLater();
    const recorded: string[] = [];
    const ordinary = ["a", "b", "c"].map((name) => work(name, 2, new TimeSlice(clock), recorded));
    const urgent = work("!", 3, new TimeSlice(clock, undefined, "urgent"), recorded);
    await Promise.all([...ordinary, urgent]);
    expect(recorded.join("")).toBe("abc!!a!bc");
  });

  it("are shared by work that starts in the same turn", async () => {
    let nowMs = 0;
    const clock = { monotonic: () => nowMs };
    const first = new TimeSlice(clock);
    nowMs += 4;
    const second = new TimeSlice(clock);
    expect([first.isOver(), second.isOver()]).toEqual([false, false]);
    nowMs += 2;
    expect([first.isOver(), second.isOver()]).toEqual([true, true]);
    await second.next();
    expect(second.isOver()).toBe(false);
  });

  it("restart for work that awaited something else", async () => {
    let nowMs = 0;
    const timeSlice = new TimeSlice({ monotonic: () => nowMs });
    // The turn in which the slice started ends before this immediate runs.
    await new Promise((resolve) => setImmediate(resolve));
    nowMs += 60_000;
    expect(timeSlice.isOver()).toBe(false);
  });

  it("end with the signal of their work, and continue for other work", async () => {
    const clock = everLater();
    const abort = new AbortController();
    const leaving = work("leaving", 100, new TimeSlice(clock, abort.signal), []);
    const staying = work("staying", 5, new TimeSlice(clock), []);
    abort.abort(new Error("gone"));
    await expect(leaving).rejects.toThrow("gone");
    await staying;
  });
});
