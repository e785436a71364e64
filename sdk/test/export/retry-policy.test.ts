import { describe, expect, it } from "vitest";
import { readRetryAfterMs, retryWaitMs, verdictOf } from "../../src/export/retry-policy.js";

describe("spec 4.10 rule 2: waits", () => {
  it("start with retryBackoff and double", () => {
    expect([0, 1, 2, 3].map((retry) => retryWaitMs(retry, 500, undefined, 0))).toEqual([
      500, 1000, 2000, 4000,
    ]);
  });

  it("are lengthened by up to 20 %, never shortened", () => {
    expect([0, 0.5, 1].map((random) => retryWaitMs(0, 500, undefined, random))).toEqual([500, 550, 600]);
  });

  it.each([
    [undefined, 500],
    [100, 500],
    [2000, 2000],
    [3_600_000, 30_000],
    [1e300, 30_000],
  ])("with a Retry-After of %s ms are %d ms: the longer one, at most 30 s", (retryAfterMs, expected) => {
    expect(retryWaitMs(0, 500, retryAfterMs, 0)).toBe(expected);
  });

  it("never overflow a timer", () => {
    expect(retryWaitMs(99, 3_600_000, undefined, 1)).toBeLessThan(2 ** 31);
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-11-21T12:00:00Z");
  it.each([
    [undefined, undefined],
    ["7", 7000],
    [" 7 ", 7000],
    ["0", undefined],
    ["-1", undefined],
    ["1.5", undefined],
    ["1e12", undefined],
    ["soon", undefined],
    ["Sat, 21 Nov 2026 12:00:10 GMT", 10_000],
    ["Sat, 21 Nov 2026 11:00:00 GMT", undefined],
  ])("%j is %s", (header, expected) => {
    expect(readRetryAfterMs(header, now)).toBe(expected);
  });
});

it.each([
  [200, "acked"],
  [202, "acked"],
  [299, "acked"],
  [301, "refused"],
  [400, "refused"],
  [401, "refused"],
  [413, "split"],
  [429, "retry"],
  [500, "retry"],
  [599, "retry"],
])("status %d means %s", (status, verdict) => {
  expect(verdictOf(status)).toBe(verdict);
});
