import { describeError, errorMessage } from "../runtime/describe-error.js";
import { createTurnIfDue, nextTurn } from "../runtime/loop-turn.js";
import { createDerivedSpans } from "../pipeline/derived-spans.js";
import { createSpanImporter } from "../pipeline/import-spans.js";
import { createLeafUsage, createSharedLeafUsage } from "../pipeline/leaf-usage.js";
import { LostSpans } from "../pipeline/lost-spans.js";
import { createPipelines } from "../pipeline/pipelines.js";
import { createSpanReader } from "../pipeline/read-spans.js";
import { withoutRedaction } from "../pipeline/redaction/redactor.js";
import { createTraceSampler } from "../pipeline/trace-sampler.js";
import { createWorker, type Worker } from "../pipeline/worker.js";
import type { DerivedSpan } from "../interfaces.js";
import type { SpanImport } from "../ingest/import-route.js";
import { createEvaluation, type Evaluation } from "./evaluation.js";
import type { Foundation } from "./foundation.js";
import { createImportStore, requireKeeping } from "./import-store.js";
import type { Measurement } from "./measurement.js";
import type { Outputs } from "./outputs.js";
import { createPricing, type Pricing } from "./pricing.js";
import { createRedactor } from "./redaction.js";
import type { Shared } from "./shared.js";
import type { Storage } from "./storage.js";
import { withoutDeleted } from "./without-deleted.js";

/** Longest redaction, or mapping of spans of OpenTelemetry, within one turn of the event loop. */
const SPANS_SLICE_MS = 25;

/** The stages between the queue and the sinks. */
export interface Pipeline {
  readonly worker: Worker;
  /** Undefined if evaluation is disabled. */
  readonly evaluation: Evaluation | undefined;
  /** Sends a span of the collector's own through the pipeline. Rejects if it is not kept. */
  readonly deliver: (derived: DerivedSpan) => Promise<void>;
  /** Undefined if the trace store is disabled. */
  readonly beginImport: (() => SpanImport) | undefined;
  readonly pricing: Pricing;
}

export async function createPipeline(
  foundation: Foundation,
  { queue, store, saving }: Storage,
  { pipelineMetrics, spanMetrics }: Measurement,
  outputs: Outputs,
  shared: Shared | undefined,
): Promise<Pipeline> {
  const { config, clock, logger, budget } = foundation;
  const log = logger.child("worker");
  const onError = (where: string, error: unknown): void =>
    log.error(`${where} failed: ${errorMessage(error)}`, { where, error: describeError(error) });
  const redactor = await createRedactor(config, {
    counters: pipelineMetrics,
    onFailure: (error) =>
      log.warning(`redaction failed: ${errorMessage(error)}`, { error: describeError(error) }),
    clock,
    nextTurn,
  });
  // The texts of a running span are redacted again and again: they are not counted.
  const uncounted = await createRedactor(config, {
    counters: { redacted: () => undefined, redactionFailed: () => undefined },
    onFailure: () => undefined,
    clock,
    nextTurn,
  });
  const slice = { clock, sliceMs: SPANS_SLICE_MS, nextTurn };
  const pricing = await createPricing(config);
  const lost = new LostSpans((error) => onError("pipeline", error));
  const pipelines = createPipelines({
    maxSpanAttributes: config["limits.max_span_attributes"],
    costOf: pricing.costOf,
    spanMetrics: {
      record: ({ facts, context, countsUsage, isSampled }) =>
        spanMetrics.record(facts, context, countsUsage, isSampled),
      recordEvaluation: ({ facts, context }) => spanMetrics.recordEvaluation(facts, context),
    },
    counters: pipelineMetrics,
    lost,
    redactor: redactor === withoutRedaction ? undefined : redactor,
    redactText: redactor === withoutRedaction ? undefined : (text) => uncounted.redactText(text),
    onPartial: (partial) => outputs.live.putText(partial),
    yieldIfDue: createTurnIfDue(slice),
    keep: store && ((spans) => store.append(spans)),
    keepDerived:
      store &&
      ((spans) => {
        // What waits for a shared store is written when that is back.
        if (saving?.isShared !== true) requireKeeping(store);
        return store.append(spans);
      }),
    sinks: outputs.sinks,
    onError,
  });
  const deliver = createDerivedSpans(pipelines.derived);
  const evaluation = await createEvaluation(config, {
    clock,
    redactor,
    spanMetrics,
    deliver,
    log: logger.child("evaluation"),
    budget: budget.account("evaluation_queue"),
    claims: shared?.claims,
    saving,
  });
  const leafUsage = createLeafUsage(clock);
  const worker = createWorker({
    queue,
    readSpans: createSpanReader({
      leafUsage: shared === undefined ? leafUsage : createSharedLeafUsage(leafUsage, shared.marks),
      sampler: createTraceSampler(config["sampling.rate"]),
      counters: pipelineMetrics,
      lost,
      yieldIfDue: createTurnIfDue(slice),
    }),
    pipeline: pipelines.received(evaluation && withoutDeleted(evaluation.evaluator, shared?.deletions)),
    lost,
    counters: pipelineMetrics,
    clock,
    onError,
  });
  const beginImport =
    store &&
    createSpanImporter({
      readSpans: createSpanReader({
        leafUsage,
        sampler: createTraceSampler(1),
        counters: { invalidValue: () => undefined },
        lost: new LostSpans((error) => onError("import", error)),
        yieldIfDue: createTurnIfDue(slice),
      }),
      pipeline: pipelines.imported,
      createStore: () => createImportStore(store, outputs),
    });
  return { pricing, worker, evaluation, deliver, beginImport };
}
