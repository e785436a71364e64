import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderMetrics } from "../../../src/pipeline/metrics/exposition.js";
import { readFamily, type MetricSource } from "../../../src/pipeline/metrics/series-family.js";
import { formatBucketBound, sample } from "../../../src/pipeline/metrics/series.js";
import { ERROR_CATEGORIES } from "../../../src/span/error-category.js";
import type { SpanFacts } from "../../../src/span/span-facts.js";
import { systemClock } from "../../../src/runtime/clock.js";
import { countTurns, everLater } from "../../runtime/loop-turns.js";
import { parseExposition } from "./parse-exposition.js";
import {
  collectGarbage,
  CONTEXT,
  createTestMetrics,
  llmFacts,
  record,
  scrape,
  scrapeText,
  spanFacts,
} from "./support.js";
import { randomRuns } from "../../random-runs.js";

const FORMATS = ["text", "openmetrics"] as const;

/** Creates metrics with `count` tuples of the duration histogram and one of another family. */
function metricsWithTuples(count: number) {
  const metrics = createTestMetrics({ caps: { agent: count } });
  for (let i = 0; i < count; i++) record(metrics, spanFacts({ agent: `agent-${i}`, durationMs: i }));
  return metrics;
}

describe("GET /metrics (spec 4.2)", () => {
  it("contract 3: sends the content type of each format", () => {
    expect(renderMetrics("text", [], systemClock).contentType).toBe(
      "text/plain; version=0.0.4; charset=utf-8",
    );
    expect(renderMetrics("openmetrics", [], systemClock).contentType).toBe(
      "application/openmetrics-text; version=1.0.0; charset=utf-8",
    );
  });

  it.each(FORMATS)(
    "%s: is valid and contains process metrics, before and after the first span",
    async (format) => {
      const metrics = createTestMetrics();
      const before = await scrape([metrics], format);
      expect(before.get("process_resident_memory_bytes")?.samples).toHaveLength(1);
      expect(before.get(format === "text" ? "process_cpu_seconds_total" : "process_cpu_seconds")?.type).toBe(
        "counter",
      );

      record(metrics, llmFacts({ errorCategory: "timeout" }));
      const after = await scrape([metrics], format);
      expect([...after.keys()]).toEqual([...before.keys()]);
    },
  );

  it.each(FORMATS)("%s: writes a valid process histogram", async (format) => {
    await scrape([], format);
    await expect
      .poll(async () => {
        collectGarbage();
        return (await scrape([], format)).get("nodejs_gc_duration_seconds")?.samples.length;
      })
      .toBeGreaterThan(0);
  });

  it("keeps _total in the text format after an OpenMetrics scrape", async () => {
    const metrics = createTestMetrics();
    record(metrics, llmFacts());
    const names = [...(await scrape([metrics], "text")).keys()];
    for (let i = 0; i < 2; i++) await scrape([metrics], "openmetrics");
    expect([...(await scrape([metrics], "text")).keys()]).toEqual(names);
    expect(names).toEqual(expect.arrayContaining(["obs_llm_calls_total", "process_cpu_user_seconds_total"]));
  });

  it("writes the same le labels in both formats", async () => {
    const metrics = createTestMetrics();
    record(metrics, llmFacts());
    const [text, openMetrics] = await Promise.all(
      FORMATS.map(async (format) => (await scrape([metrics], format)).get("obs_duration_seconds")?.samples),
    );
    expect(openMetrics).toEqual(text);
  });

  it.each([
    [0.01, "0.01"],
    [1, "1.0"],
    [2.5, "2.5"],
    [32000, "32000.0"],
    [1e6, "1e+06"],
    [1234567, "1.234567e+06"],
    [0.0001, "0.0001"],
    [0.00001, "1e-05"],
    [1e100, "1e+100"],
  ])("OpenMetrics: the bound %d is written as the canonical number %s", (bound, text) => {
    expect(formatBucketBound(bound)).toBe(text);
  });

  it("contract 4: omits NaN", async () => {
    const broken: MetricSource = {
      families: () => [
        readFamily("obs_queue_usage_pct", () => [sample(NaN)]),
        readFamily("obs_queue_size", () => [sample(3)]),
      ],
    };
    for (const format of FORMATS) {
      // Process metrics contain NaN too: the event loop lag between two close scrapes.
      const [, second] = await Promise.all([scrapeText([broken], format), scrapeText([broken], format)]);
      expect(second).not.toMatch(/ nan$/im);
      expect(parseExposition(second, format).get("obs_queue_usage_pct")?.samples).toEqual([]);
      expect(parseExposition(second, format).get("obs_queue_size")?.samples).toMatchObject([{ value: 3 }]);
    }
  });
});

