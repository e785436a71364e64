import { describe, expect, it } from "vitest";
import { markdownChunks } from "../../../../../src/renderer/features/trace/model/markdown-chunks.js";

const joined = (text: string) =>
  markdownChunks(text)
    .map((chunk) => chunk.text)
    .join("");

describe("markdownChunks", () => {
  it("splits between blocks and loses nothing", () => {
    const text = "## Head\n\nA paragraph of some words.\n\n- one\n\n- two\n\n".repeat(400);
    const chunks = markdownChunks(text);
    expect(joined(text)).toBe(text);
    expect(chunks.length).toBeGreaterThan(3);
    expect(chunks.slice(1).every((chunk) => chunk.text.startsWith("## Head"))).toBe(true);
    expect(chunks.some(({ isPlain }) => isPlain)).toBe(false);
  });

  it("does not split fenced code", () => {
    const code = `\`\`\`ts\n${"const a = 1;\n\n".repeat(300)}\`\`\`\n\n`;
    const chunks = markdownChunks(`${code}After.\n\n${code}`);
    expect(chunks.map((chunk) => chunk.text.slice(0, 5))).toEqual(["```ts", "After"]);
  });

  it.each([
    ["quotes inside of quotes", ">".repeat(3000)],
    ["lists inside of lists", "- ".repeat(1000)],
    ["brackets", "[".repeat(1100)],
    ["stars", "*a ** ".repeat(2) + "**_".repeat(400)],
    ["headings by underlines", "=\n".repeat(1000)],
    [
      "a short table with a million cells",
      `${"|a".repeat(1000)}|\n${"|-".repeat(1000)}|\n${"|\n".repeat(900)}`,
    ],
    ["one block that is too long", "word ".repeat(5000)],
  ])("does not read %s", (_name, text) => {
    expect(markdownChunks(text).every(({ isPlain }) => isPlain)).toBe(true);
    expect(joined(text)).toBe(text);
  });

  it.each([
    ["a table of code", `| name | value |\n|---|---|\n${"| `a` | **b** |\n".repeat(200)}`],
    ["a list of links", "- **name**: [a `link`](https://example.com/a)\n".repeat(100)],
    ["a list in a list", "1. **one** `a`\n   - [two](b) `c` **d**\n".repeat(120)],
    ["code with brackets", `\`\`\`json\n${'[["a"], ["b_c"]],\n'.repeat(200)}\`\`\`\n`],
    ["a rule", `above\n\n${"-".repeat(80)}\n\nbelow`],
    ["marks of a compiler", `error: no such name\n    ${"~".repeat(60)}^${"~".repeat(60)}\n`],
    ["a masked number", `Card ${"*".repeat(64)} 4242`],
  ])("reads %s", (_name, text) => {
    expect(markdownChunks(text).map(({ isPlain }) => isPlain)).toEqual([false]);
  });

  it.each(Array.from("*~`[]!<"))("answers at once for a long run of %s", (mark) => {
    for (const length of [32, 50, 200, 5000]) {
      const before = process.cpuUsage();
      markdownChunks(`${mark.repeat(length)}${"a ".repeat(100)}`);
      expect(process.cpuUsage(before).user / 1000).toBeLessThan(500);
    }
  });

  it("is fast for any text", () => {
    for (const piece of ["a\n", "\n", "```\n", "[](", "> ", " ", "*", "1. "]) {
      const before = process.cpuUsage();
      markdownChunks(piece.repeat(100_000 / piece.length));
      expect(process.cpuUsage(before).user / 1000, JSON.stringify(piece)).toBeLessThan(500);
    }
  });
});
