import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLongerThan } from "../../src/span/value-length.js";

/** Characters of texts and keys, plus one for each value. */
function lengthOf(value: unknown): number {
  if (typeof value === "string") return 1 + value.length;
  if (typeof value !== "object" || value === null) return 1;
  return Object.entries(value).reduce(
    (sum, [key, inner]) => sum + (Array.isArray(value) ? 0 : key.length) + lengthOf(inner),
    1,
  );
}

describe("the length of a value", () => {
  it("is compared with a limit as the sum of its characters and values", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const length = lengthOf(value);
        expect(isLongerThan(value, length)).toBe(false);
        expect(isLongerThan(value, length - 1)).toBe(true);
      }),
    );
  });

  it("is not counted beyond the limit", () => {
    let reads = 0;
    const item = {
      get text(): string {
        reads++;
        return "0123456789";
      },
    };
    expect(isLongerThan(new Array<unknown>(10_000).fill(item), 100)).toBe(true);
    expect(reads).toBeLessThan(10);
  });

  it("is bounded for a value that is nested deeper than the stack", () => {
    let value: unknown = 1;
    for (let level = 0; level < 100_000; level++) value = [value];
    expect(isLongerThan(value, 1_000_000)).toBe(false);
  });
});
