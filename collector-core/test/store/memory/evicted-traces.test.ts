import { describe, expect, it } from "vitest";
import { SeededHash } from "../../../src/hashing/seeded-hash.js";
import { EvictedTraces } from "../../../src/store/memory/evicted-traces.js";

describe("the memory of evicted traces", () => {
  const hash = new SeededHash();
  const of = (tenant: string, traceId: string): SeededHash => hash.ofPair(tenant, traceId);

  it("always knows the last ones, and never more than twice as many", () => {
    const evicted = new EvictedTraces(64);
    const known = (from: number, to: number): number => {
      let count = 0;
      for (let n = from; n < to; n++) if (evicted.has(of("", `t${n}`))) count++;
      return count;
    };
    for (let n = 0; n < 1000; n++) {
      evicted.add(of("", `t${n}`));
      expect(known(Math.max(0, n - 47), n + 1)).toBe(Math.min(48, n + 1));
    }
    expect(known(0, 1000)).toBeLessThanOrEqual(96);
    evicted.clear();
    expect(known(0, 1000)).toBe(0);
    expect(evicted.bytes).toBe(0);
  });

  it("forgets nothing for a trace that is evicted again and again", () => {
    const evicted = new EvictedTraces(64);
    evicted.add(of("", "first"));
    for (let n = 0; n < 500; n++) evicted.add(of("", "again"));
    expect(evicted.has(of("", "first"))).toBe(true);
  });

  it("tells tenants apart", () => {
    const evicted = new EvictedTraces(64);
    evicted.add(of("a", "bc"));
    expect(evicted.has(of("ab", "c"))).toBe(false);
    expect(evicted.has(of("a", "bc"))).toBe(true);
  });
});
