import { describe, expect, it } from "vitest";
import { TimeSlice } from "../../src/runtime/time-slice.js";
import { countTurns, everLater } from "./loop-turns.js";

/** Work of `slices` slices; says each of them. */
async function work(name: string, slices: number, timeSlice: TimeSlice, said: string[]): Promise<void> {
  for (let slice = 0; slice < slices; slice++) {
    said.push(name);
    await timeSlice.next();
  }
}

describe("slices of time", () => {
  it("are one to a turn of the event loop, however many work at once", async () => {
    const clock = everLater();
    const turns = countTurns();
    await Promise.all(Array.from({ length: 20 }, () => work("", 10, new TimeSlice(clock), [])));
    expect(turns.end()).toBeGreaterThanOrEqual(200);
  });

  it("go to those who wait in the order in which they stopped", async () => {
    const clock = everLater();
    const said: string[] = [];
    await Promise.all(["a", "b", "c"].map((name) => work(name, 3, new TimeSlice(clock), said)));
    expect(said.join("")).toBe("abcabcabc");
  });

  it("go to urgent work in every second turn, and to the other work in the turns between", async () => {
    const clock = everLater();
    const said: string[] = [];
    const ordinary = ["a", "b", "c"].map((name) => work(name, 2, new TimeSlice(clock), said));
    const urgent = work("!", 3, new TimeSlice(clock, undefined, "urgent"), said);
    await Promise.all([...ordinary, urgent]);
    expect(said.join("")).toBe("abc!!a!bc");
  });

  it("are shared by what begins in the same turn", async () => {
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

  it("start again for work that has waited for something else", async () => {
    let nowMs = 0;
    const timeSlice = new TimeSlice({ monotonic: () => nowMs });
    // The turn in which the slice began ends with what it had scheduled before this.
    await new Promise((resolve) => setImmediate(resolve));
    nowMs += 60_000;
    expect(timeSlice.isOver()).toBe(false);
  });

  it("end with the signal, and only the work that it belongs to", async () => {
    const clock = everLater();
    const abort = new AbortController();
    const leaving = work("leaving", 100, new TimeSlice(clock, abort.signal), []);
    const staying = work("staying", 5, new TimeSlice(clock), []);
    abort.abort(new Error("gone"));
    await expect(leaving).rejects.toThrow("gone");
    await staying;
  });
});
