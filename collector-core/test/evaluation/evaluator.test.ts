import { describe, expect, it } from "vitest";
import type { TraceSummary } from "../../src/api-schema/trace.js";
import { span, startCollector } from "../running-collector.js";
import { respondWith, HANGS, VERDICT } from "./judge-server.js";
import { judgedSpan, startJudgedCollector } from "./judged-collector.js";

describe("spec 4.9 rule 5: evaluation", () => {
  it("sends a span with evaluation metadata to the judge, and creates a span with the score", async () => {
    const { post, evaluated, evaluationsOf, judge, get } = await startJudgedCollector();
    expect((await post({ service: "shop", spans: [judgedSpan()] })).status).toBe(202);
    await evaluated();

    expect(judge.calls).toHaveLength(1);
    expect(judge.calls[0]?.material).toEqual({ prompt: "When does it arrive?", completion: "Tomorrow." });
    const [evaluation] = await evaluationsOf();
    expect(evaluation).toMatchObject({
      name: "evaluation.relevance",
      span_type: "evaluation",
      trace_id: "t1",
      parent_span_id: "s1",
      status: "OK",
      service: "shop",
      attributes: {
        evaluation_type: "relevance",
        evaluation_score: 0.9,
        evaluation_label: "relevant",
        evaluation_explanation: VERDICT.explanation,
        evaluation_direction: "maximize",
        evaluation_outcome: "completed",
        evaluated_span_id: "s1",
        judge_model: "gpt-6-luna",
        judge_provider: "openai",
        judge_tokens_input: 83,
        judge_tokens_output: 28,
        judge_cost_usd: 0.0000223,
      },
    });
    const { trace } = await get<{ trace: TraceSummary }>("/v1/traces/t1");
    expect(trace.scores).toEqual([{ type: "relevance", score: 0.9, label: "relevant" }]);
    expect(trace).toMatchObject({ span_count: 1, llm_calls: 1, cost_usd: 0 });
  });

  it("ignores spans without evaluation metadata, running spans and evaluation spans", async () => {
    const { post, evaluated, judge, collector } = await startJudgedCollector();
    await post({
      spans: [
        span({ span_type: "llm", attributes: { prompt_text: "a", completion_text: "b" } }),
        judgedSpan([]),
        judgedSpan(["relevance"], { status: "RUNNING", span_id: "s2" }),
        judgedSpan(["relevance"], { span_type: "evaluation", span_id: "s3" }),
        judgedSpan(["relevance"], { status: "ERROR", span_id: "s4" }, { completion_text: undefined }),
      ],
    });
    await evaluated();
    expect(judge.calls).toHaveLength(0);
    expect(collector.ledger().evaluated?.offered).toBe(0);
  });

  it("multiplies both sample rates: 0.5 of the traces and 0.5 of their spans are about a quarter", async () => {
    const { post, evaluated, collector } = await startJudgedCollector({
      SAMPLING_RATE: "0.5",
      EVALUATION_DEFAULT_SAMPLE_RATE: "0.5",
    });
    const spans = Array.from({ length: 4000 }, (_, i) =>
      judgedSpan(["valid_json"], { trace_id: `trace-${i}`, span_id: `span-${i}` }),
    );
    await post({ spans });
    await evaluated();
    // Five standard deviations in each direction.
    const { offered = 0, completed = 0 } = collector.ledger().evaluated ?? {};
    expect(offered).toBeGreaterThan(860);
    expect(offered).toBeLessThan(1140);
    expect(completed).toBe(offered);
  });

  it("prefers a valid sample rate of the span over the default", async () => {
    const { post, evaluated, collector } = await startJudgedCollector({
      EVALUATION_DEFAULT_SAMPLE_RATE: "0",
    });
    const ofRate = (rate: unknown, index: number) =>
      judgedSpan(["valid_json"], { span_id: `s${index}` }, { evaluation_sample_rate: rate });
    await post({ spans: [1, 1, 0, 1.5, "1", null].map(ofRate) });
    await evaluated();
    expect(collector.ledger().evaluated?.offered).toBe(2);
  });

  it("evaluates each requested type once", async () => {
    const { post, evaluated, evaluationsOf, judge } = await startJudgedCollector();
    await post({ spans: [judgedSpan(["relevance", "toxicity", "relevance", "valid_json", 7])] });
    await evaluated();
    expect(judge.calls).toHaveLength(2);
    expect((await evaluationsOf()).map(({ name }) => name).sort()).toEqual([
      "evaluation.relevance",
      "evaluation.toxicity",
      "evaluation.valid_json",
    ]);
  });

  it("records a timed-out call to the judge as a failure", async () => {
    const { post, evaluated, evaluationsOf, metric, collector } = await startJudgedCollector(
      { EVALUATION_DEFAULT_TIMEOUT_MS: "100" },
      () => HANGS,
    );
    await post({ service: "shop", spans: [judgedSpan()] });
    await evaluated();
    const [evaluation] = await evaluationsOf();
    expect(evaluation).toMatchObject({
      status: "ERROR",
      attributes: {
        evaluation_outcome: "timeout",
        error_type: "TimeoutError",
        error_message: "The judge did not answer within 100 ms.",
      },
    });
    expect(evaluation?.attributes).not.toHaveProperty("evaluation_score");
    expect(evaluation?.duration_ms).toBeGreaterThanOrEqual(99);
    expect(collector.ledger().evaluated).toMatchObject({ offered: 1, timeout: 1, pending: 0 });
    const labels = 'service="shop",env="development",evaluation_type="relevance",outcome="timeout"';
    expect(await metric(`obs_evaluations_total{${labels}}`)).toBe(1);
  });

  it("spec 1: sends only redacted text to the judge, and redacts its answer too", async () => {
    const { post, evaluated, evaluationsOf, judge } = await startJudgedCollector(
      { REDACTION_ENABLED: "true" },
      () => ({ score: 0.2, explanation: "It names ann@shop.example." }),
    );
    const text = { prompt_text: "I am ann@shop.example", completion_text: "Hello ann@shop.example" };
    await post({ spans: [judgedSpan(["criteria:greets ann@shop.example"], {}, text)] });
    await evaluated();
    expect(judge.calls[0]?.text).not.toContain("@shop.example");
    expect(judge.calls[0]?.text).toContain("greets [EMAIL]");
    expect(judge.calls[0]?.material["completion"]).toBe("Hello [EMAIL]");
    expect((await evaluationsOf())[0]?.attributes["evaluation_explanation"]).toBe("It names [EMAIL].");
  });

  it("respects the concurrency limit, and does not delay ingestion", async () => {
    const { post, settled, judge, collector } = await startJudgedCollector(
      { EVALUATION_WORKER_CONCURRENCY: "3", SHUTDOWN_GRACE_PERIOD_SECONDS: "0" },
      () => HANGS,
    );
    const spans = Array.from({ length: 20 }, (_, i) => judgedSpan(["relevance"], { span_id: `s${i}` }));
    await post({ spans });
    await settled();
    await expect.poll(() => judge.calls).toHaveLength(3);
    expect(collector.ledger()).toMatchObject({ processed: 20, evaluated: { offered: 20, pending: 20 } });
    expect(judge.mostOpen).toBe(3);
  });
});

