import { describe, expect, it } from "vitest";
import { METRIC_FAMILIES, metricLabelNames, type MetricFamilyName } from "../../../src/api-schema/metrics.js";
import {
  CONTEXT,
  createTestMetrics,
  llmFacts,
  onlySample,
  record,
  samplesOf,
  scrape,
  spanFacts,
} from "./support.js";

const SPAN_FAMILIES = Object.entries(METRIC_FAMILIES)
  .filter(([, { scope }]) => scope === "span")
  .map(([name]) => name as MetricFamilyName);

describe("metric families of a span", () => {
  it("contract 4: records a model call in these families, each with its own and the global labels", async () => {
    const metrics = createTestMetrics();
    record(metrics, llmFacts());
    const call = { service: "shop", env: "test", model: "m1", provider: "p1", agent: "a1" };
    const labels = async (name: string) => (await onlySample(metrics, name)).labels;

    expect(await labels("obs_spans_total")).toEqual({
      service: "shop",
      env: "test",
      span_type: "llm",
      status: "OK",
    });
    expect(await labels("obs_duration_seconds")).toEqual({ ...call, span_type: "llm", tool_name: "" });
    expect(await labels("obs_tokens_input")).toEqual(call);
    expect(await labels("obs_tokens_output")).toEqual(call);
    expect(await labels("obs_ttft_seconds")).toEqual(call);
    expect(await labels("obs_llm_calls_total")).toEqual({ ...call, status: "OK" });
    expect(await onlySample(metrics, "obs_cost_total")).toMatchObject({ labels: call, value: 0.25 });
    expect(await samplesOf(metrics, "obs_tool_calls_total")).toEqual([]);
    expect(await samplesOf(metrics, "obs_errors_total")).toEqual([]);
  });

  it("contract 4: gives every series exactly the labels of the table", async () => {
    const metrics = createTestMetrics();
    record(metrics, llmFacts({ errorCategory: "timeout", status: "ERROR" }));
    record(metrics, spanFacts({ spanType: "tool", toolName: "search" }));
    record(metrics, spanFacts({ spanType: "evaluation", evaluationType: "relevance", evaluationScore: 1 }));
    metrics.countEvaluations("relevance", "completed", CONTEXT, 1);
    const page = await scrape([metrics]);
    for (const name of SPAN_FAMILIES) {
      const samples = page.get(name)?.samples ?? [];
      expect(samples.length, name).toBeGreaterThan(0);
      for (const { labels } of samples) {
        const names = Object.keys(labels).filter((label) => label !== "le");
        expect(names.sort(), name).toEqual([...metricLabelNames(name)].sort());
      }
    }
  });

  it("contract 1: records nothing for a RUNNING span, which uses no label value either", async () => {
    const metrics = createTestMetrics({ caps: { model: 1 } });
    record(metrics, llmFacts({ isRunning: true, status: "RUNNING", model: "early" }));
    const page = await scrape([metrics]);
    for (const name of SPAN_FAMILIES) expect(page.get(name)?.samples, name).toEqual([]);

    record(metrics, llmFacts({ model: "late" }));
    expect((await onlySample(metrics, "obs_llm_calls_total")).labels["model"]).toBe("late");
  });

  it("contract 4: counts a tool call by tool, and not as a model call", async () => {
    const metrics = createTestMetrics();
    record(metrics, spanFacts({ spanType: "tool", toolName: "search", agent: "a1", status: "ERROR" }));
    expect((await onlySample(metrics, "obs_tool_calls_total")).labels).toEqual({
      service: "shop",
      env: "test",
      tool_name: "search",
      agent: "a1",
      status: "ERROR",
    });
    expect(await samplesOf(metrics, "obs_llm_calls_total")).toEqual([]);
  });

  it("contract 6: records a wrapper as a span with a duration, but without a call, tokens or cost", async () => {
    const metrics = createTestMetrics();
    record(metrics, llmFacts(), CONTEXT, false);
    for (const name of ["obs_llm_calls_total", "obs_tokens_input", "obs_tokens_output", "obs_cost_total"]) {
      expect(await samplesOf(metrics, name), name).toEqual([]);
    }
    expect((await onlySample(metrics, "obs_spans_total")).value).toBe(1);
    expect((await onlySample(metrics, "obs_duration_seconds")).value).toBe(1);
  });

  it("spec 2.2: records tokens and cost of a span of any type, when present", async () => {
    const metrics = createTestMetrics();
    record(metrics, spanFacts({ spanType: "embedding", tokensInput: 0, costUsd: 0.5 }));
    expect((await onlySample(metrics, "obs_tokens_input")).value).toBe(1);
    expect((await onlySample(metrics, "obs_cost_total")).value).toBe(0.5);
    expect(await samplesOf(metrics, "obs_tokens_output")).toEqual([]);
    expect(await samplesOf(metrics, "obs_ttft_seconds")).toEqual([]);
    expect(await samplesOf(metrics, "obs_duration_seconds")).toEqual([]);
    expect(await samplesOf(metrics, "obs_llm_calls_total")).toEqual([]);
  });

  it("contract 8: counts an evaluation span as a span, and not as a model call", async () => {
    const metrics = createTestMetrics();
    record(metrics, spanFacts({ spanType: "evaluation", durationMs: 10, model: "judge" }));
    expect((await onlySample(metrics, "obs_spans_total")).labels["span_type"]).toBe("evaluation");
    expect((await onlySample(metrics, "obs_duration_seconds")).value).toBe(1);
    expect(await samplesOf(metrics, "obs_llm_calls_total")).toEqual([]);
  });

  it("contract 4: counts an error once, at the span without error_propagated", async () => {
    const metrics = createTestMetrics();
    const error = { errorCategory: "rate_limit", status: "ERROR" } as const;
    record(metrics, llmFacts(error));
    record(metrics, spanFacts({ ...error, errorPropagated: true }));
    record(metrics, spanFacts());
    expect(await onlySample(metrics, "obs_errors_total")).toMatchObject({
      labels: { span_type: "llm", model: "m1", error_type: "rate_limit" },
      value: 1,
    });
  });

  it.each([
    ["OK", "OK"],
    ["ERROR", "ERROR"],
    ["CANCELLED", "__other__"],
    ["ok", "__other__"],
  ])("contract 4: the status %s has the label %s", async (status, label) => {
    const metrics = createTestMetrics();
    record(metrics, llmFacts({ status }));
    expect((await onlySample(metrics, "obs_spans_total")).labels["status"]).toBe(label);
    expect((await onlySample(metrics, "obs_llm_calls_total")).labels["status"]).toBe(label);
  });

  it("contract 4: shares a duration series between spans that differ only in status", async () => {
    const metrics = createTestMetrics();
    for (const status of ["OK", "ERROR", "CANCELLED"]) record(metrics, llmFacts({ status }));
    expect((await onlySample(metrics, "obs_duration_seconds")).value).toBe(3);
    expect(await samplesOf(metrics, "obs_llm_calls_total")).toHaveLength(3);
  });

  it("contract 4: labels spans with the service and env of their batch, also when batches alternate", async () => {
    const metrics = createTestMetrics();
    const other = { ...CONTEXT, service: "bank", env: "live" };
    for (const context of [CONTEXT, other, CONTEXT, { ...other }]) record(metrics, spanFacts(), context);
    expect(await samplesOf(metrics, "obs_spans_total")).toMatchObject([
      { labels: { service: "shop", env: "test" }, value: 2 },
      { labels: { service: "bank", env: "live" }, value: 2 },
    ]);
  });
});

