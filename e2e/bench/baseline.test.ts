import { describe, expect, it } from "vitest";
import { compareWithBaseline, judge, spreadOf, STARTS } from "./baseline.mjs";

const starts = (values: readonly number[], isHigherBetter = false): { name: string; value: number }[][] =>
  values.map((value) => [{ name: "figure", value, isHigherBetter }]);

/** Ten samples around a value, up to `deviation` away. */
const around = (value: number, deviation: number): number[] =>
  Array.from({ length: 10 }, (_, index) => value * (1 + deviation * Math.sin(index * 7)));

/** A part whose figure is what the next start of a checkout measures. */
const partOf = (measure: (isBaseline: boolean) => number) => ({
  measure: async (checkout?: string) => await Promise.resolve(measure(checkout === "before")),
  figures: (value: number) => [{ name: "figure", value }],
});

describe("the comparison with a baseline", () => {
  it("starts both checkouts in turn, ten times each, and neither always first", async () => {
    expect(STARTS.usual).toBe(10);
    let order = "";
    const part = partOf((isBaseline) => {
      order += isBaseline ? "b" : "t";
      return isBaseline ? 100 : 110;
    });
    const { figures, samples } = await compareWithBaseline(part, {
      baseline: "before",
      starts: STARTS.usual,
    });
    expect(order).toBe("tbbt".repeat(5));
    expect(samples).toEqual({ this: Array(10).fill(110), baseline: Array(10).fill(100) });
    expect(figures).toMatchObject([{ name: "figure", changed: 110, baseline: 100, isLost: true }]);
  });

  it("says which checkout cannot be measured, and why", async () => {
    const part = partOf((isBaseline) => {
      if (isBaseline) throw new Error("/v1/live was answered 404.");
      return 1;
    });
    await expect(compareWithBaseline(part, { baseline: "before", starts: 2 })).rejects.toThrow(
      "The baseline cannot be measured. /v1/live was answered 404.",
    );
  });

  it("names the figures that a start of the baseline does not have", async () => {
    const part = partOf((isBaseline) => (isBaseline ? Number.NaN : 1));
    expect(await compareWithBaseline(part, { baseline: "before", starts: 2 })).toMatchObject({
      figures: [],
      notInBaseline: ["figure"],
    });
  });

  it("fails a loss of more than 3 % that the baseline does not show against itself", () => {
    expect(judge(starts(around(104, 0.005)), starts(around(100, 0.005)))).toMatchObject([{ isLost: true }]);
    expect(judge(starts(around(96, 0.005), true), starts(around(100, 0.005), true))).toMatchObject([
      { isLost: true },
    ]);
  });

  it("accepts a loss of up to 3 %, and a gain", () => {
    for (const value of [102.5, 100, 50])
      expect(judge(starts(around(value, 0.001)), starts(around(100, 0.001)))).toMatchObject([
        { isLost: false },
      ]);
    expect(judge(starts(around(150, 0.001), true), starts(around(100, 0.001), true))).toMatchObject([
      { isLost: false },
    ]);
  });

  it("accepts a loss within the spread of the baseline", () => {
    const [figure] = judge(starts(around(106, 0.3)), starts(around(100, 0.3)));
    expect(figure).toMatchObject({ isLost: false });
    expect(figure?.spread).toBeGreaterThan(0.06);
  });

  it("leaves out a figure that a start does not have", () => {
    expect(judge([[{ name: "new", value: 1 }]], [[]])).toEqual([]);
  });

  it("fails a figure that the baseline has, and this checkout not in every start, or not as a number", () => {
    const baseline = starts([100, 100]);
    for (const changed of [[[], starts([100])[0] ?? []], [[], []], starts([100, Number.NaN])])
      expect(judge(changed, baseline)).toMatchObject([{ name: "figure", isLost: true }]);
  });

  it("compares with a baseline of zero", () => {
    const zeros = starts(new Array(10).fill(0) as number[]);
    expect(judge(zeros, zeros)).toMatchObject([{ loss: 0, spread: 0, isLost: false }]);
    expect(judge(starts(around(5, 0.01)), zeros)).toMatchObject([{ isLost: true }]);
  });

  it("compares figures below zero, which are differences", () => {
    expect(judge(starts(around(5, 0.01)), starts(around(-5, 0.01)))).toMatchObject([
      { loss: 2, isLost: true },
    ]);
    expect(judge(starts(around(-6, 0.01)), starts(around(-5, 0.01)))).toMatchObject([{ isLost: false }]);
    expect(spreadOf([-5, -5, -5, -5, -5, -10, -10, -10, -10, -10])).toBeGreaterThan(0.4);
  });

  it("finds no spread in equal samples, and that of two states in samples of both", () => {
    expect(spreadOf(new Array(10).fill(5) as number[])).toBe(0);
    expect(spreadOf([1, 1, 1, 1, 1, 2, 2, 2, 2, 2])).toBeGreaterThan(0.5);
    const most = Array.from({ length: STARTS.most }, (_, index) => index % 2);
    expect(spreadOf(most.map((isOdd) => 1 + isOdd))).toBeGreaterThan(0.5);
  });
});
