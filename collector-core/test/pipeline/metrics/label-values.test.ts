import { describe, expect, it } from "vitest";
import { CAPPED_LABELS } from "../../../src/api-schema/metrics.js";
import type { SpanFacts } from "../../../src/span/span-facts.js";
import {
  CONTEXT,
  createTestMetrics,
  heapUsedAfterGc,
  llmFacts,
  onlySample,
  overflowsOf,
  record,
  samplesOf,
  scrape,
  spanFacts,
  valuesOfLabel,
} from "./support.js";

const CASES = {
  span_type: [{ spanType: "one" }, { spanType: "two" }],
  model: [{ model: "one" }, { model: "two" }],
  provider: [{ provider: "one" }, { provider: "two" }],
  tool_name: [{ toolName: "one" }, { toolName: "two" }],
  agent: [{ agent: "one" }, { agent: "two" }],
  error_type: [{ errorCategory: "timeout" }, { errorCategory: "provider" }],
} satisfies Record<string, [Partial<SpanFacts>, Partial<SpanFacts>]>;

describe("caps on label values", () => {
  it("spec 4.7: replace a value beyond the cap by __other__, and count each replacement", async () => {
    const metrics = createTestMetrics({ caps: { model: 2 } });
    for (const model of ["m1", "m2", "m3", "m1", "m4", "m3"]) record(metrics, llmFacts({ model }));
    expect(await samplesOf(metrics, "obs_llm_calls_total")).toMatchObject([
      { labels: { model: "m1" }, value: 2 },
      { labels: { model: "m2" }, value: 1 },
      { labels: { model: "__other__" }, value: 3 },
    ]);
    expect(await overflowsOf(metrics, "model")).toBe(3);
  });

  it.each<[keyof typeof CASES, string]>([
    ["span_type", "obs_duration_seconds"],
    ["model", "obs_duration_seconds"],
    ["provider", "obs_duration_seconds"],
    ["tool_name", "obs_duration_seconds"],
    ["agent", "obs_duration_seconds"],
    ["error_type", "obs_errors_total"],
  ])("spec 8: the label %s has a cap of its own", async (label, family) => {
    const metrics = createTestMetrics({ caps: { [label]: 1 } });
    for (const facts of CASES[label]) record(metrics, spanFacts({ durationMs: 1, ...facts }));
    expect(await valuesOfLabel(metrics, family, label)).toEqual([
      "__other__",
      Object.values(CASES[label][0])[0],
    ]);
    expect(await overflowsOf(metrics, label)).toBe(1);
  });

  it.each(["service", "env"] as const)(
    "contract 4: count every span whose %s is beyond the cap",
    async (label) => {
      const metrics = createTestMetrics({ caps: { [label]: 1 } });
      for (const value of ["one", "two"]) {
        const context = { ...CONTEXT, [label]: value };
        for (let i = 0; i < 3; i++) record(metrics, spanFacts(), context);
      }
      expect(await valuesOfLabel(metrics, "obs_spans_total", label)).toEqual(["__other__", "one"]);
      expect(await overflowsOf(metrics, label)).toBe(3);
    },
  );

  it('contract 4: write an absent value as "", and do not count "" or a sent __other__', async () => {
    const metrics = createTestMetrics({ caps: { model: 1 } });
    for (const model of ["", "__other__", "m1", ""]) record(metrics, llmFacts({ model }));
    expect(await valuesOfLabel(metrics, "obs_llm_calls_total", "model")).toEqual(["", "__other__", "m1"]);
    expect(await overflowsOf(metrics, "model")).toBe(0);
  });

  it("expose the overflow of every label from the start, because a rate needs an initial zero", async () => {
    const labels = await valuesOfLabel(createTestMetrics(), "obs_label_overflow_total", "label");
    expect(labels).toEqual([...CAPPED_LABELS, "series"].sort());
  });
});

