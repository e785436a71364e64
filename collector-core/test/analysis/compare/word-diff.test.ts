import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countWords, countWordsOf, wordTokens } from "../../../src/analysis/compare/word-tokens.js";
import { changedShare, wordDiff, type WordDiff } from "../../../src/analysis/compare/word-diff.js";

/** `[-removed-]` and `{+added+}`. */
const shown = ({ pieces }: WordDiff): string =>
  pieces
    .map(({ kind, text }) => (kind === "same" ? text : kind === "removed" ? `[-${text}-]` : `{+${text}+}`))
    .join("");

const textOf = ({ pieces }: WordDiff, without: "removed" | "added"): string =>
  pieces.map(({ kind, text }) => (kind === without ? "" : text)).join("");

describe("the difference of two texts", () => {
  it("has words and signs, and joins what only a few words keep apart", () => {
    expect(
      shown(wordDiff("Adds a credit to the order.", "Adds delivery credit to the customer’s account.")),
    ).toBe("Adds [-a-]{+delivery+} credit to the [-order-]{+customer’s account+}.");
    expect(shown(wordDiff("It left the depot at noon, friend.", "It is at the port now, friend."))).toBe(
      "It [-left the depot at noon-]{+is at the port now+}, friend.",
    );
  });

  it("moves what was added or removed to where it reads best", () => {
    expect(shown(wordDiff("your account. See below.", "your account."))).toBe("your account.[- See below.-]");
    expect(shown(wordDiff("a.x, b.x", "a.x, b.x, c-d.x"))).toBe("a.x, b.x{+, c-d.x+}");
    expect(shown(wordDiff("one\ntwo\n", "one\none more\ntwo\n"))).toBe("one\n{+one more\n+}two\n");
  });

  it("counts the words that differ, as a share of all words of both texts", () => {
    expect(changedShare(wordDiff("one two three four", "one two three five"))).toBe(0.25);
    expect(changedShare(wordDiff("", ""))).toBe(0);
    expect(changedShare(wordDiff("", "new"))).toBe(1);
    expect(changedShare(wordDiff("the same", "the same"))).toBe(0);
  });

  it("compares scripts without spaces by their characters", () => {
    expect(shown(wordDiff("今日は雨です", "今日は雪です"))).toBe("今日は[-雨-]{+雪+}です");
  });

  it("finds a changed word in a text of 2 MB", () => {
    const lines = Array.from({ length: 40_000 }, (_, n) => `line ${n} of a long text that does not change`);
    const after = lines.with(20_000, "line 20000 of a long text that changes");
    const { changed, pieces } = wordDiff(lines.join("\n"), after.join("\n"));
    expect(changed).toBe(4);
    expect(pieces.filter(({ kind }) => kind !== "same").map(({ text }) => text)).toEqual([
      "does not change",
      "changes",
    ]);
  });

  it("finds a changed word in a line of 2 MB", () => {
    const line = "word ".repeat(400_000);
    const { pieces } = wordDiff(`${line}one ${line}`, `${line}two ${line}`);
    expect(pieces.map(({ kind, text }) => [kind, text.length])).toEqual([
      ["same", 2_000_000],
      ["removed", 3],
      ["added", 3],
      ["same", 2_000_001],
    ]);
  });

  it("joins what was added after each of 60,000 lines", () => {
    const numbers = Array.from({ length: 60_000 }, (_, n) => `${n.toString(36)}\n`);
    const diff = wordDiff(numbers.join(""), numbers.map((line) => `${line}q.q.q.q.\n`).join(""));
    expect(diff.pieces.length).toBeLessThan(10);
    expect(diff.changed).toBeGreaterThan(8 * 60_000);
    expect(textOf(diff, "added")).toBe(numbers.join(""));
  });

  it("counts words alike, however long a text is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        expect(countWordsOf(text)).toBe(countWords(wordTokens(text)));
      }),
    );
    expect(countWordsOf("It’s 今日, x_1.")).toBe(countWords(wordTokens("It’s 今日, x_1.")));
  });

  it("shows texts that differ everywhere as replaced", () => {
    const words = (seed: number) =>
      Array.from({ length: 30_000 }, (_, n) => `w${(n * seed) % 9973}`).join(" ");
    const diff = wordDiff(words(7), words(13));
    expect(diff.pieces.map(({ kind }) => kind).slice(-2)).toEqual(["removed", "added"]);
    expect(textOf(diff, "added")).toBe(words(7));
  });

  const text = fc.oneof(
    fc
      .array(fc.constantFrom("a", "b", "c", " ", "\n", ".", "雨"), { maxLength: 60 })
      .map((list) => list.join("")),
    fc.string({ unit: "binary", maxLength: 40 }),
  );

  it("contains both texts, and is the same in both directions", () => {
    fc.assert(
      fc.property(text, text, fc.constantFrom(undefined, 0, 5), (a, b, maxEdits) => {
        const diff = wordDiff(a, b, maxEdits);
        expect(textOf(diff, "added")).toBe(a);
        expect(textOf(diff, "removed")).toBe(b);
        const { changed, words } = wordDiff(b, a, maxEdits);
        expect([changed, words]).toEqual([diff.changed, diff.words]);
        if (a === b) expect(diff.pieces.filter(({ kind }) => kind !== "same")).toEqual([]);
      }),
    );
  });
});
