import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NUMBER_END, startsNumber } from "../../../src/pipeline/redaction/boundaries.js";
import { atLeast, sumsOf } from "../../../src/pipeline/redaction/digit-sums.js";
import { EUROPEAN_IDS } from "../../../src/pipeline/redaction/patterns/national-ids-europe.js";
import { WORLD_IDS } from "../../../src/pipeline/redaction/patterns/national-ids-world.js";
import { FEATURE, textFeatures } from "../../../src/pipeline/redaction/text-features.js";

describe("the digit sums of a text", () => {
  it.each([
    ["", [0]],
    ["2026-11-21", [0, 2, 4, 6, 8]],
    ["7 and 12.50", [0, 1, 2, 4]],
    ["4111 1111 1111 1111", [0, 4, 8, 12, 16]],
    ["(030) 12", [0, 2, 3, 5]],
    ["1, 2", [0, 1]],
    [`${"1".repeat(40)} 22`, [0, 2, 31]],
  ])("%j", (text, sums) => {
    expect(textFeatures(text).digitSums).toBe(sumsOf(...sums));
  });

  it("include every sum when the text has an escape, whose digits do not belong to the number", () => {
    expect(textFeatures(String.raw`\u00e9123-45-6789`).digitSums).toBe(atLeast(0));
  });
});

const before = fc.constantFrom(
  "",
  " ",
  "x ",
  "(",
  ": ",
  "1, ",
  "12 ",
  "id=",
  "No. ",
  "\n",
  String.raw`\n`,
  "é",
);
const after = fc.constantFrom("", " ", ".", ", 7", " 88", ")", "\n", "é", " x");

/** Texts with the form of a number, most of them with a wrong check digit. */
function forms(shape: string): fc.Arbitrary<string> {
  const separators = shape.includes("\\1") ? ["", "-", " ", "\\."] : [""];
  const plain = separators.map((separator) =>
    shape
      .replace(/\(\[[- .]+\]\?\)/, separator)
      .replaceAll("\\1", separator)
      .replace(/\(\?!.*?\)/, ""),
  );
  return fc.oneof(...plain.map((expression) => fc.stringMatching(new RegExp(`^(?:${expression})$`))));
}

describe("the digit counts of a national id rule cover every number of its form", () => {
  it.each([...EUROPEAN_IDS, ...WORLD_IDS].map((rule) => [rule.name, rule] as const))("%s", (_name, rule) => {
    const digits = rule.digits.length === 0 ? atLeast(0) : sumsOf(...rule.digits);
    const expression = new RegExp(`(?:${rule.shape})${NUMBER_END}`, "g");
    let found = 0;
    fc.assert(
      fc.property(before, forms(rule.shape), after, (start, form, end) => {
        const text = start + form + end;
        expression.lastIndex = 0;
        const match = expression.exec(text);
        if (match === null || !startsNumber(text, match.index)) return;
        found++;
        const features = textFeatures(text);
        expect(features.digitSums & digits, text).not.toBe(0);
        if (rule.hasLetter === true) expect(features.flags & FEATURE.capital, text).not.toBe(0);
        const { needsAlone = 0, standsAlone = "always" } = rule;
        if (standsAlone === "always" || standsAlone.test(form))
          expect(features.flags & needsAlone, text).toBe(needsAlone);
      }),
      { seed: 20260101, numRuns: 100 },
    );
    expect(found).toBeGreaterThan(20);
  });
});
