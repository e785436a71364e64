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

describe("a line of an import", () => {
  it("gives others their turn between the steps when it is long", async () => {
    const text = "e".repeat(1024 * 1024);
    expect(await turnsOf(`{"x":"${text}"}`)).toEqual({ turns: 3, value: { x: text } });
  });

  it("is decoded in steps when it is not ASCII, wherever the characters begin", async () => {
    const text = "a\u00e9\u6f22\u{1f600}".repeat(1024 * 1024);
    const { turns, value } = await turnsOf(`{"x":"${text}"}`);
    expect(turns).toBeGreaterThanOrEqual(20);
    expect((value as { x: string }).x === text).toBe(true);
  });

  it("is read at once when it is short, with a byte order mark or without", async () => {
    expect(await turnsOf('{"x":1}')).toEqual({ turns: 0, value: { x: 1 } });
    expect(await turnsOf('\uFEFF{"x":1}')).toEqual({ turns: 0, value: { x: 1 } });
  });

  it("is refused when it is not valid UTF-8, however long it is", async () => {
    const timeSlice = { isOver: () => true, next: () => Promise.resolve() };
    for (const length of [1, 2 * 1024 * 1024]) {
      const cut = Buffer.from(`{"x":"${"\u6f22".repeat(length)}`).subarray(0, -1);
      await expect(parseImportLine(cut, timeSlice)).rejects.toMatchObject({ code: "invalid_encoding" });
    }
  });
});
