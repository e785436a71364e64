import { expect, it } from "vitest";
import { createRestoredEvaluations } from "../../src/assembly/restored-evaluations.js";
import type { StoredEvaluation } from "../../src/interfaces.js";
import type { Logger } from "../../src/logging/logger.js";
import { createEvaluationLog } from "../../src/query/evaluation-log.js";
import type { PipelineSpan } from "../../src/span/pipeline-span.js";
import { anEvaluation, aSpan, pipelineSpans } from "../store/span-batches.js";

/** A store that answers the kept evaluations only after `answer()`. */
function slowStore() {
  const kept: PipelineSpan[] = [];
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  return {
    appended: kept,
    answer,
    append: async (spans: readonly PipelineSpan[]) => void kept.push(...spans),
    async evaluations(after: number, limit: number): Promise<readonly StoredEvaluation[]> {
      await answered;
      return kept
        .map(({ span, context }, index) => ({ sequence: index + 1, span, context }))
        .filter(({ sequence, span }) => sequence > after && span.span_type === "evaluation")
        .slice(0, limit);
    },
  };
}

function createLog() {
  return createEvaluationLog({
    thresholds: {},
    directions: {},
    labelsOf: async () => ({ model: null, agent: null }),
  });
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("logs an evaluation once that arrives while the kept ones are read", async () => {
  const store = slowStore();
  await store.append(pipelineSpans([anEvaluation("tone", 1, { span_id: "kept" })]));
  const evaluationLog = createLog();
  const restored = createRestoredEvaluations({ store, evaluationLog, log: {} as Logger });
  await restored.start?.();
  const arrive = async (spans: readonly PipelineSpan[]): Promise<void> => {
    await restored.append(spans);
    await evaluationLog.offer(spans);
  };
  const early = arrive(pipelineSpans([aSpan(), anEvaluation("tone", 0, { span_id: "early" })]));
  await arrive(pipelineSpans([aSpan({ span_id: "no evaluation" })]));
  await turn();
  expect(store.appended.map(({ facts }) => facts.spanId)).toEqual(["kept", "no evaluation"]);
  store.answer();
  await early;
  await arrive(pipelineSpans([anEvaluation("tone", 0, { span_id: "late" })]));
  expect(evaluationLog.select({}).map(({ evaluation }) => evaluation.span_id)).toEqual([
    "kept",
    "early",
    "late",
  ]);
});

it("keeps evaluations that arrive although the kept ones cannot be read, and says why", async () => {
  const errors: string[] = [];
  const appended: PipelineSpan[] = [];
  const restored = createRestoredEvaluations({
    store: {
      append: async (spans) => void appended.push(...spans),
      evaluations: () => Promise.reject(new Error("The file is gone.")),
    },
    evaluationLog: createLog(),
    log: { error: (message: string) => void errors.push(message) } as unknown as Logger,
  });
  await restored.start?.();
  await restored.append(pipelineSpans([anEvaluation("tone", 1)]));
  expect(appended).toHaveLength(1);
  expect(errors).toEqual([expect.stringContaining("The file is gone.")]);
});
