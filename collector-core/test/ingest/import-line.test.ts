import { describe, expect, it } from "vitest";
import { parseImportLine } from "../../src/ingest/import-line.js";

async function turnsOf(line: string): Promise<{ turns: number; value: unknown }> {
  let turns = 0;
  const value = await parseImportLine(Buffer.from(line), {
    isOver: () => true,
    next: () => {
      turns++;
      return Promise.resolve();
    },
  });
  return { turns, value };
}

describe("parseImportLine", () => {
  it("yields between the steps of a long line", async () => {
    const text = "e".repeat(1024 * 1024);
    expect(await turnsOf(`{"x":"${text}"}`)).toEqual({ turns: 3, value: { x: text } });
  });

  it("decodes a long line that is not ASCII in steps, at any character boundary", async () => {
    const text = "a\u00e9\u6f22\u{1f600}".repeat(1024 * 1024);
    const { turns, value } = await turnsOf(`{"x":"${text}"}`);
    expect(turns).toBeGreaterThanOrEqual(20);
    expect((value as { x: string }).x === text).toBe(true);
  });

  it("parses a short line in one step, with or without a byte order mark", async () => {
    expect(await turnsOf('{"x":1}')).toEqual({ turns: 0, value: { x: 1 } });
    expect(await turnsOf('\uFEFF{"x":1}')).toEqual({ turns: 0, value: { x: 1 } });
  });

  it("refuses a short or long line of invalid UTF-8", async () => {
    const timeSlice = { isOver: () => true, next: () => Promise.resolve() };
    for (const length of [1, 2 * 1024 * 1024]) {
      const cut = Buffer.from(`{"x":"${"\u6f22".repeat(length)}`).subarray(0, -1);
      await expect(parseImportLine(cut, timeSlice)).rejects.toMatchObject({ code: "invalid_encoding" });
    }
  });
});
