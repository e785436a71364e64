import { describe, expect, it } from "vitest";
import { SpanTable } from "../../../src/store/traces/span-table.js";

describe("the table of spans", () => {
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