describe("spec 2.6: the evaluation queue", () => {
  it.each([
    ["drop_new", ["s0", "s1", "s2"]],
    ["drop_oldest", ["s0", "s8", "s9"]],
  ])("%s: drops and counts the excess", async (policy, evaluatedIds) => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { post, settled, evaluated, judge, collector, metric, get } = await startJudgedCollector(
      {
        EVALUATION_QUEUE_SIZE: "2",
        EVALUATION_WORKER_CONCURRENCY: "1",
        EVALUATION_DROP_POLICY: policy,
      },
      async () => {
        await released;
        return VERDICT;
      },
    );
    await post({ spans: [judgedSpan(["relevance"], { span_id: "s0" })] });
    await expect.poll(() => judge.calls).toHaveLength(1);
    await post({
      spans: Array.from({ length: 9 }, (_, i) => judgedSpan(["relevance"], { span_id: `s${i + 1}` })),
    });
    await settled();
    expect(await metric("obs_evaluation_queue_size")).toBe(2);
    release();
    await evaluated();
    expect(collector.ledger().evaluated).toEqual({
      offered: 10,
      completed: 3,
      timeout: 0,
      error: 0,
      malformed: 0,
      dropped: 7,
      pending: 0,
    });
    const { spans } = await get<{ spans: { span_type: string; parent_span_id: string }[] }>("/v1/traces/t1");
    const judged = spans.filter(({ span_type }) => span_type === "evaluation");
    expect(judged.map(({ parent_span_id }) => parent_span_id)).toEqual(evaluatedIds);
  });

  it("spec 4.9 rule 6: is drained on stop within the grace period, with an exact ledger", async () => {
    const { post, settled, collector, judge } = await startJudgedCollector({}, (_call, index) =>
      index < 5 ? VERDICT : HANGS,
    );
    const spans = Array.from({ length: 30 }, (_, i) => judgedSpan(["relevance"], { span_id: `s${i}` }));
    await post({ spans });
    await settled();
    const startedAtMs = performance.now();
    const { evaluated } = await collector.stop();
    expect(performance.now() - startedAtMs).toBeLessThan(20_000);
    expect(evaluated).toEqual({
      offered: 30,
      completed: 5,
      timeout: 0,
      error: 0,
      malformed: 0,
      dropped: 25,
      pending: 0,
    });
    await expect.poll(() => judge.open).toBe(0);
  });

  it("is dropped on stop with shutdown.drain_queue off, except for running evaluations", async () => {
    let release: () => void = () => undefined;
    const { post, settled, collector, judge } = await startJudgedCollector(
      { SHUTDOWN_DRAIN_QUEUE: "false", EVALUATION_WORKER_CONCURRENCY: "1" },
      async () => {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return VERDICT;
      },
    );
    await post({ spans: [judgedSpan(["relevance", "toxicity", "refusal"])] });
    await settled();
    await expect.poll(() => judge.calls).toHaveLength(1);
    const stopped = collector.stop();
    release();
    expect((await stopped).evaluated).toMatchObject({ offered: 3, completed: 1, dropped: 2, pending: 0 });
  });
});

