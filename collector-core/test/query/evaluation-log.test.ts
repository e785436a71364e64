import { describe, expect, it } from "vitest";
import type { EvaluationList } from "../../src/api-schema/evaluations.js";
import type { TraceSummary } from "../../src/api-schema/trace.js";
import { createPipelineSpan, type PipelineSpan } from "../../src/span/pipeline-span.js";
import type { StoredEvaluation } from "../../src/interfaces.js";
import { createEvaluationLog, type EvaluationLog } from "../../src/query/evaluation-log.js";
import { CONTEXT, spanFacts } from "../pipeline/metrics/support.js";
import { span, startCollector } from "../running-collector.js";

/** What an app may write about an evaluation. */
const TEXTS = [
  "evaluation_type",
  "evaluation_label",
  "evaluation_explanation",
  "evaluation_comment",
  "error_message",
  "evaluation_direction",
  "evaluation_outcome",
  "evaluation_source",
  "evaluated_span_id",
  "judge_model",
  "model",
  "agent",
];

function evaluationSpan(text: string): PipelineSpan {
  const facts = spanFacts({ spanType: "evaluation", evaluationType: "relevance", evaluationScore: 1 });
  const attributes = { evaluation_type: "relevance", evaluation_score: 1, evaluation_comment: text };
  const span = { name: "evaluation", trace_id: "t", span_type: "evaluation", attributes };
  return createPipelineSpan(
    { span, facts, context: CONTEXT },
    { isSampled: () => true, countsUsage: () => true },
  );
}

function createLog(options: { capacity?: number; maxBytes?: number }): EvaluationLog {
  return createEvaluationLog({
    thresholds: {},
    directions: {},
    labelsOf: undefined,
    onError: () => undefined,
    ...options,
  });
}

const explanations = (log: EvaluationLog): (string | null)[] =>
  log.select({}).map(({ evaluation }) => evaluation.explanation);

describe("the evaluation log", () => {
  it("truncates long texts of an evaluation span", async () => {
    const { post, settled, get } = await startCollector();
    const long = "x".repeat(100_000);
    const attributes = Object.fromEntries(TEXTS.map((key) => [key, long]));
    await post({
      spans: [span({ span_type: "evaluation", attributes: { ...attributes, evaluation_score: 0.5 } })],
    });
    await settled();
    const { evaluations } = await get<EvaluationList>("/v1/evaluations");
    expect(evaluations).toHaveLength(1);
    expect(evaluations[0]).toMatchObject({
      type: "x".repeat(256),
      label: "x".repeat(256),
      explanation: "x".repeat(1000),
      outcome: "x".repeat(256),
      source: "x".repeat(256),
      judge_model: "x".repeat(256),
      evaluated_span_id: null,
    });
    const { traces } = await get<{ traces: TraceSummary[] }>("/v1/traces");
    expect(JSON.stringify(traces).length).toBeLessThan(5000);
    expect(traces[0]?.scores).toEqual([{ type: "x".repeat(256), score: 0.5, label: "x".repeat(256) }]);
  });

  it("is bounded by bytes and evicts the oldest evaluations first", async () => {
    const log = createLog({ maxBytes: 100_000 });
    const count = 1000;
    for (let index = 0; index < count; index++) log.offer([evaluationSpan(`${index}${"y".repeat(990)}`)]);
    const kept = explanations(log);
    expect(kept.length).toBeGreaterThan(20);
    expect(kept.length).toBeLessThan(50);
    expect(kept.at(-1)).toMatch(/^999y/);
    expect(kept[0]).toMatch(new RegExp(`^${count - kept.length}y`));
    expect(log.oldest?.evaluation.explanation).toBe(kept[0]);
  });

  it("is bounded by count and does not charge for evicted evaluations", async () => {
    const log = createLog({ capacity: 10, maxBytes: 100_000 });
    for (let index = 0; index < 500; index++) log.offer([evaluationSpan(String(index))]);
    expect(explanations(log)).toEqual(Array.from({ length: 10 }, (_, index) => String(490 + index)));
    log.remove(() => true);
    expect(explanations(log)).toEqual([]);
    for (let index = 0; index < 5; index++) log.offer([evaluationSpan(`${index}${"y".repeat(990)}`)]);
    expect(explanations(log)).toHaveLength(5);
  });
});

