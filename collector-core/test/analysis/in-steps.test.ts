import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eachInSteps, runSteps, sortedInSteps } from "../../src/analysis/in-steps.js";
import { randomRuns } from "../random-runs.js";

/** Far more than a pause is made for. */
const MANY = 5000;
/** What may be done between two pauses: a sort of 1024 items takes ten comparisons for each. */
const COMPARISONS = 16_000;

describe("sortedInSteps", () => {
  it("sorts as toSorted does, and keeps the order of equal items", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ key: fc.integer({ min: 0, max: 50 }), name: fc.nat() }), { maxLength: MANY }),
        (items) => {
          const byKey = (a: { key: number }, b: { key: number }): number => a.key - b.key;
          expect(runSteps(sortedInSteps(items, byKey))).toEqual(items.toSorted(byKey));
        },
      ),
      { numRuns: randomRuns(20) },
    );
  });

  it("pauses, however many items there are", () => {
    let comparisons = 0;
    const items = Array.from({ length: MANY }, (_, n) => (n * 7919) % MANY);
    const steps = sortedInSteps(items, (a, b) => {
      comparisons++;
      return a - b;
    });
    for (let step = steps.next(); step.done !== true; step = steps.next()) {
      expect(comparisons).toBeLessThan(COMPARISONS);
      comparisons = 0;
    }
  });
});

it("eachInSteps pauses after each thousand items, and visits all in order", () => {
  const seen: number[] = [];
  let pauses = 0;
  const steps = eachInSteps(
    Array.from({ length: MANY }, (_, n) => n),
    (item, index) => seen.push(item - index),
  );
  while (steps.next().done !== true) pauses++;
  expect(pauses).toBe(4);
  expect(seen).toEqual(Array.from({ length: MANY }, () => 0));
});
