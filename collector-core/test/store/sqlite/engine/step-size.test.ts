import { expect, it } from "vitest";
import { StepSize } from "../../../../src/store/sqlite/engine/step-size.js";

it("has as many items in a step as fit in its time, by the step before", () => {
  const size = new StepSize({ first: 100, least: 5, most: 500, targetMs: 10 });
  expect(size.items).toBe(100);
  size.took(100, 40);
  expect(size.items).toBe(25);
  size.took(25, 5);
  expect(size.items).toBe(50);
  // At most twice as many at once, and no more than the limit.
  size.took(50, 0.1);
  expect(size.items).toBe(100);
  for (let step = 0; step < 5; step++) size.took(size.items, 0);
  expect(size.items).toBe(500);
  // However long a step took, the next one gets on.
  size.took(500, 1e9);
  expect(size.items).toBe(5);
});

it("learns nothing from a step that had few items and was short", () => {
  const size = new StepSize({ first: 100, least: 5, most: 500, targetMs: 10 });
  size.took(3, 9);
  expect(size.items).toBe(100);
  // A few items that took too long tell something.
  size.took(50, 100);
  expect(size.items).toBe(5);
});