describe("evaluations in a range of the log", () => {
  const ofTenant = (tenant: string, text: string): PipelineSpan => {
    const made = evaluationSpan(text);
    return { ...made, context: { ...made.context, tenant } };
  };
  const textsOf = (log: EvaluationLog, after: number, upTo: number, tenant?: string) =>
    log.within({ after, upTo, tenant }, 2)?.map(({ explanation }) => explanation);

  it("are those of the tenant, oldest first, and undefined when there are more than the maximum", async () => {
    const log = createLog({});
    log.offer([ofTenant("a", "1"), ofTenant("b", "2"), ofTenant("b", "3"), ofTenant("b", "4")]);
    log.offer([ofTenant("a", "5")]);
    expect(log.newest).toBe(5);
    expect(textsOf(log, 0, 5, "a")).toEqual(["1", "5"]);
    expect(textsOf(log, 0, 4, "a")).toEqual(["1"]);
    expect(textsOf(log, 0, 5, "b")).toBeUndefined();
    expect(textsOf(log, 1, 3)).toEqual(["2", "3"]);
  });

  it("are undefined when part of the range was evicted", async () => {
    const log = createLog({ capacity: 10 });
    log.offer(Array.from({ length: 12 }, (_, index) => ofTenant("b", String(index + 1))));
    expect(textsOf(log, 0, 12, "a")).toBeUndefined();
    expect(textsOf(log, 2, 12, "a")).toEqual([]);
  });
});

describe("the evaluation log after a restart", () => {
  const stored = (sequence: number, attributes: object = {}): StoredEvaluation => ({
    sequence,
    context: CONTEXT,
    span: {
      name: "evaluation",
      trace_id: sequence % 2 === 0 ? "even" : "odd",
      span_id: `s${sequence}`,
      span_type: "evaluation",
      start_time: "2026-01-01T00:00:00Z",
      attributes: {
        evaluation_type: "relevance",
        evaluation_score: 0.5,
        evaluation_comment: `kept ${sequence}`,
        ...attributes,
      },
    },
  });
  /** Answers pages like a store, and records them. */
  const kept = (count: number) => {
    const all = Array.from({ length: count }, (_, index) => stored((index + 1) * 3));
    const limits: number[] = [];
    const read = async (after: number, limit: number): Promise<readonly StoredEvaluation[]> => {
      limits.push(limit);
      return all.filter(({ sequence }) => sequence > after).slice(0, limit);
    };
    return { read, limits };
  };

  it("has the kept evaluations before those of this process, in pages of a bounded size", async () => {
    const log = createLog({});
    const { read, limits } = kept(1200);
    await log.restore(read);
    log.offer([evaluationSpan("new")]);
    const texts = explanations(log);
    expect(texts).toHaveLength(1201);
    expect(texts.slice(-3)).toEqual(["kept 3597", "kept 3600", "new"]);
    expect(Math.max(...limits)).toBeLessThanOrEqual(1000);
    expect(log.oldest?.evaluation.explanation).toBe("kept 3");
  });

  it("keeps the newest of more evaluations than it has room for", async () => {
    const log = createLog({ capacity: 10 });
    await log.restore(kept(1000).read);
    expect(explanations(log)).toEqual(Array.from({ length: 10 }, (_, index) => `kept ${2973 + index * 3}`));
  });

  it("numbers rise over the restart, and a page goes on by cursor", async () => {
    const log = createLog({});
    await log.restore(kept(5).read);
    log.offer([evaluationSpan("new 1"), evaluationSpan("new 2")]);
    const numbers = log.select({}).map(({ sequence }) => sequence);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(new Set(numbers).size).toBe(7);
    const seen: (string | null)[] = [];
    let cursor: string | null = null;
    do {
      const page = log.list({ limit: 2, ...(cursor === null ? {} : { cursor }) });
      seen.push(...page.found.map(({ evaluation }) => evaluation.explanation));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(explanations(log).toReversed());
  });

  it("keeps the labels of an evaluation by a judge, whose trace may be gone by now", async () => {
    const log = createLog({});
    const { span, context } = evaluationSpan("judged");
    const judged = { sequence: 1, span, context, labels: { model: "gpt-5-mini", agent: "support" } };
    await log.restore(async (after) => (after === 0 ? [judged] : []));
    expect(log.select({}).map(({ evaluation }) => evaluation)).toMatchObject([
      { model: "gpt-5-mini", agent: "support" },
    ]);
  });

  it("sends no restored evaluation to live clients", async () => {
    const log = createLog({});
    await log.restore(kept(5).read);
    expect(log.newest).toBe(0);
    log.offer([evaluationSpan("new")]);
    expect(log.within({ after: 0, upTo: log.newest, tenant: undefined }, 50)).toMatchObject([
      { explanation: "new" },
    ]);
  });

  it("leaves out traces that are deleted while it reads", async () => {
    const log = createLog({});
    const { read } = kept(4);
    let goOn = (): void => undefined;
    const restoring = log.restore(async (after, limit) => {
      if (after > 0) await new Promise<void>((resolve) => (goOn = resolve));
      return await read(after, limit);
    });
    await new Promise((resolve) => setImmediate(resolve));
    log.remove(({ traceId }) => traceId === "even");
    goOn();
    await restoring;
    expect(explanations(log)).toEqual(["kept 3", "kept 9"]);
  });

  it("is ready and goes on with what it has if the store cannot be read", async () => {
    const log = createLog({});
    const restoring = log.restore(() => Promise.reject(new Error("The file is gone.")));
    await expect(restoring).rejects.toThrow("The file is gone.");
    await log.settled();
    log.offer([evaluationSpan("new")]);
    expect(explanations(log)).toEqual(["new"]);
  });
});
