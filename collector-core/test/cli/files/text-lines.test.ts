import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textLines } from "../../../src/cli/files/text-lines.js";
import { runAgainst } from "../run-against.js";

/** The lines of a text that arrives in pieces. */
async function linesOf(text: string, size = 3, maxLength = 100): Promise<string[]> {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  const lines: string[] = [];
  for await (const line of textLines(Readable.from(pieces, { objectMode: false }), maxLength))
    lines.push(line);
  return lines;
}

describe("the lines of a file that obspan send reads", () => {
  it("are the same however the text arrives", async () => {
    expect(await linesOf("a\r\nb\rc\n\nlast ü")).toEqual(["a", "b", "c", "", "last ü"]);
    const texts = fc.string({ unit: fc.constantFrom("a", "ü", "🙂", "\r", "\n", "\r\n"), maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 7 }), async (text, size) => {
        const lines = text.split(/\r\n|\n|\r/);
        expect(await linesOf(text, size)).toEqual(lines.at(-1) === "" ? lines.slice(0, -1) : lines);
      }),
    );
  });

  it("do not end at a line separator, which a text in JSON may have", async () => {
    const line = JSON.stringify({ text: "one\u2028two\u2029" });
    expect(await linesOf(`${line}\n`)).toEqual([line]);
  });

  it("have a bound", async () => {
    expect(await linesOf(`${"x".repeat(100)}\n${"y".repeat(100)}`)).toHaveLength(2);
    await expect(linesOf("x".repeat(104))).rejects.toThrow("A line is longer than 100 characters.");
  });

  it.runIf(process.platform === "linux")("fail with the file", async () => {
    const run = await runAgainst((_request, response) => void response.end(), ["send", "/proc/self/mem"]);
    expect(run).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(/^obspan: EIO: .*\n$/) });
  });
});
