import { expect, it } from "vitest";
import { byTime } from "../frameworks/check/traces.mjs";

it("the checks of the frameworks sort spans by time, whatever the length of the fractions", () => {
  const times = [
    "2026-11-23T03:59:59.999999Z",
    "2026-11-23T04:00:00Z",
    "2026-11-23T04:00:00.000001Z",
    "2026-11-23T04:00:00.1Z",
    "2026-11-23T04:00:00.12Z",
    "2026-11-23T04:00:00.120000001Z",
    "2026-11-23T04:00:00.2Z",
    "2026-11-23T04:00:01Z",
  ];
  expect(times.toReversed().sort(byTime)).toEqual(times);
  expect(byTime("2026-11-23T04:00:00Z", "2026-11-23T04:00:00.000Z")).toBe(0);
});
