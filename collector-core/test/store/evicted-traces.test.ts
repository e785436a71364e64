import { describe, expect, it } from "vitest";
import { EvictedTraces } from "../../src/store/evicted-traces.js";

describe("the memory of evicted traces", () => {
  it("always knows the last ones, and never more than twice as many", () => {
    const evicted = new EvictedTraces(64);
    const known = (from: number, to: number): number => {
      let count = 0;
      for (let n = from; n < to; n++) if (evicted.has({ tenant: "", traceId: `t${n}` })) count++;
      return count;
    };
    for (let n = 0; n < 1000; n++) {
      evicted.add({ tenant: "", traceId: `t${n}` });
      expect(known(Math.max(0, n - 47), n + 1)).toBe(Math.min(48, n + 1));
    }
    expect(known(0, 1000)).toBeLessThanOrEqual(96);
    evicted.clear();
    expect(known(0, 1000)).toBe(0);
    expect(evicted.bytes).toBe(0);
  });

  it("forgets nothing for a trace that is evicted again and again", () => {
    const evicted = new EvictedTraces(64);
    evicted.add({ tenant: "", traceId: "first" });
    for (let n = 0; n < 500; n++) evicted.add({ tenant: "", traceId: "again" });
    expect(evicted.has({ tenant: "", traceId: "first" })).toBe(true);
  });

  it("tells tenants apart", () => {
    const evicted = new EvictedTraces(64);
    evicted.add({ tenant: "a", traceId: "bc" });
    expect(evicted.has({ tenant: "ab", traceId: "c" })).toBe(false);
    expect(evicted.has({ tenant: "a", traceId: "bc" })).toBe(true);
  });
});
