import { describe, expect, it } from "vitest";
import type { StoredTrace } from "../../src/interfaces.js";
import { linesOfTraces } from "../../src/query/trace-lines.js";
import { TimeSlice } from "../../src/runtime/time-slice.js";

describe("the lines of traces", () => {
  it("hold no trace any more when their reader has left between two traces", async () => {
    let held = 0;
    const trace = (): StoredTrace => {
      held++;
      return { received: (async function* () {})(), release: () => held-- } as unknown as StoredTrace;
    };
    const left = new AbortController();
    let nowMs = 0;
    // Each look at the clock is a second later: every slice is over.
    const timeSlice = new TimeSlice({ monotonic: () => (nowMs += 1000) }, left.signal);
    const lines = linesOfTraces(
      { get: async () => trace() },
      (async function* () {
        left.abort(new Error("left"));
        yield [{ tenant: "", traceId: "a" }];
      })(),
      "1.0.0",
      timeSlice,
      left.signal,
    );
    await expect(lines.next()).rejects.toThrow("left");
    expect(held).toBe(0);
  });
});
