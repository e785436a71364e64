import { describe, expect, it } from "vitest";
import { JsonTexts, OWN_SPAN_LIMITS } from "../../src/otlp/json-texts.js";
import { MAX_RARE_KEYS, SHORTEST_SCANNED } from "../../src/span/json-bounds.js";

const DEPTH = 24;

function arrays(count: number): string {
  return `[${new Array<string>(count - 1).fill("[]").join(",")}]`;
}

function numericKeys(count: number): string {
  return `{${Array.from({ length: count }, (_, index) => `"${String(index)}":0`).join(",")}}`;
}

/** Parses a text again and again; returns how often it was parsed. */
function timesParsed(texts: JsonTexts, text: string, attempts: number): number {
  let parsed = 0;
  for (let attempt = 0; attempt < attempts; attempt++) if (texts.parse(text, DEPTH) !== undefined) parsed++;
  return parsed;
}

describe("the JSON texts of a request", () => {
  it("are parsed up to 400,000 objects and arrays together", () => {
    expect(timesParsed(new JsonTexts(), arrays(50_000), 20)).toBe(8);
    // The first 256 KiB are counted once they are parsed.
    expect(timesParsed(new JsonTexts(), arrays(1000), 1000)).toBe(400);
  });

  it("are parsed up to the bound of their span, and a next span has its own", () => {
    const texts = new JsonTexts();
    for (let span = 0; span < 4; span++) {
      texts.startSpan({ ...OWN_SPAN_LIMITS, maxContainers: 5000 });
      expect(timesParsed(texts, arrays(1000), 20)).toBe(5);
    }
  });

  it("are parsed up to a number of rare keys together, after the first 256 KiB", () => {
    const text = numericKeys(1000);
    const unscanned = Math.floor((SHORTEST_SCANNED - 1) / text.length);
    // The first rare key of an object counts three times.
    const scanned = Math.floor(MAX_RARE_KEYS / 1002);
    expect(timesParsed(new JsonTexts(), text, 1000)).toBe(unscanned + scanned);
  });

  it("have the same depth limit with and without a scan", () => {
    const texts = new JsonTexts();
    const deep = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    const parses = (): boolean[] =>
      [23, 24, 25].map((depth) => texts.parse(deep(depth), DEPTH) !== undefined);
    expect(parses()).toEqual([true, true, false]);
    texts.parse(`"${"x".repeat(SHORTEST_SCANNED)}"`, DEPTH);
    expect(parses()).toEqual([true, true, false]);
  });

  it("cost more the longer they are, and also when they are not JSON", () => {
    const texts = new JsonTexts();
    for (let attempt = 0; attempt < 10; attempt++)
      expect(texts.parse(`${arrays(10_000)},`, DEPTH)).toBeUndefined();
    expect(texts.cost).toBeGreaterThan(2000);
  });

  it("of two requests do not share a bound", () => {
    const [one, two] = [new JsonTexts(), new JsonTexts()];
    one.startSpan({ ...OWN_SPAN_LIMITS, maxContainers: 10 });
    two.startSpan(OWN_SPAN_LIMITS);
    expect(one.parse(arrays(300_000), DEPTH)).toBeUndefined();
    expect(timesParsed(two, arrays(50_000), 20)).toBe(8);
  });
});
