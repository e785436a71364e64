import { describe, expect, it } from "vitest";
import { buildSpanTree } from "@obspan/collector-core/analysis";
import { barGeometry, noteSide } from "../../../../../src/renderer/features/trace/model/bar-geometry.js";
import {
  fitWindow,
  panWindow,
  revealWindow,
  shareOf,
  ticksOf,
  tickStep,
  windowBetween,
  zoomWindow,
} from "../../../../../src/renderer/features/trace/model/time-scale.js";
import { newSpan } from "../spans.js";

describe("the time scale", () => {
  const whole = fitWindow(14_820);

  it("ends at a nearby ruler line, otherwise close to the trace's end", () => {
    expect(whole).toEqual({ startMs: 0, endMs: 15_000 });
    expect(fitWindow(10_100).endMs).toBeLessThan(10_300);
    expect(fitWindow(0).endMs).toBeGreaterThan(0);
  });

  it.each([
    [14_820, ["0", "3 s", "6 s", "9 s", "12 s", "15 s"]],
    [900, ["0", "200 ms", "400 ms", "600 ms", "800 ms"]],
    [0.5, ["0", "0.1 ms", "0.2 ms", "0.3 ms", "0.4 ms", "0.5 ms"]],
    [80_000, ["0", "30 s", "1 m"]],
    [2 * 3_600_000, ["0", "30 m", "1 h", "1 h 30 m", "2 h"]],
  ])("rules %d ms", (length, labels) => {
    expect(ticksOf(fitWindow(length)).map(({ label }) => label)).toEqual(labels);
  });

  it("has ruler lines in a deeply zoomed window", () => {
    expect(ticksOf({ startMs: 1200, endMs: 1300 }).map(({ label }) => label)).toEqual([
      "1.20 s",
      "1.22 s",
      "1.24 s",
      "1.26 s",
      "1.28 s",
      "1.30 s",
    ]);
  });

  it("has steps for any length", () => {
    for (const length of [1e-3, 0.7, 33, 12_345, 9.9e8]) {
      expect(length / tickStep(length, 6)).toBeLessThanOrEqual(6.000001);
    }
  });

  it("zooms around a fixed time, and back to the whole trace", () => {
    const zoomed = zoomWindow(whole, whole, 0.5, 3000) ?? whole;
    expect(shareOf(zoomed, 3000)).toBeCloseTo(0.2, 9);
    expect(zoomed.endMs - zoomed.startMs).toBeCloseTo(7500, 6);
    expect(zoomWindow(zoomed, whole, 2, 3000)).toBeUndefined();
  });

  it("stays inside the trace and has a smallest window", () => {
    expect(zoomWindow(whole, whole, 1e-9, 15_000)?.endMs).toBe(15_000);
    const deepest = zoomWindow(whole, whole, 1e-9, 5000) ?? whole;
    expect(deepest.endMs - deepest.startMs).toBeGreaterThan(0.5);
    expect(panWindow({ startMs: 0, endMs: 1000 }, whole, -500)).toEqual({ startMs: 0, endMs: 1000 });
    expect(panWindow({ startMs: 0, endMs: 1000 }, whole, 99_999)).toEqual({ startMs: 14_000, endMs: 15_000 });
  });

  it("accepts two times in any order", () => {
    expect(windowBetween(4000, 2000, whole)).toEqual({ startMs: 2000, endMs: 4000 });
    expect(windowBetween(-5, 99_999, whole)).toBeUndefined();
  });

  it("moves only to show what is not visible", () => {
    const shown = { startMs: 1000, endMs: 2000 };
    expect(revealWindow(shown, whole, { startMs: 1500, endMs: 9000 })).toEqual(shown);
    expect(revealWindow(shown, whole, { startMs: 5000, endMs: 5100 })).toEqual({
      startMs: 4900,
      endMs: 5900,
    });
  });
});

describe("barGeometry", () => {
  const attributes = { ttft_ms: 400 };
  const node = buildSpanTree([
    newSpan("root", null, 0, 10_000),
    newSpan("call", "root", 2000, 1000, { span_type: "llm", attributes }),
  ]).byId.get("call");

  it("covers the time of the span and the wait for its first token", () => {
    expect(node && barGeometry(node, 3000, { startMs: 0, endMs: 10_000 }, 1000)).toEqual({
      left: 200,
      width: 100,
      waitWidth: 40,
      outside: undefined,
    });
  });

  it("is clipped to the track, and reports the side on which it lies outside", () => {
    const zoomed = node && barGeometry(node, 3000, { startMs: 2500, endMs: 2600 }, 1000);
    expect(zoomed).toMatchObject({ left: -4, width: 1008, waitWidth: 0 });
    expect(node && barGeometry(node, 3000, { startMs: 0, endMs: 1000 }, 1000).outside).toBe("after");
    expect(node && barGeometry(node, 3000, { startMs: 5000, endMs: 6000 }, 1000).outside).toBe("before");
  });

  it("puts the note on the side with space", () => {
    const bar = { left: 800, width: 100, waitWidth: 0, outside: undefined };
    expect(noteSide(bar, "gpt-5-mini", 1000)).toBe("right");
    expect(noteSide(bar, "text-embedding-3-small", 1000)).toBe("left");
    expect(noteSide({ ...bar, left: 10, width: 980 }, "gpt-5-mini", 1000)).toBeUndefined();
  });
});
