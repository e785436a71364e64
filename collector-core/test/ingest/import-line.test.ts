import { describe, expect, it } from "vitest";
import { parseImportLine } from "../../src/ingest/import-line.js";

async function turnsOf(line: string): Promise<{ turns: number; value: unknown }> {
  let turns = 0;
  const value = await parseImportLine(Buffer.from(line), () => {
    turns++;
    return Promise.resolve();
  });
  return { turns, value };
}

describe("a line of an import", () => {
  it("gives others their turn between the steps when it is long", async () => {
    const text = "é".repeat(1024 * 1024);
    expect(await turnsOf(`{"x":"${text}"}`)).toEqual({ turns: 3, value: { x: text } });
  });

  it("is read at once when it is short, with a byte order mark or without", async () => {
    expect(await turnsOf('{"x":1}')).toEqual({ turns: 0, value: { x: 1 } });
    expect(await turnsOf('\uFEFF{"x":1}')).toEqual({ turns: 0, value: { x: 1 } });
  });
});
