import { describe, expect, it } from "vitest";
import { NO_ROW } from "../../../src/store/traces/span-table.js";
import { TablePool } from "../../../src/store/traces/table-pool.js";
import { TraceSpanIndex } from "../../../src/store/traces/trace-span-index.js";

describe("the index of a trace's spans", () => {
  it("finds row 0, and no row that was removed", () => {
    const index = new TraceSpanIndex(new TablePool(), 32);
    index.add(5, 6, 0);
    expect(index.find(5, 6)).toBe(0);
    expect(index.find(5, 7)).toBe(NO_ROW);
    index.remove(5, 6);
    expect(index.find(5, 6)).toBe(NO_ROW);
  });

  it("knows a span with calls until the last of them is removed", () => {
    const index = new TraceSpanIndex(new TablePool(), 32);
    index.removeCall(1, 2);
    index.addCall(1, 2);
    index.addCall(1, 2);
    index.removeCall(1, 2);
    expect(index.hasCalls(1, 2)).toBe(true);
    index.removeCall(1, 2);
    expect(index.hasCalls(1, 2)).toBe(false);
  });

  it("gives its memory back to the next index", () => {
    const pool = new TablePool();
    const fill = (): TraceSpanIndex => {
      const index = new TraceSpanIndex(pool, 32);
      for (let n = 0; n < 100; n++) {
        index.add(n, n, n);
        index.addCall(n % 3, 0);
      }
      return index;
    };
    fill().release();
    const { bytes } = pool;
    for (let n = 0; n < 100; n++) fill().release();
    expect(pool.bytes).toBe(bytes);
  });
});
