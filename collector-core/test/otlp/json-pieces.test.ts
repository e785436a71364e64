import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonText } from "../../src/otlp/json-pieces.js";
import { runAtOnce, type Steps } from "../../src/runtime/steps.js";

function countSteps(steps: Steps<string>): number {
  let count = 1;
  while (steps.next().done !== true) count++;
  return count;
}

describe("JSON that is written in steps", () => {
  it("equals the result of JSON.stringify", () => {
    const wide = fc
      .constantFrom(1, 3000)
      .chain((length) => fc.jsonValue({ maxDepth: 2 }).map((value) => ({ length, value })));
    fc.assert(
      fc.property(fc.jsonValue(), wide, (value, { length, value: item }) => {
        const list = new Array<unknown>(length).fill(item);
        for (const each of [value, list, { list, value, ["__proto__"]: [list], "": item }])
          expect(runAtOnce(jsonText(each))).toBe(JSON.stringify(each));
      }),
      { numRuns: 50 },
    );
  });

  it("yields every ten thousand characters or so, at any depth of the value", () => {
    const items = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    const entries = Object.fromEntries(items.map(({ index }) => [`key ${index}`, index]));
    for (const value of [items, entries, { a: [[{ items }]] }, [1, { entries }]])
      expect(countSteps(jsonText(value))).toBeGreaterThan(50);
    expect(countSteps(jsonText(items.slice(0, 100)))).toBe(1);
  });

  it("fails like JSON.stringify if a value is nested too deep", () => {
    let value: unknown = new Array<number>(100_000).fill(1);
    for (let level = 0; level < 50_000; level++) value = [value];
    expect(() => runAtOnce(jsonText(value))).toThrow(RangeError);
  });
});
