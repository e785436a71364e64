import { describe, expect, it } from "vitest";
import { NO_SLOT } from "../../../src/store/traces/trace-chain.js";
import { TraceHashTable } from "../../../src/store/traces/trace-hash-table.js";

describe("the table of traces by key", () => {
  it("finds every trace that is there and none that was removed, however many hashes fall together", () => {
    const keys: string[] = [];
    const table = new TraceHashTable((slot, { traceId }) => keys[slot] === traceId);
    // Few distinct hashes, some of them neighbours and some of them at the end of the table, where it begins anew.
    const hashOf = (slot: number): number => (slot % 3 === 0 ? -1 - (slot % 4) : slot % 50);
    const kept = new Set<number>();
    for (let step = 0; step < 5000; step++) {
      const slot = (step * 7919) % 700;
      if (kept.has(slot)) {
        table.remove(hashOf(slot), slot);
        kept.delete(slot);
      } else {
        keys[slot] = `trace ${slot}`;
        table.add(hashOf(slot), slot);
        kept.add(slot);
      }
      if (step % 50 !== 0) continue;
      for (let each = 0; each < 700; each++) {
        const found = table.find(hashOf(each), { tenant: "", traceId: `trace ${each}` });
        expect(found).toBe(kept.has(each) ? each : NO_SLOT);
      }
    }
  });
});
