import { describe, expect, it } from "vitest";
import {
  countersOf,
  ratesOf,
  seriesOf,
  windowCounters,
} from "../../src/renderer/features/pipeline/counters.js";
import { edgePath } from "../../src/renderer/features/pipeline/edge-path.js";
import { remedyOf } from "../../src/renderer/features/pipeline/remedies.js";
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

  it("become rates between the first and the last look, and start anew with the collector", () => {
    const looks = (values: number[]) =>
      values.map((value, index) => ({ atMs: index * 1000, values: [counter("received", value)] }));
    expect(ratesOf(looks([100, 120, 180])).sum("received")).toBe(40);
    expect(ratesOf(looks([100, 0, 10])).sum("received")).toBe(0);
    expect(ratesOf(looks([100])).sum("received")).toBe(0);
  });

  it("are read of a window, as a sum and point by point", () => {
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

describe("the way between two stages", () => {
  const box = (left: number, top: number) => ({ left, top, width: 100, height: 60 });

  it("is straight where they stand side by side or below each other", () => {
    expect(edgePath(box(0, 0), box(200, 0)).path).toBe("M100 18H200");
    expect(edgePath(box(0, 0), box(0, 100)).path).toBe("M50 60V100");
  });

  it("is a curve where one is higher", () => {
    expect(edgePath(box(0, 100), box(200, 0)).path).toBe("M100 118C150 118 150 18 200 18");
  });
});

it("says what to do about what is known, and nothing about the rest", () => {
  const refused = {
    time: "",
    first_time: "",
    count: 1,
    method: "POST",
    path: "/",
    status: 401,
    message: "",
    client: "",
    user_agent: "",
  };
  expect(remedyOf({ ...refused, code: "unauthorized" })).toContain("X-API-Key");
  expect(remedyOf({ ...refused, code: "internal_error" })).toBe("–");
});