describe("histograms", () => {
  it("spec 4.7: counts a value on a bound in that bucket, and a value above all bounds only in +Inf", async () => {
    const metrics = createTestMetrics({ durationBuckets: [0.5, 1, 60] });
    for (const durationMs of [0, 500, 500.1, 1000, 90_000]) record(metrics, spanFacts({ durationMs }));
    const samples = (await scrape([metrics])).get("obs_duration_seconds")?.samples ?? [];
    expect(samples.map(({ labels, value }) => [labels["le"], value]).slice(0, 4)).toEqual([
      ["0.5", 2],
      ["1.0", 4],
      ["60.0", 4],
      ["+Inf", 5],
    ]);
    expect(samples[4]?.value).toBeCloseTo(92.0001, 9);
  });

  it("contract 4: record durations in seconds, and TTFT with the buckets of the duration", async () => {
    const metrics = createTestMetrics();
    record(metrics, llmFacts({ durationMs: 1500, ttftMs: 20 }));
    const page = await scrape([metrics]);
    const sum = (name: string) =>
      page.get(name)?.samples.find((sample) => sample.name === `${name}_sum`)?.value;
    const bounds = (name: string) => page.get(name)?.samples.flatMap(({ labels }) => labels["le"] ?? []);
    expect(sum("obs_duration_seconds")).toBe(1.5);
    expect(sum("obs_ttft_seconds")).toBe(0.02);
    expect(bounds("obs_ttft_seconds")).toEqual(bounds("obs_duration_seconds"));
    expect(bounds("obs_tokens_input")).toEqual(
      "10.0 50.0 100.0 250.0 500.0 1000.0 2000.0 4000.0 8000.0 16000.0 32000.0 +Inf".split(" "),
    );
  });

  it("keep sums finite when finite values add up to Infinity", async () => {
    const metrics = createTestMetrics();
    for (let i = 0; i < 3; i++) record(metrics, llmFacts({ costUsd: 1.7e308, ttftMs: 1.7e308 }));
    expect((await onlySample(metrics, "obs_cost_total")).value).toBe(Number.MAX_VALUE);
    const ttft = (await scrape([metrics])).get("obs_ttft_seconds")?.samples ?? [];
    expect(ttft.every(({ value }) => Number.isFinite(value))).toBe(true);
  });
});
