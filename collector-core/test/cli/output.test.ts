import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { colours } from "../../src/cli/output/colours.js";
import { safeJson, safeLine, safeText } from "../../src/cli/output/safe-text.js";
import { shortTimeText } from "../../src/cli/output/figures.js";
import { wrappedText } from "../../src/cli/output/paragraph.js";
import { tableText, type Column } from "../../src/cli/output/table.js";
import { truncate, widthOf } from "../../src/cli/output/width.js";
import { withNegatedTerms } from "../../src/cli/query-argument.js";

describe("contract 9: a text of a sender cannot drive the terminal", () => {
  it.each([
    ["an escape sequence", "\u001b[2J\u001b]0;title\u0007", String.raw`\x1b[2J\x1b]0;title\x07`],
    ["a control of C1", "\u009b31m", String.raw`\x9b31m`],
    ["a return to the start of the line", "good\rbad", String.raw`good\x0dbad`],
    ["a backspace", "rm\b\bls", String.raw`rm\x08\x08ls`],
    ["a mark of direction", "a\u202etxt.exe\u2066", String.raw`a\u202etxt.exe\u2066`],
    ["a line separator", "a\u2028b", String.raw`a\u2028b`],
    ["a tag", "a\u{e0041}", String.raw`a\u{e0041}`],
    ["half a pair", "a\ud83d", String.raw`a\ud83d`],
  ])("escapes %s", (_what, text, shown) => expect(safeText(text)).toBe(shown));

  it("keeps lines, tabs, emoji and the marks of letters, but not a tower of marks", () => {
    const text = "one\n\ttwo e\u0301 👩‍👩‍👧 می‌خواهم";
    expect(safeText(text)).toBe(text);
    expect(safeText("a\r\nb")).toBe("a\nb");
    expect(safeText(`e${"\u0301".repeat(500)}!`)).toBe(`e${"\u0301".repeat(8)}!`);
    expect(safeLine("  one\n\ttwo\u2028three\u001b ")).toBe(String.raw`one two three\x1b`);
  });
});

it("contract 9: JSON has no character that drives a terminal, and the same value", () => {
  const value = { a: "\u001b\u009b\u202e\u2028\u{e0041}", b: "👩‍👩‍👧 日本" };
  const text = safeJson(value);
  expect(text).toBe(String.raw`{"a":"\u001b\u009b\u202e\u2028\udb40\udc41","b":"👩‍👩‍👧 日本"}`);
  expect(JSON.parse(text)).toEqual(value);
});

interface Row {
  readonly name: string;
  readonly time: string;
  readonly model: string;
}

const COLUMNS: Column<Row>[] = [
  { title: "NAME", text: ({ name }) => name, min: 6 },
  { title: "MODEL", text: ({ model }) => model, min: 8, rank: 1 },
  { title: "TIME", text: ({ time }) => time, align: "right", colour: () => colours(true).red },
];
const ROWS: Row[] = [
  { name: "日本語のとても長い名前です", model: "gpt-4o-mini-2024", time: "2.10 s" },
  { name: "short\u001b[31m\n", model: "", time: "460 ms" },
];

function linesIn(columns: number | undefined): string[] {
  return tableText(COLUMNS, ROWS, { columns, colours: colours(false) })
    .trimEnd()
    .split("\n");
}

describe("contract 9: tables fit the terminal", () => {
  it("aligns wide characters, and truncates nothing without a terminal", () => {
    const lines = linesIn(undefined);
    expect(lines[1]).toContain("日本語のとても長い名前です  gpt-4o-mini-2024  ");
    expect(new Set(lines.map(widthOf))).toEqual(new Set([26 + 2 + 16 + 2 + 6]));
    expect(lines[2]).toContain(String.raw`short\x1b[31m`);
  });

  it.each([20, 24, 30, 40])("takes at most %i columns", (columns) => {
    for (const line of linesIn(columns)) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    expect(linesIn(columns)[0]?.includes("MODEL")).toBe(columns >= 24);
  });

  it("leaves out a column without a text", () => {
    const rows = ROWS.map((row) => ({ ...row, model: "" }));
    const text = tableText(COLUMNS, rows, { columns: 80, colours: colours(false) });
    expect(text).not.toContain("MODEL");
  });

  it("truncates at whole characters", () => {
    expect(truncate("日本語", 5)).toBe("日本…");
    expect(truncate("e\u0301e\u0301e\u0301", 2)).toBe("e\u0301…");
    expect(truncate("👩‍👩‍👧👩‍👩‍👧", 3)).toBe("👩‍👩‍👧…");
    expect(truncate("abc", 3)).toBe("abc");
    expect(truncate("abcd", 3)).toBe("ab…");
  });

  it.each(["日本語の要約エージェント", "𠀀𠀁𠀂𠀃𠀄", "نص عربي طويل", "👍🏽👍🏽👍🏽 done", "a한국어b"])(
    "never exceeds the width: %s",
    (text) => {
      for (let columns = 1; columns < 30; columns++)
        expect(widthOf(truncate(text, columns))).toBeLessThanOrEqual(columns);
    },
  );
});

it("contract 9: a negated condition is no option", () => {
  const command = new Command("traces").option("--query <query>").option("--json").option("-q");
  const moved = (...args: string[]): string[] => withNegatedTerms(args, command);
  expect(moved("traces", "-status:OK", "--json", "model:x")).toEqual([
    "traces",
    "--json",
    "model:x",
    "--",
    "-status:OK",
  ]);
  expect(moved("traces", "--json", "-@a.b:c")).toEqual(["traces", "--json", "--", "-@a.b:c"]);
  expect(moved("traces", "--query", "-status:OK")).toEqual(["traces", "--query", "-status:OK"]);
  expect(moved("traces", "-q", "--url=http://x", "--", "-a:b")).toEqual([
    "traces",
    "-q",
    "--url=http://x",
    "--",
    "-a:b",
  ]);
});

describe("contract 9: the start of a trace in a list that grows", () => {
  it.each([
    [new Date(2026, 10, 23, 9, 5, 7), "09:05:07"],
    [new Date(2026, 10, 22, 23, 59, 59), "22 Nov"],
    [new Date(2025, 8, 3), "Sep 2025"],
  ])("takes 8 columns: %s", (time, text) => {
    expect(shortTimeText(time.toISOString(), new Date(2026, 10, 23, 12))).toBe(text);
  });
});

it.each([
  ["words", "no answer within 30 s", 10, ["no answer", "within 30", "s"]],
  [
    "a word that is too long",
    "see https://shop.example/a now",
    10,
    ["see", "https://sh", "op.example", "/a now"],
  ],
  ["wide characters", "日本語のとても", 5, ["日本", "語の", "とて", "も"]],
  ["a character wider than the terminal", "日本", 1, ["日本"]],
])("contract 9: breaks %s to the terminal and leaves nothing out", (_what, text, columns, lines) => {
  expect(wrappedText(text, columns)).toEqual(lines);
  expect(wrappedText(text, undefined)).toEqual([text]);
});
