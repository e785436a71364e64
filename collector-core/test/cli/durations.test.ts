import { describe, expect, it } from "vitest";
import { formatDuration, parseDuration } from "../../src/cli/durations.js";

describe("durations", () => {
  it.each([
    ["0s", 0],
    ["30m", 1800],
    ["12h", 43_200],
    ["7d", 604_800],
    ["2w", 1_209_600],
    ["1.5h", 5400],
  ])("parses %s", (text, seconds) => expect(parseDuration(text)).toBe(seconds));

  it.each(["", "7", "d", "-1d", "7 d", "7D", "1e3d", "0x1d", "7d12h", "99999999d", "NaNs", "١d"])(
    "refuses %j",
    (text) => expect(parseDuration(text)).toBeUndefined(),
  );

  it("shows the largest unit without a fraction", () => {
    expect([1, 90, 3600, 86_400, 1_209_600, 0].map(formatDuration)).toEqual([
      "1 second",
      "90 seconds",
      "1 hour",
      "1 day",
      "14 days",
      "0 seconds",
    ]);
  });
});
