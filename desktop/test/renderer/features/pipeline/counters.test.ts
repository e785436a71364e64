import { describe, expect, it } from "vitest";
import {
  countersOf,
  ratesOf,
  seriesOf,
  windowCounters,
} from "../../../../src/renderer/features/pipeline/counters.js";
import { stats } from "../metrics/stats.js";

const counter = (name: string, value: number, labels: Record<string, string> = {}) => ({
  name,
  labels,
  value,
  type: "counter" as const,
});

describe("the counters of the pipeline", () => {
  it("are summed up by family and by label", () => {
    const counters = countersOf([
      counter("rejected", 2, { reason: "a" }),
      counter("rejected", 5, { reason: "b" }),
      counter("received", 9),
    ]);
    expect(counters.sum("rejected")).toBe(7);
    expect(counters.sum("rejected", { reason: "a" })).toBe(2);
    expect(counters.by("rejected", "reason")).toEqual([
      ["b", 5],
      ["a", 2],
    ]);
    expect(counters.sum("nothing")).toBe(0);
  });

  it("become rates between the first and the last snapshot, and restart with the collector", () => {
    const looks = (values: number[]) =>
      values.map((value, index) => ({ atMs: index * 1000, values: [counter("received", value)] }));
    expect(ratesOf(looks([100, 120, 180])).sum("received")).toBe(40);
    expect(ratesOf(looks([100, 0, 10])).sum("received")).toBe(0);
    expect(ratesOf(looks([100])).sum("received")).toBe(0);
  });

  it("are read from a window, as a sum and point by point", () => {
    const answer = stats({
      pipeline: [
        { name: "lost", labels: { outcome: "a" }, type: "counter", total: 3, values: [0, 1, 2, 0] },
        { name: "lost", labels: { outcome: "b" }, type: "counter", total: 1, values: [1, 0, 0, 0] },
      ],
    });
    expect(windowCounters(answer).sum("lost")).toBe(4);
    expect(seriesOf(answer, "lost")).toEqual([1, 1, 2, 0]);
    expect(seriesOf(answer, "lost", ({ outcome }) => outcome === "b")).toEqual([1, 0, 0, 0]);
  });
});