describe("contract 8: types", () => {
  it("reports an unknown type as an error, without a call to the judge", async () => {
    const { post, evaluated, evaluationsOf, judge } = await startJudgedCollector();
    await post({ spans: [judgedSpan(["relevanse", "length:9-1", "regex:(", "contains:"])] });
    await evaluated();
    expect(judge.calls).toHaveLength(0);
    const reasons = (await evaluationsOf()).map(({ attributes }) => attributes["error_message"]);
    expect(reasons).toHaveLength(4);
    expect(reasons).toContain('Not evaluated: there is no evaluation type "relevanse".');
  });

  it("evaluates at most 20 types per span, and drops and counts the rest", async () => {
    const { post, evaluated, collector } = await startJudgedCollector();
    await post({ spans: [judgedSpan(Array.from({ length: 25 }, (_, i) => `contains:${i}`))] });
    await evaluated();
    expect(collector.ledger().evaluated).toMatchObject({ offered: 25, completed: 20, dropped: 5 });
  });

  it("compares only the first thousand items of a list, and counts all others without reading them", async () => {
    const { post, evaluated, collector, metric } = await startJudgedCollector();
    const types = Array.from({ length: 1000 }, (_, i) => `contains:${i}`);
    await post({ spans: [judgedSpan([...types, ...types.slice(0, 500)])] });
    await evaluated();
    expect(collector.ledger().evaluated).toMatchObject({ offered: 1500, completed: 20, dropped: 1480 });
    const labels = 'service="unknown",env="development",evaluation_type="excess",outcome="dropped"';
    expect(await metric(`obs_evaluations_total{${labels}}`)).toBe(1480);
  });

  it("caps the label, the part before the colon, at evaluation.max_evaluation_types values", async () => {
    const { post, evaluated, metric } = await startJudgedCollector({
      EVALUATION_MAX_EVALUATION_TYPES: "2",
    });
    await post({ spans: [judgedSpan(["contains:a", "contains:b", "valid_json", "pii_leak", "length:1-9"])] });
    await evaluated();
    const total = (type: string) =>
      metric(
        `obs_evaluations_total{service="unknown",env="development",evaluation_type="${type}",outcome="completed"}`,
      );
    expect(await total("contains")).toBe(2);
    expect(await total("valid_json")).toBe(1);
    expect(await total("__other__")).toBe(2);
  });

  it("uses the prompt and labels of a custom type, without text of the span in the prompt", async () => {
    const types = {
      tone: { prompt: "Is {{completion}} friendly?", direction: "maximize", labels: ["cold", "warm"] },
    };
    const { post, evaluated, evaluationsOf, judge } = await startJudgedCollector({
      EVALUATION_TYPES_JSON: JSON.stringify(types),
    });
    await post({ spans: [judgedSpan(["tone"])] });
    await evaluated();
    expect(judge.calls[0]?.text).toContain("Is `completion` friendly?");
    expect(judge.calls[0]?.text).toContain('one of "cold", "warm"');
    expect((await evaluationsOf())[0]?.name).toBe("evaluation.tone");
  });

  it("reports a span without a completion as an error with the reason", async () => {
    const { post, evaluated, evaluationsOf } = await startJudgedCollector();
    await post({ spans: [judgedSpan(["relevance"], {}, { completion_text: undefined })] });
    await evaluated();
    expect((await evaluationsOf())[0]?.attributes["error_message"]).toBe(
      "Not evaluated: the span has no completion. Check whether captureCompletion is off.",
    );
  });
});

