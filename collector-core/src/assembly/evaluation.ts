import { randomBytes } from "node:crypto";
import type { LoadedConfig } from "../config/load-config.js";
import type { Evaluator } from "../evaluation/evaluator.js";
import { evaluationTypeName } from "../api-schema/evaluation-types.js";
import type { ByteAccount } from "../in-flight/byte-budget.js";
import type { Clock } from "../runtime/clock.js";
import type { Logger } from "../logging/logger.js";
import type { DerivedSpan, SharedClaims } from "../interfaces.js";
import { createEvaluationMetrics, type EvaluationMetrics } from "../pipeline/metrics/evaluation-metrics.js";
import type { SpanMetrics } from "../pipeline/metrics/span-metrics.js";
import type { SpanAndTextRedactor } from "../pipeline/redaction/redactor.js";
import type { Saving } from "../queue/redis/acknowledger.js";
import type { EvaluationRunner } from "../query/evaluations-routes.js";

/** Collaborators of {@link createEvaluation}. */
interface EvaluationParts {
  readonly clock: Clock;
  readonly redactor: SpanAndTextRedactor;
  readonly spanMetrics: SpanMetrics;
  readonly deliver: (derived: DerivedSpan) => Promise<void>;
  readonly log: Logger;
  readonly budget: ByteAccount;
  /** Undefined if no other collector is given the same spans. */
  readonly claims: SharedClaims | undefined;
  /** How spans are saved; undefined if nothing saves them. */
  readonly saving: Saving | undefined;
}

/** Evaluation in the background. */
export interface Evaluation {
  readonly evaluator: Evaluator;
  readonly metrics: EvaluationMetrics;
  readonly runner: EvaluationRunner;
}

/** Creates the evaluation if it is enabled. Its modules are imported lazily, since they take 200 ms and 30 MB. */
export async function createEvaluation(
  config: LoadedConfig["config"],
  { clock, redactor, spanMetrics, deliver, log, budget, claims, saving }: EvaluationParts,
): Promise<Evaluation | undefined> {
  if (!config["evaluation.enabled"]) return undefined;
  const { createEvaluator } = await import("../evaluation/evaluator.js");
  const { createTypeRegistry } = await import("../evaluation/types/type-registry.js");
  const { createConfiguredJudge } = await import("./configured-judge.js");
  const { evaluationSpan, storedSubject } = await import("../evaluation/evaluation-result.js");
  const { createPersonalDataFinder } = await import("../pipeline/redaction/personal-data.js");
  const metrics = createEvaluationMetrics({
    waiting: () => evaluator.waiting,
    maxTypes: config["evaluation.max_evaluation_types"],
    maxLabelValueLength: config["limits.max_label_value_length"],
  });
  const types = createTypeRegistry({
    customTypes: config["evaluation.types"],
    findPersonalData: createPersonalDataFinder(),
    clock,
    redactText: (text) => redactor.redactText(text),
  });
  const judge = await createConfiguredJudge(config);
  const evaluator = createEvaluator({
    types,
    judge,
    queueSize: config["evaluation.queue_size"],
    budget,
    claims,
    saving,
    dropPolicy: config["evaluation.drop_policy"],
    concurrency: config["evaluation.worker_concurrency"],
    defaultSampleRate: config["evaluation.default_sample_rate"],
    timeoutMs: config["evaluation.default_timeout_ms"],
    clock,
    random: Math.random,
    counters: {
      offered: (evaluations) => metrics.offered(evaluations),
      repeated: () => metrics.repeated(),
      ended(outcome, typeName, context, evaluations = 1) {
        metrics.ended(outcome, evaluations);
        spanMetrics.countEvaluations(typeName, outcome, context, evaluations);
      },
    },
    async deliver(result) {
      const { subject, judge, usage } = result;
      if (judge !== undefined && usage?.costUsd !== undefined)
        metrics.cost(evaluationTypeName(result.type), judge.model, usage.costUsd);
      const span = evaluationSpan(result, randomBytes(8).toString("hex"));
      await deliver({
        span,
        context: subject.context,
        labels: { model: subject.model, agent: subject.agent },
      });
    },
    log,
  });
  const runner: EvaluationRunner = {
    problemOf: (type) => types.problemOf(type),
    run: (span, tenant, requested) => evaluator.run(storedSubject(span, tenant, clock.now()), requested),
    describe: () => ({
      ...metrics.counts(),
      pending: evaluator.pending,
      judge_model: judge.model,
      judge_provider: judge.provider,
      types: types.list(),
    }),
  };
  return { evaluator, metrics, runner };
}
