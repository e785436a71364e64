import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createTraceSampler } from "../../src/pipeline/trace-sampler.js";

describe("spec 4.9 rule 1: each trace is kept with probability sampling.rate", () => {
  it("keeps the configured share of sequential trace ids", () => {
    for (const rate of [0.01, 0.1, 0.5, 0.9]) {
      const { shouldKeep } = createTraceSampler(rate);
      const ids = Array.from({ length: 20_000 }, (_, index) => `trace-${index}`);
      const share = ids.filter(shouldKeep).length / ids.length;
      expect(Math.abs(share - rate)).toBeLessThan(0.015);
    }
  });

  it("keeps every trace at rate 1 and none at rate 0", () => {
    expect(createTraceSampler(1).shouldKeep("a")).toBe(true);
    expect(createTraceSampler(0).shouldKeep("a")).toBe(false);
  });

  it("keeps at a higher rate every trace that a lower rate keeps", () => {
    const low = createTraceSampler(0.2);
    const high = createTraceSampler(0.4);
    for (let index = 0; index < 2000; index++) {
      if (low.shouldKeep(`t${index}`)) expect(high.shouldKeep(`t${index}`)).toBe(true);
    }
  });
});

it("decides for each trace as the SDK does", () => {
  const file = new URL("../../../sdk/test/fixtures/sampling.json", import.meta.url);
  const { rates, traces } = JSON.parse(readFileSync(file, "utf8")) as {
    rates: number[];
    traces: Record<string, boolean[]>;
  };
  for (const [traceId, kept] of Object.entries(traces))
    expect([traceId, rates.map((rate) => createTraceSampler(rate).shouldKeep(traceId))]).toEqual([
      traceId,
      kept,
    ]);
});
