import type { Span } from "@obspan/sdk/wire";
import { expect, it, vi } from "vitest";
import { createRestoredEvaluations } from "../../src/assembly/restored-evaluations.js";
import type { StoredEvaluation } from "../../src/interfaces.js";
import type { Logger } from "../../src/logging/logger.js";
import { createEvaluationLog } from "../../src/query/evaluation-log.js";
import { storeUnavailable } from "../../src/store/store-unavailable.js";
import type { PipelineSpan } from "../../src/span/pipeline-span.js";
import { anEvaluation, aSpan, pipelineSpans } from "../store/span-batches.js";

/** A store that answers the kept evaluations only after `answer()`. */
function slowStore() {
  const kept: PipelineSpan[] = [];
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  return {
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
    labelsOf: undefined,
    onError: () => undefined,
  });
}

it("logs an evaluation once that the store keeps while the earlier ones are read", async () => {
  const store = slowStore();
  await store.append(pipelineSpans([anEvaluation("tone", 1, { span_id: "kept" })]));
  const evaluationLog = createLog();
  const restored = createRestoredEvaluations({ store, evaluationLog, log: {} as Logger });
  await restored.start?.();
  const arrive = async (...spans: Span[]): Promise<void> => {
    const arrived = pipelineSpans(spans);
    await store.append(arrived);
    evaluationLog.offer(arrived);
  };
  await arrive(aSpan(), anEvaluation("tone", 0, { span_id: "early" }));
  expect(evaluationLog.select({}).map(({ evaluation }) => evaluation.span_id)).toEqual(["early"]);
  store.answer();
  await evaluationLog.settled();
  await arrive(anEvaluation("tone", 0, { span_id: "late" }));
  expect(evaluationLog.select({}).map(({ evaluation }) => evaluation.span_id)).toEqual([
    "kept",
    "early",
    "late",
  ]);
});

it("reads no more than the evaluations of earlier runs, however many arrive meanwhile", async () => {
  const store = slowStore();
  for (let index = 0; index < 700; index++) await store.append(pipelineSpans([anEvaluation("tone", 1)]));
  const evaluationLog = createLog();
  let pages = 0;
  const restoring = evaluationLog.restore(async (after, limit) => {
    pages++;
    // As many arrive as a page has.
    const arrived = pipelineSpans(Array.from({ length: limit }, () => anEvaluation("tone", 0)));
    await store.append(arrived);
    evaluationLog.offer(arrived);
    store.answer();
    return await store.evaluations(after, limit);
  });
  await restoring;
  expect(pages).toBe(2);
  expect(evaluationLog.select({})).toHaveLength(1700);
});

it("says why the evaluations of earlier runs cannot be read", async () => {
  const errors: string[] = [];
  const evaluationLog = createLog();
  const restored = createRestoredEvaluations({
    store: { evaluations: () => Promise.reject(new Error("The file is gone.")) },
    evaluationLog,
    log: { error: (message: string) => void errors.push(message) } as unknown as Logger,
  });
  await restored.start?.();
  await evaluationLog.settled();
  evaluationLog.offer(pipelineSpans([anEvaluation("tone", 1)]));
  expect(evaluationLog.select({})).toHaveLength(1);
  expect(errors).toEqual([expect.stringContaining("The file is gone.")]);
});

it("reads the evaluations of a store that is away at the start when it answers, and nobody waits for them", async () => {
  const [kept, early] = ["kept", "early"].map((span_id) =>
    pipelineSpans([anEvaluation("tone", 1, { span_id })]),
  );
  const store = slowStore();
  await store.append(kept ?? []);
  await store.append(early ?? []);
  store.answer();
  let tries = 0;
  const warnings: string[] = [];
  const evaluationLog = createLog();
  const restored = createRestoredEvaluations({
    store: {
      async evaluations(after, limit) {
        if (++tries < 3) throw storeUnavailable("ClickHouse does not answer.");
        return await store.evaluations(after, limit);
      },
    },
    evaluationLog,
    log: { warning: (message: string) => void warnings.push(message) } as unknown as Logger,
    retryMs: 1,
  });
  await restored.start?.();
  await evaluationLog.settled();
  expect(evaluationLog.select({})).toEqual([]);
  // It arrives here too, and is in the log once.
  evaluationLog.offer(early ?? []);
  await expect
    .poll(() => evaluationLog.select({}).map(({ evaluation }) => evaluation.span_id))
    .toEqual(["kept", "early"]);
  expect(tries).toBeGreaterThanOrEqual(3);
  expect(warnings).toEqual([expect.stringContaining("ClickHouse does not answer.")]);
});

it("asks a store that is away no more once the collector stops", async () => {
  const away = vi.fn(() => Promise.reject(storeUnavailable("ClickHouse does not answer.")));
  const evaluationLog = createLog();
  const restoring = vi.spyOn(evaluationLog, "restore");
  const restored = createRestoredEvaluations({
    store: { evaluations: away },
    evaluationLog,
    log: { warning: () => undefined } as unknown as Logger,
    retryMs: 3_600_000,
  });
  await restored.start?.();
  await evaluationLog.settled();
  await restored.stop(0);
  await expect(restoring.mock.results[0]?.value).rejects.toThrow("abort");
  expect(away).toHaveBeenCalledTimes(1);
});
