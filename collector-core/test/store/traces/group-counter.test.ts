import { describe, expect, it } from "vitest";
import { TimeSlice } from "../../../src/runtime/time-slice.js";
import { GroupCounter } from "../../../src/store/traces/group-counter.js";
import type { TraceFigures } from "../../../src/store/traces/group-figures.js";

const FIGURES: TraceFigures = {
  durationMs: 1,
  ttftMs: Number.NaN,
  tokensInput: 1,
  tokensOutput: 1,
  costUsd: 0.5,
  hasComputedCost: false,
  hasError: false,
  scores: [],
};
const slice = (): TimeSlice => new TimeSlice({ monotonic: () => 0 });

describe("the counter of groups", () => {
  it("keeps a million values in its memory, and sums up what is over as one group", async () => {
    const counter = new GroupCounter({ maxHeldBytes: 2 ** 20 });
    for (let n = 0; n < 1_000_000; n++) counter.add([`value ${n}`], FIGURES);
    for (let n = 0; n < 3; n++) counter.add(["value 7"], { ...FIGURES, durationMs: 9 });
    const { groups, other } = await counter.toGroups(slice());
    expect(groups).toHaveLength(200);
    expect(groups[0]).toMatchObject({ value: "value 7", runs: 4, p50_ms: 9, cost_usd: 2 });
    const shown = groups.reduce((runs, group) => runs + group.runs, 0);
    expect(shown + (other?.runs ?? 0)).toBe(1_000_003);
    expect(other?.groups).toBeLessThan(2 ** 20 / 256);
    expect(other?.cost_usd).toBeCloseTo((1_000_003 - shown) / 2, 3);
  });

  it("ranks by a figure over all groups, not over the first 200", async () => {
    const counter = new GroupCounter({ order: "p95" });
    for (let n = 0; n < 1000; n++) counter.add([`value ${n}`], { ...FIGURES, durationMs: n });
    const { groups } = await counter.toGroups(slice());
    expect(groups.map(({ p95_ms: ms }) => ms)).toEqual(Array.from({ length: 200 }, (_, n) => 999 - n));
  });
});