describe("length of label values", () => {
  it("spec 4.7: is limited to max_label_value_length before the cap applies", async () => {
    const metrics = createTestMetrics({ maxLabelValueLength: 4, caps: { model: 1 } });
    for (const model of ["gpt-4o", "gpt-4o-mini", "gpt-"]) record(metrics, llmFacts({ model }));
    expect(await onlySample(metrics, "obs_llm_calls_total")).toMatchObject({
      labels: { model: "gpt-" },
      value: 3,
    });
    expect(await overflowsOf(metrics, "model")).toBe(0);
  });

  it("contract 4: is counted in code points, so that no character is split", async () => {
    const metrics = createTestMetrics({ maxLabelValueLength: 3 });
    record(metrics, llmFacts({ model: "🦉🦉🦉🦉", agent: "a🦉b" }), { ...CONTEXT, service: "12345" });
    expect((await onlySample(metrics, "obs_llm_calls_total")).labels).toMatchObject({
      service: "123",
      model: "🦉🦉🦉",
      agent: "a🦉b",
    });
  });

  it("is limited by a copy, which does not retain the whole text", () => {
    const metrics = createTestMetrics();
    const heapBefore = heapUsedAfterGc();
    for (let i = 0; i < 40; i++) {
      record(metrics, llmFacts({ model: Buffer.alloc(1_000_000, `model ${i} `).toString() }));
    }
    expect(heapUsedAfterGc() - heapBefore).toBeLessThan(10_000_000);
  });

  it("maps values that are equal in UTF-8 to one series", async () => {
    const metrics = createTestMetrics({ caps: { model: 1 } });
    for (const model of ["x\ud800", "x\ud801", "x\udfff", "x\ufffd"]) record(metrics, llmFacts({ model }));
    expect(await onlySample(metrics, "obs_llm_calls_total")).toMatchObject({
      labels: { model: "x\ufffd" },
      value: 4,
    });
  });
});

describe("label values with special characters", () => {
  it("never merge two series because of a comma, quote, newline or backslash, in either format", async () => {
    const metrics = createTestMetrics({ caps: { provider: 20 } });
    const tricky = [
      "a,b",
      "a,",
      "a",
      'a",agent="b',
      "a\nb",
      "a\\nb",
      "a\\",
      "1:a",
      "__proto__",
      "constructor",
      "le",
      "\0",
      "{}",
    ];
    // Adjacent labels of the table, whose concatenated values could be ambiguous.
    const providers = ["", ",b", "b", "b,", "1:b"];
    for (const model of tricky) {
      for (const provider of providers) record(metrics, llmFacts({ model, provider, agent: "b" }));
    }
    for (const format of ["text", "openmetrics"] as const) {
      const name = format === "text" ? "obs_llm_calls_total" : "obs_llm_calls";
      const samples = (await scrape([metrics], format)).get(name)?.samples ?? [];
      expect(samples).toHaveLength(tricky.length * providers.length);
      expect(samples.map(({ labels }) => labels["model"])).toEqual(expect.arrayContaining(tricky));
      expect(samples.every(({ value }) => value === 1)).toBe(true);
    }
  });
});