describe("a large exposition", () => {
  it.each(FORMATS)(
    "%s: has one header and all series of a family that is longer than a chunk",
    async (format) => {
      for (const count of [49, 50, 51, 120]) {
        const samples =
          (await scrape([metricsWithTuples(count)], format)).get("obs_duration_seconds")?.samples ?? [];
        expect(samples).toHaveLength(count * 14);
      }
    },
  );

  it("yields to the event loop while it renders 5,000 tuples", async () => {
    const metrics = metricsWithTuples(5000);
    const turns = countTurns();
    let largestChunk = 0;
    for await (const chunk of renderMetrics("text", [metrics], everLater()).body)
      largestChunk = Math.max(largestChunk, chunk.length);
    expect(turns.end()).toBeGreaterThanOrEqual(40);
    expect(largestChunk).toBeLessThan(2_000_000);
  });

  it("contract 4: shows consistent histograms, and no span twice, while spans are recorded", async () => {
    const metrics = metricsWithTuples(2000);
    let text = "";
    let recorded = 2000;
    for await (const chunk of renderMetrics("openmetrics", [metrics], systemClock).body) {
      text += chunk;
      for (let i = 0; i < 500; i++) {
        record(metrics, spanFacts({ agent: `agent-${i * 4}`, durationMs: i }));
        record(metrics, spanFacts({ agent: `new-${recorded}`, durationMs: i }));
        recorded += 2;
      }
    }
    // The parser checks that buckets are cumulative and that +Inf equals the count.
    const counts = parseExposition(text, "openmetrics").get("obs_duration_seconds")?.samples ?? [];
    const shown = counts
      .filter(({ name }) => name.endsWith("_count"))
      .reduce((sum, { value }) => sum + value, 0);
    expect(shown).toBeGreaterThanOrEqual(2000);
    expect(shown).toBeLessThanOrEqual(recorded);
    expect(recorded).toBeGreaterThan(4000);
  });

  it("is the same for two concurrent scrapes", async () => {
    const metrics = metricsWithTuples(120);
    const pages = await Promise.all([...FORMATS, ...FORMATS].map((format) => scrape([metrics], format)));
    const samples = pages.map((page) => page.get("obs_duration_seconds")?.samples);
    expect(samples[0]).toHaveLength(120 * 14);
    for (const other of samples.slice(1)) expect(other).toEqual(samples[0]);
  });

  it("is complete after another scraper disconnected midway", async () => {
    const metrics = metricsWithTuples(120);
    for await (const chunk of renderMetrics("text", [metrics], systemClock).body) {
      expect(chunk).not.toBe("");
      break;
    }
    expect((await scrape([metrics])).get("obs_duration_seconds")?.samples).toHaveLength(120 * 14);
  });
});

