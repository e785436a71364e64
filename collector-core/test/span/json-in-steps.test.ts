import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesInSteps, jsonInSteps, writeInSteps } from "../../src/span/json-in-steps.js";
import { runAtOnce, type Steps } from "../../src/runtime/steps.js";
import { randomRuns } from "../random-runs.js";

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
          for (const json of [runAtOnce(jsonInSteps(each)), String(runAtOnce(bytesInSteps(each)))])
            expect(json).toBe(JSON.stringify(each));
      }),
      { numRuns: randomRuns(20) },
    );
  });

  it("yields every ten thousand characters or so, at any depth of the value", () => {
    const items = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    const entries = Object.fromEntries(items.map(({ index }) => [`key ${index}`, index]));
    for (const value of [items, entries, { a: [[{ items }]] }, [1, { entries }]])
      expect(countSteps(jsonInSteps(value))).toBeGreaterThan(50);
    expect(countSteps(jsonInSteps(items.slice(0, 100)))).toBe(1);
  });

  it("writes undefined like JSON.stringify: null in a list, nothing in an object", () => {
    const list = new Array<unknown>(20_000).fill(undefined);
    const members = Object.fromEntries(list.map((item, index) => [`key ${index}`, item]));
    for (const value of [
      list,
      { first: undefined, list, last: undefined },
      members,
      [undefined, { members }],
    ])
      expect(runAtOnce(jsonInSteps(value))).toBe(JSON.stringify(value));
  });

  it("bounds the characters of a step, at any depth of the value", () => {
    const pieces = Array.from({ length: 500 }, (_, index) => ({ index, text: "x".repeat(1000) }));
    const lists = Array.from({ length: 50 }, () => pieces.slice(0, 20));
    for (const value of [pieces, lists, { a: [[{ pieces }]], lists }]) {
      let characters = 0;
      let most = 0;
      const steps = writeInSteps(value, (piece) => (characters += piece.length));
      for (let isDone = false; !isDone; characters = 0) {
        isDone = steps.next().done === true;
        most = Math.max(most, characters);
      }
      expect(most).toBeLessThan(40_000);
    }
  });

  it("fails like JSON.stringify if a value is nested too deep", () => {
    let value: unknown = new Array<number>(100_000).fill(1);
    for (let level = 0; level < 50_000; level++) value = [value];
    expect(() => runAtOnce(jsonInSteps(value))).toThrow(RangeError);
  });
});
