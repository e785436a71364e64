import { describe, expect, it } from "vitest";
import { SeededHash } from "../../../../src/hashing/seeded-hash.js";
import { BY_ID, SpanIndex } from "../../../../src/store/memory/index/span-index.js";
import { INT, NO_ROW, SpanTable } from "../../../../src/store/traces/span-table.js";

describe("the index of spans", () => {
  it("finds every row while it grows, and none that was removed", () => {
    const table = new SpanTable();
    const index = new SpanIndex(table, BY_ID);
    const hash = new SeededHash();
    const rows: number[] = [];
    const find = (n: number): number => {
      const { lo, hi } = hash.of(1, `span ${n}`);
      return index.find(lo, hi);
    };
    for (let n = 0; n < 10_000; n++) {
      const row = table.add();
      const { lo, hi } = hash.of(1, `span ${n}`);
      table.setInt(row, INT.idLo, lo);
      table.setInt(row, INT.idHi, hi);
      index.add(row);
      rows.push(row);
    }
    rows.forEach((row, n) => expect(find(n)).toBe(row));
    rows.forEach((row, n) => {
      if (n % 3 === 0) index.remove(row);
    });
    rows.forEach((row, n) => expect(find(n)).toBe(n % 3 === 0 ? NO_ROW : row));
    expect(find(10_000)).toBe(NO_ROW);
  });

  it("gives the rows of a page back when the last of them goes", () => {
    const table = new SpanTable();
    const rows = Array.from({ length: 5000 }, () => table.add());
    expect(new Set(rows).size).toBe(5000);
    expect(table.bytes).toBe(5 * SpanTable.PAGE_BYTES);
    for (const row of rows) table.remove(row);
    expect(table).toMatchObject({ bytes: 0, rowCount: 0 });
    expect(new Set(Array.from({ length: 3000 }, () => table.add())).size).toBe(3000);
  });
});