describe("property: the exposition equals the recorded spans", () => {
  const few = (prefix: string) =>
    fc.constantFrom("", ...["1", "2", "3", ",", '"', "\n"].map((end) => prefix + end));
  const anySpan = fc.record({
    spanType: fc.constantFrom("llm", "tool", "agent", "evaluation", "own"),
    status: fc.constantFrom("OK", "ERROR", "CANCELLED"),
    model: few("m"),
    provider: few("p"),
    toolName: few("t"),
    agent: fc.oneof(few("a"), fc.string({ unit: "binary" })),
    errorCategory: fc.constantFrom("" as const, ...ERROR_CATEGORIES),
    errorPropagated: fc.boolean(),
    durationMs: fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }), { nil: undefined }),
    tokensInput: fc.option(fc.nat(), { nil: undefined }),
    costUsd: fc.option(fc.integer({ min: 0, max: 1000 }), { nil: undefined }),
  });
  const anyRecording = fc.record({ facts: anySpan, service: few("s"), countsUsage: fc.boolean() });
  const anyBounds = fc.record({
    cap: fc.integer({ min: 1, max: 8 }),
    maxSeries: fc.integer({ min: 1, max: 100 }),
  });

  it("has correct sums over all tuples, for any caps and any limit on series", async () => {
    const property = fc.asyncProperty(
      fc.array(anyRecording, { maxLength: 60 }),
      anyBounds,
      async (all, bounds) => {
        const { cap, maxSeries } = bounds;
        const metrics = createTestMetrics({
          maxSeries,
          caps: { service: cap, model: cap, agent: cap, tool_name: cap },
        });
        for (const { facts, service, countsUsage } of all) {
          metrics.record(spanFacts(facts), { ...CONTEXT, service }, countsUsage);
        }
        const page = await scrape([metrics]);
        const total = (family: string, sampleName = family) =>
          page
            .get(family)
            ?.samples.filter(({ name }) => name === sampleName)
            .reduce((sum, { value }) => sum + value, 0);
        const sum = (amount: (facts: SpanFacts, countsUsage: boolean) => number) =>
          all.reduce((before, { facts, countsUsage }) => before + amount(spanFacts(facts), countsUsage), 0);

        expect(total("obs_spans_total")).toBe(all.length);
        expect(total("obs_duration_seconds", "obs_duration_seconds_count")).toBe(
          sum((facts) => Number(facts.durationMs !== undefined)),
        );
        expect(total("obs_tokens_input", "obs_tokens_input_sum")).toBe(
          sum((facts, countsUsage) => (countsUsage ? (facts.tokensInput ?? 0) : 0)),
        );
        expect(total("obs_cost_total")).toBe(
          sum((facts, countsUsage) => (countsUsage ? (facts.costUsd ?? 0) : 0)),
        );
        expect(total("obs_llm_calls_total")).toBe(
          sum((facts, countsUsage) => Number(countsUsage && facts.spanType === "llm")),
        );
        expect(total("obs_tool_calls_total")).toBe(sum((facts) => Number(facts.spanType === "tool")));
        expect(total("obs_errors_total")).toBe(
          sum((facts) => Number(facts.errorCategory !== "" && !facts.errorPropagated)),
        );
      },
    );
    await fc.assert(property, { numRuns: randomRuns(30) });
  });

  it("has a separate count for every tuple when no limit is reached", async () => {
    const property = fc.asyncProperty(fc.array(anyRecording, { maxLength: 60 }), async (all) => {
      const metrics = createTestMetrics();
      const expected = new Map<string, number>();
      for (const { facts, service } of all) {
        metrics.record(spanFacts({ ...facts, spanType: "tool" }), { ...CONTEXT, service }, true);
        const status = facts.status === "CANCELLED" ? "__other__" : facts.status;
        // The response is UTF-8, which has no lone surrogates.
        const key = JSON.stringify([service, facts.toolName, Buffer.from(facts.agent).toString(), status]);
        expected.set(key, (expected.get(key) ?? 0) + 1);
      }
      const samples = (await scrape([metrics])).get("obs_tool_calls_total")?.samples ?? [];
      const shown = samples.map(({ labels, value }): [string, number] => {
        return [
          JSON.stringify([labels["service"], labels["tool_name"], labels["agent"], labels["status"]]),
          value,
        ];
      });
      expect(new Map(shown)).toEqual(expected);
    });
    await fc.assert(property, { numRuns: randomRuns(30) });
  });
});
