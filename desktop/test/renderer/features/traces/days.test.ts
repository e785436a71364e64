import { describe, expect, it, test } from "vitest";
import {
  dayNumber,
  dayStarts,
  dayTitle,
  hasOtherDay,
} from "../../../../src/renderer/features/traces/days.js";
import { summary } from "../../fake-api.js";

const NOW = new Date(2026, 10, 22, 12);
const today = dayNumber(NOW);
/** Rows that started on these days of November. */
const rowsOf = (...days: number[]) =>
  days.map((day, at) => summary(`t${at}`, { start_time: new Date(2026, 10, day, 8).toISOString() }));

describe("dayStarts", () => {
  it("has no line above the traces of today", () => {
    expect(dayStarts(rowsOf(22, 22), today)).toEqual([]);
  });

  it("has a line above the first trace of every other day", () => {
    expect(dayStarts(rowsOf(22, 22, 21, 21, 21, 12), today)).toEqual([2, 5]);
    expect(dayStarts(rowsOf(21, 21), today)).toEqual([0]);
  });

  it("has no line for a single trace among those of another day", () => {
    expect(dayStarts(rowsOf(22, 21, 22, 22, 21, 21), today)).toEqual([4]);
  });

  it("begins without a line if the rows above are not known", () => {
    expect(dayStarts(rowsOf(21, 21, 20, 20), undefined)).toEqual([2]);
  });
});

test("rows of another day are found wherever they are", () => {
  expect(hasOtherDay(rowsOf(22, 22), NOW)).toBe(false);
  expect(hasOtherDay(rowsOf(22, 21, 22), NOW)).toBe(true);
});

test("a day is named with its year only if it is another one", () => {
  expect(dayTitle(new Date(2026, 10, 12).toISOString(), NOW)).toBe("Thursday 12 November");
  expect(dayTitle(new Date(2025, 10, 12).toISOString(), NOW)).toBe("Wednesday 12 November 2025");
});