describe("the limit on series", () => {
  /** Families about the series, which do not count as series. */
  const OWN_FAMILIES = new Set(["obs_label_overflow_total", "obs_series"]);

  async function countSeries(metrics: ReturnType<typeof createTestMetrics>): Promise<number> {
    let count = 0;
    for (const [name, { type, samples }] of await scrape([metrics])) {
      if (!name.startsWith("obs_") || OWN_FAMILIES.has(name)) continue;
      count +=
        type === "histogram"
          ? samples.filter((sample) => sample.name === `${name}_count`).length
          : samples.length;
    }
    return count;
  }

  it("contract 4: allows max_series tuples over all span families, histograms and counters alike", async () => {
    const metrics = createTestMetrics({ maxSeries: 50 });
    for (let i = 0; i < 500; i++) {
      record(metrics, llmFacts({ agent: `a${i % 100}`, toolName: `t${i}`, errorCategory: "timeout" }));
      record(metrics, spanFacts({ spanType: "tool", agent: `a${i % 100}` }));
    }
    // Every family except obs_spans_total, which has two tuples, overflows. Of the eleven reserved overflow tuples, one and
    // the two of evaluation stay unused.
    expect(await countSeries(metrics)).toBe(47);
    expect(await samplesOf(metrics, "obs_series")).toMatchObject([{ value: 47 }]);
  });

  it("contract 4: records the excess in one tuple whose labels are all __other__, and counts it", async () => {
    const metrics = createTestMetrics({ maxSeries: 11 + 2 });
    for (const agent of ["a1", "a2", "a3", "a1"]) record(metrics, spanFacts({ agent, durationMs: 5 }));
    expect(await samplesOf(metrics, "obs_duration_seconds")).toMatchObject([
      { labels: { service: "shop", agent: "a1" }, value: 2 },
      {
        labels: {
          service: "__other__",
          env: "__other__",
          span_type: "__other__",
          model: "__other__",
          provider: "__other__",
          tool_name: "__other__",
          agent: "__other__",
        },
        value: 2,
      },
    ]);
    expect((await onlySample(metrics, "obs_spans_total")).value).toBe(4);
    expect(await overflowsOf(metrics, "series")).toBe(2);
  });

  it("uses the same series when the caps replace all labels by __other__", async () => {
    const metrics = createTestMetrics({ maxSeries: 12 });
    const other = "__other__";
    const context = { ...CONTEXT, service: other, env: other };
    record(metrics, spanFacts({ spanType: other, status: other }), context);
    record(metrics, spanFacts({ spanType: "first" }));
    record(metrics, spanFacts({ spanType: "over" }));
    expect(await samplesOf(metrics, "obs_spans_total")).toMatchObject([
      { labels: { service: other, env: other, span_type: other, status: other }, value: 2 },
      { labels: { span_type: "first" }, value: 1 },
    ]);
  });

  it("counts correctly with more label sets than the series cache holds", async () => {
    const metrics = createTestMetrics({ maxSeries: 20 });
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 100; i++) record(metrics, spanFacts({ agent: `a${i}`, model: `m${i % 40}` }));
    }
    expect((await onlySample(metrics, "obs_spans_total")).value).toBe(300);
  });

  it("experiment 13: keeps series within the caps and memory flat for hundreds of thousands of distinct values", async () => {
    const metrics = createTestMetrics();
    const heapBefore = heapUsedAfterGc();
    for (let i = 0; i < 150_000; i++) {
      const value = `value-${i}-${"x".repeat(20)}`;
      const context = { ...CONTEXT, service: value };
      record(metrics, llmFacts({ model: value, agent: value, toolName: value }), context);
    }
    // Retaining one text of 30 bytes per value would take 4.5 MB.
    expect(heapUsedAfterGc() - heapBefore).toBeLessThan(3_000_000);
    expect(await countSeries(metrics)).toBeLessThan(2000);
    expect(new Set(await valuesOfLabel(metrics, "obs_llm_calls_total", "model")).size).toBe(51);
    expect(await overflowsOf(metrics, "agent")).toBe(150_000 - 200);
    expect(await overflowsOf(metrics, "service")).toBe(150_000 - 200);
  });

  it("experiment 13: keeps max_series and memory flat for hundreds of thousands of label sets", async () => {
    const metrics = createTestMetrics({ maxSeries: 2000 });
    const recordAll = (from: number) => {
      for (let i = from; i < from + 50_000; i++) {
        record(
          metrics,
          spanFacts({ durationMs: 1, model: `m${i % 50}`, agent: `a${i % 199}`, toolName: `t${i % 197}` }),
        );
      }
    };
    recordAll(0);
    const heapBefore = heapUsedAfterGc();
    recordAll(50_000);
    expect(heapUsedAfterGc() - heapBefore).toBeLessThan(3_000_000);
    expect(await countSeries(metrics)).toBeLessThanOrEqual(2000);
  });
});
