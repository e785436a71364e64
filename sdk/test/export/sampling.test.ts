import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { isTraceSampled } from "../../src/span/trace-sample.js";
import { recordingSdk } from "../fresh-sdk.js";

/** Whether the collector keeps each trace at the rates; its tests read the same file. */
const DECISIONS = JSON.parse(readFileSync(new URL("../fixtures/sampling.json", import.meta.url), "utf8")) as {
  readonly rates: number[];
  readonly traces: Record<string, boolean[]>;
};

it("decides for each trace as the collector does", () => {
  const { rates, traces } = DECISIONS;
  for (const [traceId, kept] of Object.entries(traces))
    expect([traceId, rates.map((rate) => isTraceSampled(traceId, rate))]).toEqual([traceId, kept]);
});

it("sampleRate sends whole traces, and leaves the spans of the others out of the counts", async () => {
  const { agent, task, takeSpans, stats } = await recordingSdk({ sampleRate: 0.5 });
  const run = agent("run", () => task("step", () => 1)());
  for (let trace = 0; trace < 200; trace++) expect(run()).toBe(1);
  const { enqueued } = stats();
  const spans = takeSpans();
  expect(enqueued).toBe(spans.length);
  expect(spans.length / 2).toBeGreaterThan(50);
  expect(spans.length / 2).toBeLessThan(150);
  for (const { trace_id: traceId } of spans)
    expect(spans.filter(({ trace_id }) => trace_id === traceId).map(({ name }) => name)).toEqual([
      "step",
      "run",
    ]);
});