describe("contract 4: the families of evaluation", () => {
  it("have the model and agent of the evaluated span, and include cost and outcome", async () => {
    const { post, evaluated, metric } = await startJudgedCollector();
    await post({ service: "shop", env: "prod", spans: [judgedSpan()] });
    await evaluated();
    const where = 'service="shop",env="prod",evaluation_type="relevance"';
    const score = `${where},model="gpt-5-mini",agent="support"`;
    expect(await metric(`obs_evaluation_score_sum{${score}}`)).toBe(0.9);
    expect(await metric(`obs_evaluation_score_bucket{le="0.8",${score}}`)).toBe(0);
    expect(await metric(`obs_evaluation_score_bucket{le="0.9",${score}}`)).toBe(1);
    expect(await metric(`obs_evaluations_total{${where},outcome="completed"}`)).toBe(1);
    expect(
      await metric('obs_evaluation_cost_total{evaluation_type="relevance",judge_model="gpt-6-luna"}'),
    ).toBe(0.0000223);
    // Evaluation spans do not count as received spans.
    expect(await metric("obs_spans_received_total")).toBe(1);
    expect(
      await metric('obs_spans_total{service="shop",env="prod",span_type="evaluation",status="OK"}'),
    ).toBe(0);
  });

  it("count the score of a user, even when evaluation is off", async () => {
    const { post, settled, metric } = await startCollector();
    const attributes = { evaluation_type: "user_feedback", evaluation_score: 1, evaluation_source: "user" };
    await post({ service: "shop", spans: [span({ span_type: "evaluation", attributes })] });
    await settled();
    const labels = 'service="shop",env="development",evaluation_type="user_feedback",model="",agent=""';
    expect(await metric(`obs_evaluation_score_count{${labels}}`)).toBe(1);
    expect(await metric("obs_evaluation_queue_size")).toBe(0);
  });

  it("contract 3: count a dropped evaluation of an evicted trace", async () => {
    let release: () => void = () => undefined;
    const { post, settled, evaluated, judge, metric, get } = await startJudgedCollector(
      { LIMITS_MAX_TRACES: "1" },
      async () => {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return VERDICT;
      },
    );
    await post({ spans: [judgedSpan()] });
    await expect.poll(() => judge.calls).toHaveLength(1);
    await post({ spans: [span({ trace_id: "t2" })] });
    await settled();
    release();
    await evaluated();
    expect(await metric("obs_evaluations_late_total")).toBe(1);
    const { traces } = await get<{ traces: TraceSummary[] }>("/v1/traces");
    expect(traces.map(({ trace_id }) => trace_id)).toEqual(["t2"]);
  });
});

it("logs one warning for a failing judge, not one per evaluation", async () => {
  const { post, evaluated, lines } = await startJudgedCollector({}, () =>
    respondWith(401, { error: { message: "Incorrect API key provided." } }),
  );
  await post({ spans: [judgedSpan(["relevance", "toxicity", "refusal", "conciseness", "correctness"])] });
  await evaluated();
  const warnings = lines.filter(({ level, logger }) => level === "WARNING" && logger === "evaluation");
  expect(warnings.map(({ message }) => message)).toEqual([
    "Evaluation failed (1 so far). The judge's provider responded with 401: Incorrect API key provided.",
  ]);
});
