import { describe, expect, it } from "vitest";
import type { EvaluatedLabels, SpanReference } from "../../src/interfaces.js";
import { createEvaluationLog, type EvaluationLog } from "../../src/query/evaluation-log.js";
import type { PipelineSpan } from "../../src/span/pipeline-span.js";
import { anEvaluation, pipelineSpans } from "../store/span-batches.js";

/** A question for labels that waits for its answer. */
interface Question {
  readonly references: readonly SpanReference[];
  readonly answer: (labels?: EvaluatedLabels) => void;
  readonly fail: (error: Error) => void;
}

function createLog(options: { capacity?: number } = {}) {
  const questions: Question[] = [];
  const errors: unknown[] = [];
  const log = createEvaluationLog({
    thresholds: {},
    directions: {},
    labelsOf: (references) =>
      new Promise((resolve, reject) => {
        const answer = (labels?: EvaluatedLabels): void => resolve(references.map(() => labels));
        questions.push({ references, answer, fail: reject });
      }),
    onError: (error) => void errors.push(error),
    ...options,
  });
  return { log, questions, errors };
}

/** The score of a user: without model and agent. */
const score = (span_id: string, evaluated: string, attributes: object = {}): PipelineSpan[] =>
  pipelineSpans([
    anEvaluation("tone", 1, { span_id, attributes: { evaluated_span_id: evaluated, ...attributes } }),
  ]);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const LABELS = { model: "large", agent: "support" };
const modelsOf = (log: EvaluationLog) =>
  log.select({}).map(({ evaluation }) => [evaluation.span_id, evaluation.model]);

describe("evaluations without model and agent", () => {
  it("are in the log at once, and get the labels of many spans by one question", async () => {
    const { log, questions } = createLog();
    log.offer([...score("1", "a"), ...score("2", "b"), ...score("3", "a")]);
    expect(modelsOf(log)).toEqual([
      ["1", null],
      ["2", null],
      ["3", null],
    ]);
    await turn();
    for (let index = 4; index <= 1500; index++) log.offer(score(String(index), `span ${index}`));
    expect(questions.map(({ references }) => references.map(({ spanId }) => spanId))).toEqual([["a", "b"]]);
    questions[0]?.answer(LABELS);
    await turn();
    questions[1]?.answer(LABELS);
    await turn();
    questions[2]?.answer(LABELS);
    await log.settled();
    expect(questions.map(({ references }) => references.length)).toEqual([2, 1000, 497]);
    expect(log.select({}).map(({ evaluation }) => evaluation.span_id)).toEqual(
      Array.from({ length: 1500 }, (_, index) => String(index + 1)),
    );
    expect(log.select({}).every(({ evaluation }) => evaluation.model === "large")).toBe(true);
  });

  it("are sent to live clients, in order with those that have labels, when their labels are there", async () => {
    const { log, questions } = createLog();
    log.offer(score("before", "a", { model: "own" }));
    expect(log.newest).toBe(1);
    log.offer(score("without", "a"));
    log.offer(score("after", "a", { model: "own" }));
    await turn();
    expect(log.newest).toBe(1);
    const isSettled = log.settled().then(() => true);
    questions[0]?.answer(LABELS);
    expect(await isSettled).toBe(true);
    expect(log.newest).toBe(3);
    expect(log.within({ after: 1, upTo: 3, tenant: undefined }, 9)).toMatchObject([
      { span_id: "without", ...LABELS },
      { span_id: "after", model: "own", agent: null },
    ]);
  });

  it("remain without labels if the store cannot be read or does not have the span", async () => {
    const { log, questions, errors } = createLog();
    log.offer(score("failed", "a"));
    await turn();
    questions[0]?.fail(new Error("The store does not answer."));
    await log.settled();
    log.offer(score("unknown", "b"));
    await turn();
    questions[1]?.answer(undefined);
    await log.settled();
    expect(modelsOf(log)).toEqual([
      ["failed", null],
      ["unknown", null],
    ]);
    expect(errors).toHaveLength(1);
  });

  it("are bounded while the store does not answer, and evicted or removed ones do not come back", async () => {
    const { log, questions } = createLog({ capacity: 10 });
    for (let index = 0; index < 100; index++) log.offer(score(String(index), "a"));
    await turn();
    expect(log.select({})).toHaveLength(10);
    expect(questions[0]?.references).toHaveLength(1);
    log.remove(() => true);
    log.offer(score("last", "a"));
    questions[0]?.answer(LABELS);
    await turn();
    questions[1]?.answer(LABELS);
    await log.settled();
    expect(modelsOf(log)).toEqual([["last", "large"]]);
    expect(log.newest).toBe(101);
  });

  it("are asked for once a page after a restart, unless the store has looked for them", async () => {
    const { log, questions } = createLog();
    const spans = [...score("known", "a"), ...score("looked for", "b"), ...score("unknown", "c")];
    const labels = [LABELS, { model: "", agent: "" }, undefined];
    const kept = spans.map(({ span, context }, index) => ({
      sequence: index + 1,
      span,
      context,
      labels: labels[index],
    }));
    const restoring = log.restore(async (after) => (after === 0 ? kept : []));
    await turn();
    expect(questions.map(({ references }) => references.map(({ spanId }) => spanId))).toEqual([["c"]]);
    questions[0]?.answer({ model: "late", agent: null });
    await restoring;
    expect(modelsOf(log)).toEqual([
      ["known", "large"],
      ["looked for", null],
      ["unknown", "late"],
    ]);
  });
});
