import { describe, expect, it } from "vitest";
import { markdownChunks } from "../../src/renderer/features/trace/model/markdown-chunks.js";

const joined = (text: string) =>
  markdownChunks(text)
    .map((chunk) => chunk.text)
    .join("");

describe("markdownChunks", () => {
  it("cuts between blocks and loses nothing", () => {
    const text = "## Head\n\nA paragraph of some words.\n\n- one\n\n- two\n\n".repeat(400);
    const chunks = markdownChunks(text);
    expect(joined(text)).toBe(text);
    expect(chunks.length).toBeGreaterThan(3);
    expect(chunks.slice(1).every((chunk) => chunk.text.startsWith("## Head"))).toBe(true);
    expect(chunks.some(({ isPlain }) => isPlain)).toBe(false);
  });

  it("does not cut inside of fenced code", () => {
    const code = `\`\`\`ts\n${"const a = 1;\n\n".repeat(300)}\`\`\`\n\n`;
    const chunks = markdownChunks(`${code}After.\n\n${code}`);
    expect(chunks.map((chunk) => chunk.text.slice(0, 5))).toEqual(["```ts", "After"]);
  });

  it.each([
    ["quotes inside of quotes", ">".repeat(3000)],
    ["lists inside of lists", "- ".repeat(1000)],
    ["brackets", "[".repeat(1000)],
    ["stars", "*a ** ".repeat(2) + "**_".repeat(400)],
    ["one block that is too long", "word ".repeat(5000)],
  ])("does not read %s", (_name, text) => {
    expect(markdownChunks(text).every(({ isPlain }) => isPlain)).toBe(true);
    expect(joined(text)).toBe(text);
  });

  it("is quick for anything", () => {
    for (const piece of ["a\n", "\n", "```\n", "[](", "> ", " ", "*", "1. "]) {
      const before = performance.now();
      markdownChunks(piece.repeat(100_000 / piece.length));
      expect(performance.now() - before, JSON.stringify(piece)).toBeLessThan(500);
    }
  });
});
